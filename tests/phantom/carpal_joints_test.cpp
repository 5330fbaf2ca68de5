#include "supple/phantom/carpal_joints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phantom/real_bones.h"
#include "supple/base/angle.h"
#include "supple/base/twist.h"
#include "supple/phantom/study.h"
#include "support/shared_data.h"

namespace supple::phantom {
namespace {

/// Turn of a motion about an axis through a point, degrees; the axis is a rotation vector's.
Vec3d turn_of(const Affined& motion) { return log_rotation(from_matrix(motion.linear)) / degree; }

const Subject* moving_hand() {
  static const std::optional<Subject> hand = [] {
    std::optional<Subject> result;
    const auto folder = test::shared_data("bodyparts3d_right_hand_bones");
    if (!std::filesystem::exists(folder)) return result;
    auto made = hand_of_bones(test::stl_folder(folder), {2000, 0.0012, true});
    if (made)
      result = std::move(*made);
    else
      ADD_FAILURE() << made.error().message();
    return result;
  }();
  return hand ? &*hand : nullptr;
}

class MovingCarpals : public testing::Test {
 protected:
  void SetUp() override {
    SUPPLE_REQUIRE_DATA(test::shared_data("bodyparts3d_right_hand_bones"));
    hand_ = moving_hand();
    ASSERT_NE(hand_, nullptr);
  }
  const Skeleton& skeleton() const { return hand_->character.skeleton; }
  /// Rest to the pose in which these angles are set, degrees.
  std::vector<PosedTruth> posed(const std::vector<std::tuple<std::string, std::string, double>>& turns) const {
    PoseOptions options;
    options.flesh = false;
    options.given = {{"given", true, rest_pose(skeleton())}};
    for (const auto& [joint, dof, angle] : turns)
      EXPECT_TRUE(rotate(options.given[0].pose, skeleton(), joint, dof, static_cast<float>(angle * degree)));
    auto truths = pose_subject(*hand_, options);
    EXPECT_TRUE(truths) << truths.error().message();
    return std::move(*truths);
  }
  Affined motion(const PosedTruth& truth, const std::string& bone) const {
    for (std::size_t b = 0; b < hand_->bones.size(); ++b)
      if (hand_->bones[b].name == bone) return truth.bones[b];
    ADD_FAILURE() << bone;
    return {};
  }
  Vec3d centre(const std::string& joint) const {
    return world_of(skeleton(), rest_pose(skeleton()))[*skeleton().find(joint)].translation;
  }

