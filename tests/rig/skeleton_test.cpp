#include "supple/rig/skeleton.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "supple/base/rng.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

std::vector<RawJoint> chain_backwards() {  // tip, middle, root: children before parents
  return {{"tip", 1, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
          {"middle", 2, {{0, 1, 0}, {}, {1, 1, 1}}, {}},
          {"root", std::nullopt, {}, {}}};
}

TEST(Skeleton, AnyOrderInTopologicalOrderInside) {
  const BuiltSkeleton built = build_skeleton(chain_backwards()).value();
  const Skeleton& s = built.skeleton;
  ASSERT_EQ(s.size(), 3u);
  EXPECT_EQ(s.name(0), "root");
  EXPECT_EQ(s.parent(0), no_joint);
  for (JointIndex j = 1; j < s.size(); ++j) EXPECT_LT(s.parent(j), j);
  EXPECT_EQ(built.remap.to_joint, (std::vector<JointIndex>{2, 1, 0}));
  EXPECT_EQ(built.remap.to_source, (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_TRUE(s.is_ancestor(0, 2));
  EXPECT_FALSE(s.is_ancestor(2, 0));
  EXPECT_EQ(s.children(0), std::vector<JointIndex>{1});
}

TEST(Skeleton, AListThatIsSortedStaysAsItIs) {
  std::vector<RawJoint> joints;
  Rng rng(1);
  for (std::size_t i = 0; i < 50; ++i) {
    RawJoint j;
    j.name = std::to_string(i);
    if (i > 0 && rng.below(5) != 0) j.parent = rng.below(static_cast<std::uint32_t>(i));
    joints.push_back(j);
  }
  const BuiltSkeleton built = build_skeleton(joints).value();
  for (JointIndex j = 0; j < 50; ++j) EXPECT_EQ(built.remap.to_joint[j], j);
}

TEST(Skeleton, BadInputIsNamed) {
  auto joints = chain_backwards();
  joints[2].parent = 0;  // a cycle
  EXPECT_NE(build_skeleton(joints).error().message().find("ancestor"), std::string::npos);
  joints = chain_backwards();
  joints[1].parent = 9;
  EXPECT_NE(build_skeleton(joints).error().message().find("middle"), std::string::npos);
  joints = chain_backwards();
  joints[0].rest.rotation = {0, 0, 0, 0};
  EXPECT_NE(build_skeleton(joints).error().message().find("tip"), std::string::npos);
  joints = chain_backwards();
  joints[0].rest.translation.x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(build_skeleton(joints));
  joints = chain_backwards();
  joints[0].dofs = {{"flexion", {1, 0, 0}, 1, -1}};
  EXPECT_NE(build_skeleton(joints).error().message().find("flexion"), std::string::npos);
  joints[0].dofs.assign(4, {"flexion", {1, 0, 0}, -1, 1});
  EXPECT_NE(build_skeleton(joints).error().message().find("at most three"), std::string::npos);
  EXPECT_TRUE(build_skeleton({}));
}

TEST(Skeleton, UnknownNamesAreAnsweredWithTheNearest) {
  const Skeleton s = build_skeleton(chain_backwards()).value().skeleton;
  EXPECT_EQ(s.require("tip").value(), 2u);
  EXPECT_NE(s.require("midle").error().message().find("did you mean middle?"), std::string::npos);
}

TEST(Pose, WorldTransformsFollowTheChain) {
  const Skeleton s = build_skeleton(chain_backwards()).value().skeleton;
  Pose pose = rest_pose(s);
  pose.local[1].rotation =
      from_axis_angle(Vec3f{0, 0, 1}, std::numbers::pi_v<float> / 2);  // middle turns by 90 degrees
  const std::vector<Affinef> world = to_world(s, pose);
  EXPECT_LT(length(world[1].translation - Vec3f{0, 1, 0}), 1e-6f);
  EXPECT_LT(length(world[2].translation - Vec3f{-1, 1, 0}), 1e-6f);  // the tip swings to -x
}

TEST(Pose, AnglesSetAndGetInvertEachOther) {
  auto joints = chain_backwards();
  joints[1].rest.rotation = normalized(Quatf{0.1f, 0.2f, 0.3f, 1});
  joints[1].dofs = {{"abduction", {0, 1, 0}, -1, 1}, {"flexion", {-1, 0, 0}, -1, 2}, {"twist", {0, 0, 1}, -1, 1}};
  const BuiltSkeleton built = build_skeleton(joints).value();
  const Skeleton& s = built.skeleton;
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    Pose pose = rest_pose(s);
    const float angles[3] = {static_cast<float>(rng.uniform(-1, 1)), static_cast<float>(rng.uniform(-1, 1.4)),
                             static_cast<float>(rng.uniform(-1, 1))};
    set_angles(pose, s, 1, angles);
    float residual = 1;
    const std::vector<float> back = get_angles(pose, s, 1, &residual);
    EXPECT_LT(residual, 1e-5f);
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(back[d], angles[d], 2e-5);  // float quaternions hold angles to about 1e-6
  }
}

TEST(Pose, AHingeReportsWhatItCannotReach) {
  auto joints = chain_backwards();
  joints[1].dofs = {{"flexion", {1, 0, 0}, -3, 3}};
  const Skeleton s = build_skeleton(joints).value().skeleton;
  Pose pose = rest_pose(s);
  pose.local[1].rotation = from_axis_angle(Vec3f{1, 0, 0}, 2.5f);
  float residual = 1;
  EXPECT_NEAR(get_angles(pose, s, 1, &residual)[0], 2.5, 1e-5);
  EXPECT_LT(residual, 1e-5f);
  pose.local[1].rotation = from_axis_angle(Vec3f{0, 1, 0}, 0.5f);
  EXPECT_NEAR(get_angles(pose, s, 1, &residual)[0], 0, 1e-4);
  EXPECT_NEAR(residual, 0.5, 1e-5);
}

TEST(Pose, ClampingAndNamedRotation) {
  auto joints = chain_backwards();
  joints[1].dofs = {{"flexion", {1, 0, 0}, -0.5f, 1}};
  const Skeleton s = build_skeleton(joints).value().skeleton;
  Pose pose = rest_pose(s);
  const float far = 3;
  set_angles(pose, s, 1, {&far, 1}, true);
  EXPECT_NEAR(get_angles(pose, s, 1)[0], 1, 1e-5);
  ASSERT_TRUE(rotate(pose, s, "middle", "flexion", 0.25f));
  EXPECT_NEAR(get_angles(pose, s, 1)[0], 0.25, 1e-5);
  EXPECT_NE(rotate(pose, s, "middle", "twist", 1).error().message().find("it has flexion"), std::string::npos);
  EXPECT_FALSE(rotate(pose, s, "nose", "twist", 1));
}

}  // namespace
}  // namespace supple
