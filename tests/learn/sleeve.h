// A sleeve on three joints whose skin is corrected in a way that is known, and example sets of it.
#pragma once

#include <cmath>
#include <numbers>

#include "supple/deform/skin.h"
#include "supple/rig/example_set.h"

namespace supple::test {

/// 1 m long along y, 0.1 m wide, 30 rings of 12 vertices; joints "root", "elbow" (x, 0.4 m) and "wrist" (x and z,
/// 0.7 m) with smooth weights.
inline Character sleeve() {
  Character c;
  const Dof flexion{"flexion", {1, 0, 0}, -2, 2}, abduction{"abduction", {0, 0, 1}, -1, 1};
  const std::vector<RawJoint> joints{{"root", std::nullopt, {}, {}},
                                     {"elbow", 0, {{0, 0.4f, 0}, {}, {1, 1, 1}}, {flexion}},
                                     {"wrist", 1, {{0, 0.3f, 0}, {}, {1, 1, 1}}, {flexion, abduction}}};
  c.skeleton = build_skeleton(joints).value().skeleton;
  const std::vector<Affinef> world = to_world(c.skeleton, rest_pose(c.skeleton));
  c.skins.push_back({"skin", {0, 1, 2}, {inverse(world[0]), inverse(world[1]), inverse(world[2])}});
  Part part;
  part.name = "skin";
  part.skin = 0;
  constexpr std::uint32_t rings = 30, around = 12;
  for (std::uint32_t r = 0; r < rings; ++r)
    for (std::uint32_t a = 0; a < around; ++a) {
      const float y = static_cast<float>(r) / (rings - 1),
                  angle = 2 * std::numbers::pi_v<float> * static_cast<float>(a) / around;
      part.mesh.positions.push_back({0.05f * std::cos(angle), y, 0.05f * std::sin(angle)});
      part.mesh.normals.push_back({std::cos(angle), 0, std::sin(angle)});
      const auto step = [&](float at) { return 1 / (1 + std::exp(-(y - at) * 30)); };
      const float second = step(0.4f) * (1 - step(0.7f)), third = step(0.4f) * step(0.7f);
      const Influence influences[]{{0, 1 - second - third}, {1, second}, {2, third}};
      part.weights.push_vertex(influences);
      if (r + 1 == rings) continue;
      const std::uint32_t i = r * around + a, j = r * around + (a + 1) % around;
      part.mesh.triangles.push_back({i, i + around, j});
      part.mesh.triangles.push_back({j, i + around, j + around});
    }
  clean(part.weights, 3, 0, 1);
  c.parts.push_back(std::move(part));
  return c;
}

struct SleevePose {
  std::string name;
  float elbow = 0, wrist = 0, side = 0;  // radians
  Role role = Role::train;
};

inline Pose pose_of(const Character& c, const SleevePose& p) {
  Pose pose = rest_pose(c.skeleton);
  const float wrist[]{p.wrist, p.side};
  set_angles(pose, c.skeleton, 1, std::span(&p.elbow, 1));
  set_angles(pose, c.skeleton, 2, wrist);
  return pose;
}

/// A bulge at the elbow that grows with the sine of its angle and a dent with its square; one at the wrist; and, with
/// `coupling`, one between them that needs both.
inline Vec3f sleeve_correction(Vec3f at, const SleevePose& p, float coupling = 0) {
  const auto bump = [&](float y, float width) { return std::exp(-(at.y - y) * (at.y - y) / (width * width)); };
  const Vec3f out{at.x, 0, at.z};
  return out * (0.4f * std::sin(p.elbow) * bump(0.4f, 0.08f) - 0.2f * p.elbow * p.elbow * bump(0.33f, 0.06f) +
                0.3f * std::sin(p.wrist) * bump(0.7f, 0.08f) + 0.2f * p.side * bump(0.65f, 0.05f) +
                coupling * p.elbow * p.wrist * bump(0.55f, 0.1f));
}

inline ExampleSet sleeve_examples(const Character& c, std::span<const SleevePose> poses, float coupling = 0) {
  ExampleSet set;
  set.part = "skin";
  set.skeleton = c.skeleton;
  set.rest_positions = c.parts[0].mesh.positions;
  set.rest_normals = c.parts[0].mesh.normals;
  set.triangles = c.parts[0].mesh.triangles;
  std::vector<Quatf> rotations;
  std::vector<Vec3f> positions, normals;
  for (const SleevePose& p : poses) {
    Character changed = c;
    for (std::size_t v = 0; v < changed.parts[0].mesh.positions.size(); ++v) {
      const Vec3f at = c.parts[0].mesh.positions[v];
      changed.parts[0].mesh.positions[v] += sleeve_correction(at, p, coupling);
      // Some change of the normals, of the same form.
      Vec3f& n = changed.parts[0].mesh.normals[v];
      n = normalized(n + Vec3f{0, 10, 0} * length(sleeve_correction(at, p, coupling)));
    }
    Skin skin = Skin::make(changed).value();
    static_cast<void>(skin.evaluate(pose_of(c, p)));
    set.examples.push_back({p.name, "", p.role, {}, 1, 0, {}});
    for (const Transformf& t : pose_of(c, p).local) rotations.push_back(t.rotation);
    positions.insert(positions.end(), skin.positions().begin(), skin.positions().end());
    normals.insert(normals.end(), skin.normals().begin(), skin.normals().end());
  }
  set.rotations = std::move(rotations);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

/// Sweeps of the elbow and of the wrist, off-axis poses of the wrist, and test poses between them and of both.
inline std::vector<SleevePose> sleeve_sweeps() {
  std::vector<SleevePose> poses;
  const auto name = [&] { return "pose " + std::to_string(poses.size()); };
  for (const float a : {-1.2f, -0.8f, -0.4f, 0.4f, 0.8f, 1.2f}) {
    poses.push_back({name(), a});
    poses.push_back({name(), 0, a});
    poses.push_back({name(), 0, 0, a / 2});
  }
  for (const float a : {-0.8f, 0.8f})
    for (const float b : {-0.4f, 0.4f}) poses.push_back({name(), 0, a, b});
  for (const float a : {-1.0f, -0.6f, 0.6f, 1.0f}) poses.push_back({name(), a, 0, 0, Role::test});
  poses.push_back({name(), 0.7f, 0.9f, 0, Role::test});
  poses.push_back({name(), -0.9f, 0.5f, 0.2f, Role::test});
  return poses;
}

}  // namespace supple::test