  const Subject* hand_ = nullptr;
};

TEST_F(MovingCarpals, AreTwentyNineBonesWithNamesOfTheirOwn) {
  ASSERT_EQ(hand_->bones.size(), 29u);
  for (const char* name : {"radius", "ulna", "capitate", "hamate", "trapezium", "trapezoid", "scaphoid", "lunate",
                           "triquetrum", "pisiform"})
    motion(posed({})[0], name);
}

TEST_F(MovingCarpals, TheWristsFlexionIsDividedBetweenTheRows) {
  const auto truths = posed({{"wrist", "flexion", 30}});
  ASSERT_EQ(truths.size(), 2u);
  EXPECT_EQ(truths[0].name, "relaxed");
  EXPECT_TRUE(truths[1].held_out);
  const PosedTruth& flexed = truths[1];
  EXPECT_NEAR(length(turn_of(motion(flexed, "radius"))), 0, 1e-4);
  EXPECT_NEAR(length(turn_of(motion(flexed, "capitate"))), 30, 1e-3);  // joints are floats
  EXPECT_NEAR(length(turn_of(motion(flexed, "scaphoid"))), 0.70 * 30, 1e-3);
  EXPECT_NEAR(length(turn_of(motion(flexed, "lunate"))), 0.46 * 30, 1e-3);
  for (const char* same : {"hamate", "trapezium", "trapezoid", "middle-finger-metacarpal"})
    EXPECT_NEAR(length(turn_of(inverse(motion(flexed, "capitate")) * motion(flexed, same))), 0, 1e-3) << same;
  // All about the head of the capitate.
  for (const char* bone : {"capitate", "scaphoid", "lunate", "triquetrum", "pisiform"})
    EXPECT_LT(length(motion(flexed, bone).point(centre("wrist")) - centre("wrist")), 1e-6) << bone;
}

TEST_F(MovingCarpals, DeviationBendsTheRowNextToTheForearm) {
  const PosedTruth deviated = posed({{"wrist", "abduction", 15}})[1];
  // To the thumb's side, which is -x in a right hand: the lunate goes to the palm, which is -y, as well.
  const Mat3d axes = world_of(skeleton(), rest_pose(skeleton()))[*skeleton().find("wrist")].linear;
  const Vec3d lunate = transpose(axes) * turn_of(motion(deviated, "lunate"));
  EXPECT_NEAR(-lunate.x, 0.35 * 15, 0.3);  // flexion is about -x; two turns of a few degrees do not quite add up
  EXPECT_NEAR(std::abs(lunate.y), 0.40 * 15, 0.3);
}

TEST_F(MovingCarpals, PronationTurnsTheUlnaSeenFromTheRadius) {
  const PosedTruth turned = posed({{"ulna", "pronation", 40}})[1];
  EXPECT_NEAR(length(turn_of(motion(turned, "radius"))), 0, 1e-4);
  EXPECT_NEAR(length(turn_of(motion(turned, "capitate"))), 0, 1e-4);
  const Vec3d turn = turn_of(motion(turned, "ulna"));
  EXPECT_NEAR(length(turn), 40, 1e-3);
  EXPECT_LT(length(motion(turned, "ulna").point(centre("ulna")) - centre("ulna")), 1e-6);
  // The palm of a right hand turns down as its thumb goes to the left of who looks along the arm (-z): about +z. Seen
  // from the radius the ulna turns the other way, about the forearm, within 15 degrees of its length.
  EXPECT_LT(turn.z, -40 * std::cos(15 * degree));
}

TEST_F(MovingCarpals, TheStudyMovesThemAll) {
  const auto poses = study_poses(skeleton(), 4, 1, 0);
  for (const char* name : {"wrist", "ulna", "scaphoid", "lunate", "triquetrum", "pisiform", "ring-finger-metacarpal",
                           "pinky-finger-metacarpal", "thumb-metacarpal"}) {
    const JointIndex j = *skeleton().find(name);
    const bool moves = std::any_of(poses.begin(), poses.end(), [&](const StudyPose& pose) {
      const Quatf q = conjugate(skeleton().rest(j).rotation) * pose.pose.local[j].rotation;
      return 2 * std::atan2(length(q.xyz()), std::abs(q.w)) > 0.07f;  // 4 degrees
    });
    EXPECT_TRUE(moves) << name;
  }
}

TEST_F(MovingCarpals, PosesOfOnesChoiceNeedNamesOfTheirOwn) {
  PoseOptions options;
  options.flesh = false;
  for (const char* name : {"relaxed", ""}) {
    options.given = {{name, false, rest_pose(skeleton())}};
    EXPECT_FALSE(pose_subject(*hand_, options)) << name;
  }
  options.given = {{"a", false, rest_pose(skeleton())}, {"a", false, rest_pose(skeleton())}};
  EXPECT_FALSE(pose_subject(*hand_, options));
  options.given = {{"a", false, {}}};
  EXPECT_FALSE(pose_subject(*hand_, options));
}

TEST(MovingCarpalsOfNothing, LeaveOtherSkeletonsAlone) {
  const Skeleton plain = make::hand_skeleton(make::hand_anatomy(), make::Side::left).value();
  Pose pose = rest_pose(plain);
  ASSERT_TRUE(rotate(pose, plain, "wrist", "flexion", 0.3f));
  const Pose before = pose;
  carry_carpals(plain, pose);
  EXPECT_EQ(pose.local, before.local);
}

}  // namespace
}  // namespace supple::phantom
