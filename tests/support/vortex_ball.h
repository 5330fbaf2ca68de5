// A ball of skin on the second of two joints, with one muscle in it.
#pragma once

#include <gtest/gtest.h>

#include "supple/deform/vortex/job.h"
#include "supple/deform/vortex/surface.h"

namespace supple::test {

inline constexpr double ball_radius = 0.05;

/// An ellipsoid of these radii, metres. No gravity, and a limit out of the way, so that closed forms hold.
inline VortexMuscle free_muscle(Vec3f radii = {0.05f, 0.05f, 0.05f}, std::uint32_t samples = 42) {
  VortexMuscle m;
  m.name = "calf";
  m.joint = 1;
  m.radii = radii;
  m.samples = samples;
  m.gravity = {};
  m.limit = 100;
  return m;
}

/// Joints at the origin and at x = .3 m; the skin is the muscle's own shape about the second.
inline Character vortex_ball(const VortexMuscle& muscle = free_muscle(), std::uint32_t skin = 642) {
  Character c;
  c.name = "ball";
  RawJoint root, limb;
  root.name = "root";
  limb.name = "limb";
  limb.parent = 0;
  limb.rest.translation = {0.3f, 0, 0};
  const RawJoint joints[] = {root, limb};
  c.skeleton = build_skeleton(joints).value().skeleton;
  VortexMuscle shape = muscle;
  shape.samples = skin;
  Part part;
  part.name = "skin";
  part.mesh = muscle_surface(shape);
  for (Vec3f& p : part.mesh.positions) p += muscle.center + Vec3f{0.3f, 0, 0};
  part.skin = 0;
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) part.weights.push_vertex(std::vector<Influence>{{1, 1}});
  c.skins.push_back({"skin", {0, 1}, {Affinef{}, inverse(Affinef{{}, {0.3f, 0, 0}})}});
  c.parts.push_back(std::move(part));
  c.kinodynamics.emplace();
  c.kinodynamics->muscles.push_back(muscle);
  return c;
}

/// The rest pose with its root turned and moved.
inline std::vector<Affinef> placed(const Character& c, Vec3d by, Quatd turn = {}) {
  Pose pose = c.rest();
  pose.local[0].translation += Vec3f(by);
  pose.local[0].rotation = Quatf(turn);
  return to_world(c.skeleton, pose);
}

/// A character with its table, and muscles that move.
struct Ball {
  Character character;
  VortexTable table;
  MuscleWeights weights;
  VortexState state;

  explicit Ball(const VortexMuscle& muscle = free_muscle(), std::uint32_t skin = 642)
      : character(vortex_ball(muscle, skin)),
        table(build_vortex_table(character).value()),
        weights(build_muscle_weights(character, 0)) {
    settle_at(placed(character, {}));
  }
  Kinodynamics& live() { return *character.kinodynamics; }
  VortexMuscle& muscle() { return live().muscles[0]; }
  void settle_at(std::span<const Affinef> world) { settle(table, live(), world, state); }
  void advance_to(std::span<const Affinef> world, double seconds) { advance(table, live(), world, seconds, state); }
  /// The skin where the joint carries it, before the muscles.
  std::vector<Vec3f> carried(std::span<const Affinef> world) const {
    std::vector<Vec3f> skin;
    for (const Vec3f p : character.parts[0].mesh.positions) skin.push_back(world[1].point(p - Vec3f{0.3f, 0, 0}));
    return skin;
  }
  std::vector<Vec3f> skin(std::span<const Affinef> world, unsigned threads = 1) const {
    std::vector<Vec3f> positions = carried(world);
    const VortexJob job{&table, &state, &weights, positions, threads, nullptr};
    EXPECT_TRUE(job.validate().ok());
    job.run();
    return positions;
  }
  /// Of the skin, by area.
  Vec3d mean_shift(std::span<const Affinef> world) const {
    const std::vector<Vec3f> before = carried(world), after = skin(world);
    Vec3d sum{};
    double area = 0;
    for (const Triangle& t : character.parts[0].mesh.triangles) {
      const Vec3d a(before[t[0]]), b(before[t[1]]), c(before[t[2]]);
      const double patch = length(cross(b - a, c - a));
      area += patch;
      for (const std::uint32_t v : t) sum += (Vec3d(after[v]) - Vec3d(before[v])) * (patch / 3);
    }
    return sum / area;
  }
};

}  // namespace supple::test
