// Limits where the rig has none: what clips use, what shapes suggest.
#include "supple/rig/guessed_limits.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/rng.h"
#include "supple/rig/clip_sweeps.h"

namespace supple {
namespace {

constexpr double in_degrees = 180 / std::numbers::pi;

Quatd turned(Vec3d angles) {
  return from_axis_angle(Vec3d{1, 0, 0}, angles.x) * from_axis_angle(Vec3d{0, 1, 0}, angles.y) *
         from_axis_angle(Vec3d{0, 0, 1}, angles.z);
}

/// A chain along y, each joint 1 above the one before, bent by so many degrees about its own x at every joint but the
/// first, with a vertex at each joint.
Character chain(double bend_degrees, std::size_t joints = 4) {
  std::vector<RawJoint> raw;
  for (std::size_t j = 0; j < joints; ++j) {
    RawJoint joint{"joint-" + std::to_string(j), std::nullopt, {}, {}};
    if (j > 0) {
      joint.parent = j - 1;
      joint.rest.translation = {0, 1, 0};
      joint.rest.rotation = from_axis_angle(Vec3f{1, 0, 0}, static_cast<float>(bend_degrees / in_degrees));
    }
    raw.push_back(joint);
  }
  Character character;
  character.skeleton = build_skeleton(raw).value().skeleton;
  SkinBinding binding;
  Part part;
  part.name = "skin";
  for (JointIndex j = 0; j < joints; ++j) {
    binding.joints.push_back(j);
    binding.inverse_bind.emplace_back();
    part.mesh.positions.push_back({0, static_cast<float>(j), 0});
    part.weights.push_vertex(std::vector<Influence>{{j, 1.0f}});
  }
  part.skin = 0;
  character.skins.push_back(binding);
  character.parts.push_back(part);
  return character;
}

Clip turning(JointIndex joint, Vec3d angles) {
  const Quatd r = turned(angles);
  Clip clip{"turn", {}};
  clip.tracks.push_back({Channel::rotation, Interpolation::linear, joint, 4, {0, 1}, {}});
  clip.tracks[0].values = {0, 0, 0, 1};
  for (const double v : {r.x, r.y, r.z, r.w}) clip.tracks[0].values.push_back(static_cast<float>(v));
  return clip;
}

TEST(OwnAngles, MakeTheRotationAgainAndTurnLittle) {
  Rng rng(3);
  for (int i = 0; i < 1000; ++i) {
    const Vec3d wanted{rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-3, 3)};
    const Quatd r = turned(wanted);
    const Vec3d angles = own_angles(r);
    EXPECT_LT(angle_between(turned(angles), r), 1e-6);
    EXPECT_LE(length(angles), length(wanted) + 1e-9);
  }
  // More than a quarter turn about y alone stays one turn about y.
  const Vec3d beyond = own_angles(turned({0, 100 / in_degrees, 0}));
  EXPECT_NEAR(beyond.y * in_degrees, 100, 1e-6);
  EXPECT_NEAR(length(Vec3d{beyond.x, 0, beyond.z}), 0, 1e-6);
}

TEST(GuessedLimits, OfTheRigStayAsTheyAre) {
  Character character = chain(0);
  character.skeleton.set_dofs(2, {{"flexion", {1, 0, 0}, 0, 1}});
  const LimitsInUse limits = limits_in_use(character);
  EXPECT_EQ(limits.source, LimitSource::rig);
  EXPECT_EQ(limits.joints, 1u);
  EXPECT_EQ(limits.skeleton.dofs(2)[0].name, "flexion");
}

TEST(GuessedLimits, OfClipsReachALittleBeyondWhatIsPlayed) {
  Character character = chain(0);
  character.clips.push_back(turning(2, {50 / in_degrees, 0, 4 / in_degrees}));
  const LimitsInUse limits = limits_in_use(character);
  EXPECT_EQ(limits.source, LimitSource::clips);
  ASSERT_EQ(limits.joints, 1u);
  ASSERT_EQ(limits.skeleton.dofs(2).size(), 1u);  // four degrees about z come with the others, and are none to go alone
  const Dof dof = limits.skeleton.dofs(2)[0];
  EXPECT_EQ(dof.name, "x");
  EXPECT_NEAR(double{dof.max} * in_degrees, 55, 0.1);
  EXPECT_NEAR(double{dof.min}, 0, 1e-3);
}

TEST(GuessedLimits, OfShapeGoTheWayTheChainIsBent) {
  const LimitsInUse limits = limits_in_use(chain(20));
  EXPECT_EQ(limits.source, LimitSource::shape);
  EXPECT_TRUE(limits.skeleton.dofs(0).empty());  // it carries everything
  ASSERT_EQ(limits.skeleton.dofs(2).size(), 1u);
  const Dof hinge = limits.skeleton.dofs(2)[0];
  EXPECT_EQ(hinge.name, "x");
  EXPECT_GT(hinge.max, -3 * hinge.min);
  const Dof other_way = limits_in_use(chain(-20)).skeleton.dofs(2)[0];
  EXPECT_GT(-other_way.min, 3 * other_way.max);
}

TEST(GuessedLimits, OfAStraightChainGoEitherWayButNeverTwist) {
  const LimitsInUse limits = limits_in_use(chain(0));
  ASSERT_EQ(limits.skeleton.dofs(1).size(), 2u);
  for (const Dof& dof : limits.skeleton.dofs(1)) {
    EXPECT_NE(dof.name, "y");
    EXPECT_EQ(dof.max, -dof.min);
  }
}

TEST(GuessedLimits, PlansMadeByThemAreReadByTheRigAsItIs) {
  const Character character = chain(20);
  const auto plan = make_plan(limits_in_use(character).skeleton);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_TRUE(validate(*plan, character.skeleton));
}

TEST(ClipSweeps, ClipsWithoutANameOrWithOneNameAreToldApart) {
  Character character = chain(0);
  character.clips = {turning(1, {1, 0, 0}), turning(2, {1, 0, 0}), turning(3, {1, 0, 0})};
  for (Clip& clip : character.clips) clip.name = "";
  PosePlan plan;
  for (const Clip& clip : character.clips) ASSERT_TRUE(add_clip_sweeps(character, clip, {}, plan));
  EXPECT_EQ(plan.sweeps[0].name, "clip");
  EXPECT_EQ(plan.sweeps[1].name, "clip 2");
  EXPECT_EQ(plan.sweeps[2].name, "clip 3");
  EXPECT_TRUE(validate(plan, character.skeleton));
}

}  // namespace
}  // namespace supple
