// The layer on a skin: the kernel against plain double precision, threads, culling, weights, shapes for display.
#include "supple/deform/vortex/job.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../support/fleshy_limb.h"
#include "../support/vortex_ball.h"
#include "supple/base/rng.h"
#include "supple/deform/vortex/reference.h"

namespace supple {
namespace {

using test::Ball;
using test::free_muscle;
using test::placed;

/// Two muscles that overlap and one far away, one with a rest shape, on a skin that has all of them in reach of a part.
Character three_muscles() {
  VortexMuscle m = free_muscle({0.04f, 0.07f, 0.05f});
  m.gravity = {4, -9.81f, 2};
  Character c = test::vortex_ball(m, 2562);
  for (const Vec3f p : muscle_surface(m).positions) m.target.push_back(scaled(p, {1.05f, 0.9f, 1.05f}));
  m.center = {0.05f, 0.03f, 0};
  m.orientation = Quatf(from_axis_angle(Vec3d{0, 0, 1}, 0.7));
  c.kinodynamics->muscles.push_back(m);
  m.target.clear();
  m.joint = 0;
  m.center = {-0.1f, 0, 0};
  c.kinodynamics->muscles.push_back(m);
  return c;
}

TEST(VortexJob, EveryKernelIsTheReference) {
  Character c = three_muscles();
  // Only some of the skin follows the first muscle, and only partly.
  for (std::uint32_t v = 0; v < c.parts[0].mesh.positions.size(); ++v)
    if (v % 3 != 0) c.kinodynamics->muscles[0].skin_weights.push_back({0, v, static_cast<float>(v % 5) / 4});
  const VortexTable table = build_vortex_table(c).value();
  ASSERT_EQ(table.plastic_muscles.size(), 1u);
  const MuscleWeights weights = build_muscle_weights(c, 0);
  const auto world = placed(c, {0.2, 0.1, 0}, from_axis_angle(Vec3d{0, 1, 0}, 0.4));
  const VortexState state = settled(table, *c.kinodynamics, world);
  std::vector<Vec3f> skin;
  Rng rng(2);
  for (const Vec3f p : c.parts[0].mesh.positions)  // in and about the muscles, and well outside
    skin.push_back(world[1].point((p - Vec3f{0.3f, 0, 0}) * static_cast<float>(rng.uniform(0, 8))));
  for (const vortex::Kernel& kernel : vortex::available()) {
    std::vector<Vec3f> moved = skin;
    const VortexJob job{&table, &state, &weights, moved, 1, &kernel};
    ASSERT_TRUE(job.validate().ok());
    job.run();
    double most = 0, fine = 0, apart = 0;
    for (std::uint32_t v = 0; v < skin.size(); ++v) {
      const float own[] = {v % 3 != 0 ? static_cast<float>(v % 5) / 4 : 0.0f, 1, 1};
      const Vec3d one = reference_flow(table, state, own, Vec3d(skin[v]), 1);
      const Vec3d two = reference_flow(table, state, own, Vec3d(skin[v]), 2);
      most = std::max(most, length(two - Vec3d(skin[v])));
      fine = std::max(fine, length(reference_flow(table, state, own, Vec3d(skin[v]), 8) - Vec3d(moved[v])));
      // A group takes one step or two.
      apart = std::max(apart, std::min(length(one - Vec3d(moved[v])), length(two - Vec3d(moved[v]))));
    }
    EXPECT_GT(most, 0.02);
    EXPECT_LT(apart, 1e-6) << kernel.name;        // positions of about 1 m: 6e-8 each, over 300 vortices and 8 stages
    EXPECT_LT(fine, 1e-2 * most) << kernel.name;  // what two steps of fourth order leave
  }
}

TEST(VortexJob, ThreadsDoNotMatter) {
  const Character c = three_muscles();
  const VortexTable table = build_vortex_table(c).value();
  const MuscleWeights weights = build_muscle_weights(c, 0);
  const auto world = placed(c, {});
  const VortexState state = settled(table, *c.kinodynamics, world);
  std::vector<Vec3f> one = c.parts[0].mesh.positions, many = one;
  VortexJob{&table, &state, &weights, one, 1, nullptr}.run();
  for (const unsigned threads : {2u, 3u, 0u}) {
    many = c.parts[0].mesh.positions;
    VortexJob{&table, &state, &weights, many, threads, nullptr}.run();
    EXPECT_EQ(one, many);
  }
  EXPECT_NE(one, c.parts[0].mesh.positions);
}

TEST(VortexJob, FarFromTheOriginItIsAsExact) {
  // Differences are taken before anything is multiplied: 1000 m away only the positions' own rounding is left.
  VortexMuscle m = free_muscle();
  m.gravity = {0, -9.81f, 0};
  Ball ball(m);
  const auto near = placed(ball.character, {}), far = placed(ball.character, {1000, 0, 0});
  const auto skin = ball.skin(near);
  ball.settle_at(far);
  const auto there = ball.skin(far);
  for (std::size_t v = 0; v < skin.size(); ++v)
    EXPECT_LT(length(there[v] - Vec3f{1000, 0, 0} - skin[v]), 1.5e-4f);  // floats there are 6e-5 m apart
}

TEST(VortexJob, OutOfReachNothingMoves) {
  VortexMuscle m = free_muscle();
  m.gravity = {0, -9.81f, 0};
  Character c = test::vortex_ball(m);
  for (Vec3f& p : c.parts[0].mesh.positions) p = (p - Vec3f{0.3f, 0, 0}) * 5.01f + Vec3f{0.3f, 0, 0};
  const VortexTable table = build_vortex_table(c).value();
  const MuscleWeights weights = build_muscle_weights(c, 0);
  const VortexState state = settled(table, *c.kinodynamics, placed(c, {}));
  std::vector<Vec3f> skin = c.parts[0].mesh.positions;
  VortexJob{&table, &state, &weights, skin, 1, nullptr}.run();
  EXPECT_EQ(skin, c.parts[0].mesh.positions);
  EXPECT_FALSE((VortexJob{&table, &state, &weights, std::span(skin).first(3), 1, nullptr}.validate().ok()));
  EXPECT_FALSE(VortexJob{}.validate().ok());
}

TEST(MuscleWeights, FollowTheSkinOfTheirJointsAndTwins) {
  Character limb = test::fleshy_limb();
  VortexMuscle m = free_muscle();
  m.skin_joints = {limb.skeleton.find("limb-0").value()};
  limb.kinodynamics.emplace();
  limb.kinodynamics->muscles.push_back(m);
  const MuscleWeights table = build_muscle_weights(limb, 0);
  const Part& part = limb.parts[0];
  std::vector<float> found(part.mesh.positions.size(), 0.0f), expected = found;
  for (std::size_t g = 0; g < table.groups(); ++g) {
    ASSERT_EQ(table.first[g + 1] - table.first[g], 1u);
    const MuscleWeights::Entry& e = table.entries[table.first[g]];
    for (std::size_t i = 0; i < vortex::lanes; ++i)
      found[table.vertices[g * vortex::lanes + i]] =
          e.weights == MuscleWeights::all_one ? 1.0f : table.weights[e.weights + i];
  }
  bool has_twin = false;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    for (const Influence& i : part.weights.of(v)) {
      const JointIndex joint = limb.skins[*part.skin].joints[i.joint];
      const bool is_twin = joint != m.skin_joints[0] && limb.skeleton.parent(joint) == m.skin_joints[0] &&
                           limb.skeleton.name(joint) != "limb-1";
      has_twin |= is_twin;
      if (joint == m.skin_joints[0] || is_twin) expected[v] += i.weight;
    }
    EXPECT_NEAR(found[v], expected[v], 2e-5f);
  }
  EXPECT_TRUE(has_twin);
}

TEST(MuscleShapes, AreTheMusclesSurfacesInTheWorld) {
  const Character c = three_muscles();
  const VortexTable table = build_vortex_table(c).value();
  const auto world = placed(c, {0, 0.4, 0}, from_axis_angle(Vec3d{0, 0, 1}, 0.3));
  VortexState state = settled(table, *c.kinodynamics, world);
  std::vector<Vec3f> shapes(table.surface.size());
  muscle_shapes(table, state, shapes);
  for (std::size_t m = 0; m < table.muscles.size(); ++m) {
    float only[3] = {0, 0, 0};
    only[m] = 1;
    for (std::size_t i = 0; i < table.muscles[m].points; ++i) {
      const std::size_t p = table.muscles[m].first_point + i;
      const Vec3d rest = state.muscles[m].frame.point(Vec3d(table.surface[p]));
      EXPECT_LT(length(Vec3d(shapes[p]) - reference_flow(table, state, only, rest, 2)), 1e-4);
    }
  }
  const std::span<const Triangle> triangles(table.triangles);
  EXPECT_TRUE(find_defects(shapes, triangles).closed());
}

}  // namespace
}  // namespace supple
