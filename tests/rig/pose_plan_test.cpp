// Plans from limits: where the angles lie, what is held out, and what is refused.
#include "supple/rig/pose_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

namespace supple {
namespace {

constexpr double radian = 180 / std::numbers::pi;

Dof dof(const char* name, Vec3f axis, double min, double max) {
  return {name, axis, static_cast<float>(min / radian), static_cast<float>(max / radian)};
}

Skeleton skeleton_of(std::vector<RawJoint> joints) { return build_skeleton(joints)->skeleton; }

/// A finger: a saddle joint, a hinge, a stiff tip.
Skeleton finger() {
  RawJoint root{"palm", std::nullopt, {}, {}};
  RawJoint knuckle{"knuckle", 0, {}, {dof("abduction", {0, 1, 0}, -15, 20), dof("flexion", {1, 0, 0}, -30, 80)}};
  knuckle.rest.rotation = from_axis_angle(Vec3f{0, 0, 1}, 0.3f);
  RawJoint hinge{"hinge", 1, {}, {dof("flexion", {1, 0, 0}, 0, 100)}};
  RawJoint tip{"tip", 2, {}, {}};
  return skeleton_of({root, knuckle, hinge, tip});
}

/// Angles of a sweep's poses of one role, in degrees.
std::vector<double> angles(const PosePlan& plan, const std::string& sweep_name, Role role) {
  std::vector<double> result;
  for (const Sweep& sweep : plan.sweeps) {
    if (sweep.name != sweep_name) continue;
    for (const PlannedPose& pose : sweep.poses) {
      if (pose.role == role) result.push_back(std::round(pose.angles.at(0).radians * radian * 1000) / 1000);
    }
  }
  return result;
}

TEST(PosePlan, WalksFromRestToBothLimitsAtEqualSpacing) {
  const auto plan = make_plan(finger(), {.off_axis = false, .held_out_random = 0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(angles(*plan, "knuckle.flexion+", Role::train), (std::vector<double>{20, 40, 60, 80}));
  EXPECT_EQ(angles(*plan, "knuckle.flexion-", Role::train), (std::vector<double>{-15, -30}));
  EXPECT_EQ(angles(*plan, "knuckle.abduction+", Role::train), (std::vector<double>{10, 20}));
  EXPECT_EQ(angles(*plan, "knuckle.abduction-", Role::train), (std::vector<double>{-15}));
  EXPECT_EQ(angles(*plan, "hinge.flexion+", Role::train), (std::vector<double>{16.67, 33.33, 50, 66.67, 83.33, 100}));
  EXPECT_EQ(plan->sweeps.size(), 5u);
  EXPECT_EQ(plan->pose_count(Role::train), 15u);
  EXPECT_EQ(plan->pose_count(Role::test), 3u);
  // Half-way between neighbours, in its place on the way.
  EXPECT_EQ(angles(*plan, "hinge.flexion+", Role::test), (std::vector<double>{58.34}));
  for (const Sweep& sweep : plan->sweeps) {
    for (std::size_t p = 1; p < sweep.poses.size(); ++p) {
      EXPECT_GT(std::abs(sweep.poses[p].angles[0].radians), std::abs(sweep.poses[p - 1].angles[0].radians));
    }
  }
}

TEST(PosePlan, SmallRangesGetFewerPoses) {
  RawJoint joint{"j", std::nullopt, {}, {dof("flexion", {1, 0, 0}, -2, 8)}};
  const auto plan = make_plan(skeleton_of({joint}), {.min_spacing = 4, .held_out_random = 0});
  ASSERT_TRUE(plan);
  EXPECT_EQ(angles(*plan, "j.flexion+", Role::train), (std::vector<double>{4, 8}));
  EXPECT_EQ(angles(*plan, "j.flexion-", Role::train), (std::vector<double>{-2}));
  EXPECT_EQ(angles(*plan, "j.flexion+", Role::test), (std::vector<double>{6}));
  joint.dofs = {dof("flexion", {1, 0, 0}, -5, 100)};  // the short side takes one of the six
  const auto uneven = make_plan(skeleton_of({joint}), {.held_out_random = 0});
  ASSERT_TRUE(uneven);
  EXPECT_EQ(angles(*uneven, "j.flexion-", Role::train), (std::vector<double>{-5}));
  EXPECT_EQ(angles(*uneven, "j.flexion+", Role::train), (std::vector<double>{20, 40, 60, 80, 100}));
  joint.dofs = {dof("flexion", {1, 0, 0}, 10, 40)};  // rest is outside the limits
  const auto beyond = make_plan(skeleton_of({joint}), {.poses_per_dof = 3, .held_out_random = 4});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(angles(*beyond, "j.flexion+", Role::train), (std::vector<double>{10, 20, 30, 40}));
  Warnings warnings;
  EXPECT_TRUE(validate(*beyond, skeleton_of({joint}), &warnings));
  EXPECT_TRUE(warnings.empty()) << warnings.front();
}

TEST(PosePlan, CombinesTheFreedomsOfAJointInsideItsLimits) {
  const auto plan = make_plan(finger(), {.held_out_random = 0});
  ASSERT_TRUE(plan);
  std::set<std::pair<bool, bool>> quadrants;
  std::size_t poses = 0;
  for (const Sweep& sweep : plan->sweeps) {
    for (const PlannedPose& pose : sweep.poses) {
      if (pose.tags.front() != "off-axis") continue;
      ASSERT_EQ(pose.angles.size(), 2u);
      EXPECT_EQ(pose.angles[0].joint, "knuckle");
      EXPECT_EQ(pose.role, Role::train);
      quadrants.insert({pose.angles[0].radians > 0, pose.angles[1].radians > 0});
      ++poses;
    }
  }
  EXPECT_EQ(poses, 6u);
  EXPECT_EQ(quadrants.size(), 4u);

  RawJoint ball{"ball",
                std::nullopt,
                {},
                {dof("x", {1, 0, 0}, -40, 40), dof("y", {0, 1, 0}, -30, 30), dof("z", {0, 0, 1}, -20, 20)}};
  const auto three = make_plan(skeleton_of({ball}), {.held_out_random = 0});
  ASSERT_TRUE(three);
  std::set<std::vector<bool>> octants;
  for (const Sweep& sweep : three->sweeps) {
    if (sweep.poses[0].angles.size() != 3) continue;
    const auto& a = sweep.poses[0].angles;
    octants.insert({a[0].radians > 0, a[1].radians > 0, a[2].radians > 0});
  }
  ASSERT_EQ(octants.size(), 4u);
  for (const auto& a : octants) {
    for (const auto& b : octants) {
      const int differ = (a[0] != b[0]) + (a[1] != b[1]) + (a[2] != b[2]);
      EXPECT_TRUE(differ == 0 || differ == 2);
    }
  }
}

TEST(PosePlan, RandomPosesFollowTheSeedAndStayInsideTheLimits) {
  const Skeleton rig = finger();
  const auto plan = make_plan(rig, {.held_out_random = 40, .seed = 3});
  const auto same = make_plan(rig, {.held_out_random = 40, .seed = 3});
  const auto other = make_plan(rig, {.held_out_random = 40, .seed = 4});
  ASSERT_TRUE(plan && same && other);
  EXPECT_EQ(*plan, *same);
  EXPECT_NE(*plan, *other);
  Warnings warnings;
  EXPECT_TRUE(validate(*plan, rig, &warnings));
  EXPECT_TRUE(warnings.empty());
  std::size_t random = 0;
  for (const Sweep& sweep : plan->sweeps) {
    for (const PlannedPose& pose : sweep.poses) {
      if (pose.tags.front() != "random") continue;
      ++random;
      EXPECT_EQ(pose.role, Role::test);
      EXPECT_EQ(pose.angles.size(), 3u);  // both joints
      EXPECT_LE(pose.angles[1].radians * radian, 0.8 * 80 + 0.01);
      EXPECT_GE(pose.angles[1].radians * radian, 0.8 * -30 - 0.01);
    }
  }
  EXPECT_EQ(random, 40u);
}

TEST(PosePlan, JointsWithoutFreedomsNeedARange) {
  const Skeleton stiff = skeleton_of({{"a", std::nullopt, {}, {}}, {"b", 0, {}, {}}});
  const auto refused = make_plan(stiff);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().remedy.find("--range"), std::string::npos);
  EXPECT_FALSE(make_plan(stiff, {.joints = {"b"}}));
  EXPECT_EQ(make_plan(finger(), {.joints = {"knukle"}}).error().remedy, "did you mean knuckle?");
  const auto plan = make_plan(stiff, {.held_out_random = 1, .joints = {"b"}, .default_range = 40});
  ASSERT_TRUE(plan);
  EXPECT_EQ(angles(*plan, "b.y-", Role::train), (std::vector<double>{-13.33, -26.67, -40}));
  const auto only = make_plan(finger(), {.held_out_random = 2, .joints = {"hinge"}});
  ASSERT_TRUE(only);
  for (const Sweep& sweep : only->sweeps) {
    for (const PlannedPose& pose : sweep.poses) EXPECT_EQ(pose.angles.at(0).joint, "hinge");
  }
  EXPECT_FALSE(make_plan(finger(), {.min_spacing = 0}));
  EXPECT_FALSE(make_plan(finger(), {.range_scale = 2}));
  const Dof bend = dof("bend", {1, 0, 0}, 0, 9);
  const auto doubled = make_plan(skeleton_of({{"a", std::nullopt, {}, {bend}}, {"a", 0, {}, {bend}}}));
  ASSERT_TRUE(doubled);
  EXPECT_FALSE(angles(*doubled, "a#1.bend+", Role::train).empty());
}

TEST(PosePlan, PosesAreWhatTheAnglesSay) {
  const Skeleton rig = finger();
  PlannedPose planned{"p", {{"knuckle", "flexion", 0.5f}, {"knuckle", "abduction", 0.2f}, {"tip", "z", 0.4f}}};
  const Pose pose = pose_of(planned, rig);
  const Quatf expected = from_axis_angle(Vec3f{0, 0, 1}, 0.3f) * from_axis_angle(Vec3f{0, 1, 0}, 0.2f) *
                         from_axis_angle(Vec3f{1, 0, 0}, 0.5f);
  EXPECT_LT(angle_between(pose.local[1].rotation, expected), 1e-6f);
  EXPECT_LT(angle_between(pose.local[3].rotation, from_axis_angle(Vec3f{0, 0, 1}, 0.4f)), 1e-6f);
  EXPECT_EQ(pose.local[2], rig.rest(2));
  // 0.5 there, then knuckle back to rest while the hinge goes to 0.3: the larger counts.
  const Sweep sweep{"s", {planned, {"q", {{"hinge", "flexion", 0.3f}}}}};
  EXPECT_NEAR(length(sweep), 1.0, 1e-6);
}

TEST(PosePlan, ValidationNamesSweepPoseAndJoint) {
  const Skeleton rig = finger();
  const auto problem = [&](const PlannedPose& pose) {
    const auto ok = validate({{{"sweep", {pose}}}}, rig);
    return ok ? std::string() : ok.error().message();
  };
  EXPECT_EQ(problem({"p", {{"hinge", "flexion", 1}}}), "");
  EXPECT_EQ(problem({"p", {{"hnige", "flexion", 1}}}),
            "sweep 'sweep', pose 'p', joint 'hnige': is not in the skeleton (did you mean hinge?)");
  EXPECT_EQ(problem({"p", {{"hinge", "flexon", 1}}}),
            "sweep 'sweep', pose 'p', joint 'hinge': has no degree of freedom 'flexon' (did you mean flexion?)");
  EXPECT_NE(problem({"p", {{"hinge", "flexion", 1}, {"hinge", "flexion", 2}}}).find("twice"), std::string::npos);
  EXPECT_NE(problem({"p", {{"hinge", "flexion", NAN}}}).find("not finite"), std::string::npos);
  EXPECT_NE(problem({"p", {}, Role::train, 0}).find("weight"), std::string::npos);
  EXPECT_NE(problem({"", {}}).find("has no name"), std::string::npos);
  EXPECT_FALSE(validate({}, rig));
  EXPECT_FALSE(validate({{{"a", {{"p", {}}}}, {"b", {{"p", {}}}}}}, rig)) << "two poses of one name";
  Warnings warnings;
  EXPECT_TRUE(validate({{{"s", {{"p", {{"hinge", "flexion", 2}}}}}}}, rig, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "sweep 's', pose 'p', joint 'hinge': flexion = 114.6 degrees is beyond its limits, 0 to 100");
}

TEST(PosePlan, CoupledPosesAreForTrainingAndNotThoseThatAreTestedWith) {
  const auto plan = make_plan(finger(), {.coupled = 5, .held_out_random = 5, .seed = 3});
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  std::vector<const PlannedPose*> coupled, random;
  for (const Sweep& sweep : plan->sweeps)
    for (const PlannedPose& pose : sweep.poses) {
      if (pose.tags.front() == "coupled") coupled.push_back(&pose);
      if (pose.tags.front() == "random") random.push_back(&pose);
      EXPECT_EQ(pose.weight, pose.tags.front() == "off-axis" ? 0.25f : 1.0f) << pose.name;
    }
  ASSERT_EQ(coupled.size(), 5u);
  ASSERT_EQ(random.size(), 5u);
  for (const PlannedPose* c : coupled) {
    EXPECT_EQ(c->role, Role::train);
    for (const PlannedPose* r : random) EXPECT_NE(c->angles, r->angles);
  }
  EXPECT_FALSE(make_plan(finger(), {.coupled = -1}).ok());
}

TEST(PosePlan, HalfATurnEitherWayIsOnePose) {
  RawJoint joint{"twist", std::nullopt, {}, {{"twist", {0, 1, 0}, -3.14159265f, 3.14159265f}}};
  const auto plan = make_plan(skeleton_of({joint}), {.held_out_between = 0, .held_out_random = 0});
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  std::size_t half_turns = 0;
  for (const Sweep& sweep : plan->sweeps)
    for (const PlannedPose& pose : sweep.poses)
      half_turns += std::abs(std::abs(pose.angles[0].radians) - 3.14159f) < 1e-3f;
  EXPECT_EQ(half_turns, 1u);
}

/// A palm with three fingers of two joints.
Skeleton claw() {
  std::vector<RawJoint> joints{{"palm", std::nullopt, {}, {}}};
  for (int f = 0; f < 3; ++f) {
    const std::string name = "finger" + std::to_string(f);
    joints.push_back({name, 0, {}, {{"flexion", {1, 0, 0}, -0.2f, 1.5f}, {"abduction", {0, 1, 0}, -0.3f, 0.3f}}});
    joints.push_back({name + "-tip", joints.size() - 1, {}, {{"flexion", {1, 0, 0}, 0, 1.2f}}});
  }
  return build_skeleton(joints).value().skeleton;
}

TEST(PosePlan, GripsTurnAllJointsAtOnce) {
  const PosePlan plan = make_plan(claw(), {.grips = 12, .held_out_grips = 3}).value();
  std::size_t train = 0, test = 0;
  std::set<std::string> kinds;
  for (const Sweep& sweep : plan.sweeps) {
    if (sweep.poses[0].tags[0] != "grip") continue;
    ASSERT_EQ(sweep.poses.size(), 3u);
    kinds.insert(sweep.poses[0].tags.back());
    for (const PlannedPose& pose : sweep.poses) {
      ++(pose.role == Role::train ? train : test);
      EXPECT_EQ(pose.angles.size(), 9u) << pose.name;
    }
    // On the way from rest: a third, two thirds, all of it, but for the rounding to hundredths of a degree.
    for (std::size_t a = 0; a < 9; ++a)
      EXPECT_NEAR(3 * sweep.poses[0].angles[a].radians, sweep.poses[2].angles[a].radians, 6e-4f);
    // The joints of a finger bend together.
    for (std::size_t f = 0; f < 3; ++f) {
      const double root = double{sweep.poses[2].angles[3 * f].radians} / 1.5,
                   tip = double{sweep.poses[2].angles[3 * f + 2].radians} / 1.2;
      EXPECT_GE(root, 0);
      EXPECT_NEAR(root, tip, 0.15) << sweep.name;
    }
  }
  EXPECT_EQ(train, 12u);
  EXPECT_EQ(test, 3u);
  EXPECT_EQ(kinds, (std::set<std::string>{"grip", "pinch", "point", "spread"}));
  EXPECT_EQ(make_plan(claw(), {.grips = 12, .held_out_grips = 3}).value(), plan);
  EXPECT_FALSE(make_plan(claw(), {.grips = -1}).ok());
  for (const Sweep& sweep : make_plan(finger(), {.grips = 12}).value().sweeps)
    EXPECT_NE(sweep.poses[0].tags.front(), "grip") << "a single row has no grip";
}

TEST(PosePlan, HalfATurnEitherWayIsOnePoseAndLeavesNoEmptySweep) {
  RawJoint root{"root", std::nullopt, {}, {}};
  RawJoint wheel{"wheel", 0, {}, {dof("twist", {0, 1, 0}, -180, 180)}};
  PlanOptions options;
  options.poses_per_dof = 2;
  const auto plan = make_plan(skeleton_of({root, wheel}), options);
  ASSERT_TRUE(plan) << plan.error().message();
  for (const Sweep& sweep : plan->sweeps) EXPECT_FALSE(sweep.poses.empty()) << sweep.name;
}

}  // namespace
}  // namespace supple
