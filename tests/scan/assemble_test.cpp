// Which scans have a say in the character: those to learn from, with every bone found.
#include "supple/author/scan/assemble.h"

#include <gtest/gtest.h>

#include "scan/hand_scan.h"
#include "supple/author/scan/pose_doubts.h"
#include "support/shapes.h"

namespace supple::scan {
namespace {

constexpr Vec3d hinge_at{0, 0, -0.02};

/// A root and a hinge on it, in a ball of skin that follows both.
struct Limb {
  std::vector<ScanBone> bones{2};
  std::vector<JointEstimate> joints{2};
  BoneTemplate skeleton;
  Naming naming;
  Mesh skin = supple::test::sphere(0.03, 12, 16);
  SkinWeights weights;
  std::vector<Alignment> alignments;
  std::vector<FoundPose> scans;

  Limb() {
    for (std::size_t b = 0; b < 2; ++b) {
      bones[b].name = b == 0 ? "root" : "hinge";
      bones[b].surface = supple::test::sphere(0.004, 8, 12, b == 0 ? Vec3d{} : hinge_at);
      bones[b].axes = Mat3d{};
      skeleton.bones.push_back({bones[b].name, b == 0 ? TemplateBone::none : 0u, {}, {}, {}});
    }
    bones[1].parent = 0;
    bones[1].facing = hinge_at;
    bones[1].dofs = {{"flexion", {-1, 0, 0}, -0.1f, 0.5f}};
    joints[1].centre = hinge_at;
    skeleton.bones[1].head = hinge_at;
    for (std::size_t b = 0; b < 2; ++b) naming.bones.push_back({static_cast<std::uint32_t>(b), {}, 0});
    weights = bind_base(skin, bones).value();
    alignments.reserve(8);  // scans point into it
  }
  void add(const std::string& name, Role role, double degrees, bool found = true) {
    const Mat3d turn = to_matrix(from_axis_angle(Vec3d{-1, 0, 0}, degrees * test::degree));
    BoneFit root, hinge;
    hinge.motion = {turn, hinge_at - turn * hinge_at};
    hinge.found = found;
    alignments.push_back({{root, hinge}});
    scans.push_back({name, role, &alignments.back(), skin.positions});
  }
  Result<Assembled> assembled() const { return assemble(skin, weights, bones, joints, skeleton, naming, scans, {}); }
};

TEST(Assemble, ScansThatAreHeldOutDoNotWidenLimits) {
  Limb limb;
  limb.add("bent", Role::train, 40);
  limb.add("fist", Role::test, 80);
  limb.add("lost", Role::train, 70, false);
  const auto made = limb.assembled();
  ASSERT_TRUE(made) << made.error().message();
  const Skeleton& skeleton = made->character.skeleton;
  const JointIndex hinge = *skeleton.find("hinge");
  EXPECT_NEAR(skeleton.dofs(hinge)[0].max, 40 * test::degree, 1e-5);  // the template has half a radian
  EXPECT_NEAR(skeleton.dofs(hinge)[0].min, -0.1, 1e-6);
  // They are posed all the same.
  const ExampleSet& set = made->examples;
  ASSERT_EQ(set.size(), 3u);
  const double angles[] = {40, 80, 70};
  for (std::size_t s = 0; s < 3; ++s)
    EXPECT_NEAR(get_angles(set.pose(s), skeleton, hinge)[0], angles[s] * test::degree, 1e-5);
}

TEST(Assemble, AScanWithALostBoneIsNotLearntFrom) {
  Limb limb;
  limb.add("bent", Role::train, 40);
  limb.add("cut", Role::train, 0, false);
  const auto made = limb.assembled();
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->examples.examples[0].role, Role::train);
  EXPECT_EQ(made->examples.examples[1].role, Role::test);
  const Warnings doubts = doubts_about(limb.bones, limb.scans);
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("scan 'cut'"), std::string::npos) << doubts[0];
  EXPECT_NE(doubts[0].find(": hinge;"), std::string::npos) << doubts[0];

  Limb none;
  none.add("cut", Role::train, 0, false);
  none.add("held", Role::test, 10);
  const auto failed = none.assembled();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().problem.find("'cut' has no hinge"), std::string::npos) << failed.error().problem;
}

TEST(PoseDoubts, TellTooFewPosesAndSuchThatTeachNothing) {
  Limb limb;
  limb.add("still", Role::train, 1.5);
  Warnings doubts = doubts_about(limb.bones, limb.scans);
  ASSERT_EQ(doubts.size(), 2u);
  EXPECT_EQ(doubts[0].find("only 2 poses"), 0u) << doubts[0];
  EXPECT_EQ(doubts[1].find("scan 'still': is the pose of the base"), 0u) << doubts[1];
  Limb good;
  good.add("bent", Role::train, 2.5);
  good.add("held", Role::test, 30);
  EXPECT_TRUE(doubts_about(good.bones, good.scans).empty());
}

}  // namespace
}  // namespace supple::scan
