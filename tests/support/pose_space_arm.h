// An arm whose shape a pose space mixes, made by hand for the tests of several layers.
#pragma once

#include <cmath>
#include <numbers>

#include "supple/base/rng.h"
#include "supple/rig/character.h"

namespace supple::test {

/// Poses of the arm's three bending joints, radians about x, z and x.
struct ArmPose {
  float elbow = 0, wrist = 0, finger = 0;
};

inline Pose pose_of_arm(const Character& c, const ArmPose& p) {
  Pose pose = c.rest();
  pose.local[1].rotation = Quatf(from_axis_angle(Vec3d{1, 0, 0}, double{p.elbow}));
  pose.local[2].rotation = Quatf(from_axis_angle(Vec3d{0, 0, 1}, double{p.wrist}));
  pose.local[3].rotation = Quatf(from_axis_angle(Vec3d{1, 0, 0}, double{p.finger}));
  return pose;
}

inline constexpr ArmPose arm_examples[] = {{}, {1.2f, 0, 0}, {0, 0.7f, 0}, {0.3f, -0.4f, 1.1f}, {1.0f, 0.5f, 1.4f}};

/// 1 m along y on joints root, elbow (.3 m), wrist (.6 m) and finger (.8 m), 23 rings of 9 vertices (so the last block
/// of 16 is not full) with smooth weights. Five examples: rest and four with random offsets up to a centimetre, after a
/// morph target "bulge" that nothing drives. Clip "wave" turns elbow and wrist.
inline Character pose_space_arm(JointInfluence influence = JointInfluence::subtree) {
  Character c;
  c.name = "arm";
  const auto joint = [](const char* name, std::size_t parent, float up) {
    return RawJoint{name, parent, {{0, up, 0}, {}, {1, 1, 1}}, {}};
  };
  const std::vector<RawJoint> joints{
      {"root", std::nullopt, {}, {}}, joint("elbow", 0, 0.3f), joint("wrist", 1, 0.3f), joint("finger", 2, 0.2f)};
  c.skeleton = build_skeleton(joints).value().skeleton;
  const std::vector<Affinef> world = to_world(c.skeleton, rest_pose(c.skeleton));
  c.skins.push_back({"skin", {0, 1, 2, 3}, {}});
  for (const Affinef& w : world) c.skins[0].inverse_bind.push_back(inverse(w));
  Part part;
  part.name = "skin";
  part.skin = 0;
  part.node = 0;
  constexpr std::uint32_t rings = 23, around = 9;
  for (std::uint32_t r = 0; r < rings; ++r) {
    for (std::uint32_t a = 0; a < around; ++a) {
      const float y = static_cast<float>(r) / (rings - 1);
      const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(a) / around;
      part.mesh.positions.push_back({0.05f * std::cos(angle), y, 0.05f * std::sin(angle)});
      part.mesh.normals.push_back({std::cos(angle), 0, std::sin(angle)});
      const auto past = [&](float at) { return 1 / (1 + std::exp(-(y - at) * 40)); };
      const float elbow = past(0.3f), wrist = past(0.6f), finger = past(0.8f);
      const Influence influences[]{
          {0, 1 - elbow}, {1, elbow * (1 - wrist)}, {2, elbow * wrist * (1 - finger)}, {3, elbow * wrist * finger}};
      part.weights.push_vertex(influences);
      if (r + 1 == rings) continue;
      const std::uint32_t i = r * around + a, j = r * around + (a + 1) % around;
      part.mesh.triangles.push_back({i, i + around, j});
      part.mesh.triangles.push_back({j, i + around, j + around});
    }
  }
  part.weights = top_influences(part.weights, 3);
  clean(part.weights, 4, 0, 1);
  Rng rng(11);
  const auto random = [&](double most) {
    return Vec3f(Vec3d{rng.uniform(-most, most), rng.uniform(-most, most), rng.uniform(-most, most)});
  };
  const std::size_t vertices = part.mesh.positions.size();
  part.morphs.push_back({"bulge", {}, std::vector<Vec3f>(vertices, Vec3f{0, 0, 0.02f}), {}, {}});
  for (std::size_t e = 1; e < std::size(arm_examples); ++e) {
    MorphTarget target{"pose " + std::to_string(e), {}, {}, {}, {}};
    for (std::size_t v = 0; v < vertices; ++v) {
      target.positions.push_back(random(0.01));
      target.normals.push_back(random(0.2));
    }
    part.morphs.push_back(std::move(target));
  }
  c.morph_weights.assign(part.morphs.size(), 0.0f);
  c.parts.push_back(std::move(part));
  PoseSpace space;
  space.first_weight = 1;
  space.influence = influence;
  space.joints = {1, 2, 3};
  space.reference.resize(3);
  for (const ArmPose& p : arm_examples) {
    const Pose pose = pose_of_arm(c, p);
    for (const JointIndex j : space.joints) space.settings.push_back(pose.local[j].rotation);
  }
  c.pose_space = space;
  Clip wave{"wave", {}};
  for (const JointIndex j : {1u, 2u}) {
    Track track{Channel::rotation, Interpolation::linear, j, 4, {0, 0.5f, 1}, {}};
    for (const ArmPose& p : {ArmPose{}, arm_examples[4], ArmPose{-0.3f, 0.6f, 0}}) {
      const Quatf q = pose_of_arm(c, p).local[j].rotation;
      track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
    }
    wave.tracks.push_back(std::move(track));
  }
  c.clips.push_back(std::move(wave));
  return c;
}

}  // namespace supple::test
