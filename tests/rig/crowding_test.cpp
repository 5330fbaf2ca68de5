// Limbs that pass through each other, by capsules about their bones: two fingers beside each other on a palm.
#include "supple/rig/crowding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/rig/pose_plan.h"

namespace supple {
namespace {

constexpr float apart = 0.03f, length_of_finger = 0.1f, radius = 0.01f;
constexpr double degree = std::numbers::pi / 180;

/// Two fingers along z, `apart` from each other in x, that turn about y; around each a ring of skin, or two with one
/// as thick as a bone inside.
Character fingers_beside(bool with_bones = false) {
  Character c;
  const auto aside = [](float x, float z) {
    Transformf t;
    t.translation = {x, 0, z};
    return t;
  };
  const auto limit = static_cast<float>(90 * degree);
  const std::vector<RawJoint> joints = {
      {"palm", std::nullopt, {}, {}},
      {"left", 0, aside(0, 0), {{"aside", {0, 1, 0}, -limit, limit}}},
      {"left-tip", 1, aside(0, length_of_finger), {}},
      {"right", 0, aside(apart, 0), {{"aside", {0, 1, 0}, -limit, limit}}},
      {"right-tip", 3, aside(0, length_of_finger), {}},
  };
  c.skeleton = build_skeleton(joints)->skeleton;
  SkinBinding skin{"skin", {}, {}};
  const auto world = to_world(c.skeleton, rest_pose(c.skeleton));
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(inverse(world[j]));
  }
  c.skins.push_back(skin);
  for (const float thick : {radius, radius / 3}) {
    if (thick != radius && !with_bones) break;
    Part part;
    part.skin = 0;
    for (const JointIndex j : {*c.skeleton.find("left"), *c.skeleton.find("right")})
      for (int i = 0; i < 16; ++i) {
        const auto angle = static_cast<float>(2 * std::numbers::pi * i / 16);
        part.mesh.positions.push_back(world[j].translation +
                                      Vec3f{thick * std::cos(angle), thick * std::sin(angle), length_of_finger / 2});
        const Influence all[] = {{j, 1.0f}};
        part.weights.push_vertex(all);
      }
    c.parts.push_back(std::move(part));
  }
  return c;
}

Pose turned(const Character& c, double left, double right) {
  Pose pose = rest_pose(c.skeleton);
  (void)rotate(pose, c.skeleton, "left", "aside", static_cast<float>(left * degree));
  (void)rotate(pose, c.skeleton, "right", "aside", static_cast<float>(right * degree));
  return pose;
}

TEST(Crowding, IsHowDeepCapsulesAreInEachOther) {
  const Character c = fingers_beside();
  const Crowding crowding(c);
  EXPECT_EQ(crowding.deepest(rest_pose(c.skeleton)), 0);
  EXPECT_EQ(crowding.deepest(turned(c, -20, 20)), 0) << "away from each other";
  // The tip of the left one comes nearer to the axis of the right one by its length times the sine.
  for (const double angle : {4.0, 8.0, 14.0}) {
    const double distance = apart - length_of_finger * std::sin(angle * degree);
    const double expected = std::max(0.0, (2 * radius - distance) / radius);
    EXPECT_NEAR(crowding.deepest(turned(c, angle, 0)), expected, 1e-3) << angle;  // floats of the rig
  }
  EXPECT_NEAR(crowding.deepest(turned(c, 40, -40)), 2, 1e-3) << "axes cross: as deep as it gets";
}

// A mesh in centimetres under a node of scale .01: the skin's radii are in the mesh's unit, distances in the world's.
TEST(Crowding, DoesNotDependOnTheUnitOfTheMesh) {
  const Character c = fingers_beside();
  Character other = c;
  constexpr float hundred = 100;
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
    Transformf rest = c.skeleton.rest(j);
    rest.translation = rest.translation * hundred;
    if (j == 0) rest.scale = rest.scale * (1 / hundred);
    other.skeleton.set_rest(j, rest);
  }
  for (Affinef& bind : other.skins[0].inverse_bind) bind.translation = bind.translation * hundred;
  for (Vec3f& p : other.parts[0].mesh.positions) p = p * hundred;
  const Crowding crowding(c), of_other(other);
  for (const double angle : {8.0, 14.0, 40.0})
    EXPECT_NEAR(of_other.deepest(turned(other, angle, 0)), crowding.deepest(turned(c, angle, 0)), 1e-4) << angle;
}

TEST(Crowding, OfSeveralPartsTheThickestCounts) {
  const Character bare = fingers_beside(), bones = fingers_beside(true);
  EXPECT_DOUBLE_EQ(Crowding(bare).deepest(turned(bare, 12, 0)), Crowding(bones).deepest(turned(bones, 12, 0)));
}

TEST(Crowding, PlansLeaveLimbsRoom) {
  const Character c = fingers_beside();
  const Crowding crowding(c);
  const PlanOptions options{.coupled = 40, .held_out_random = 40, .grips = 30, .held_out_grips = 6};
  const auto crowded = [&](const PosePlan& plan) {
    std::size_t count = 0;
    for (const Sweep& sweep : plan.sweeps)
      for (const PlannedPose& pose : sweep.poses)
        if (pose.angles.size() > 1) count += crowding.deepest(pose_of(pose, c.skeleton)) > 0.36 ? 1 : 0;
    return count;
  };
  const PosePlan careless = *make_plan(c.skeleton, options), careful = *make_plan(c.skeleton, options, &crowding);
  EXPECT_EQ(careful.pose_count(), careless.pose_count());
  EXPECT_GT(crowded(careless), 20u);
  EXPECT_EQ(crowded(careful), 0u);
}

}  // namespace
}  // namespace supple
