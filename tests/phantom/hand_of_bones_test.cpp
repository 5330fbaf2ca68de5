#include <gtest/gtest.h>

#include <cmath>

#include "phantom/real_bones.h"
#include "supple/geometry/bvh.h"
#include "supple/phantom/bone_anatomy.h"
#include "supple/phantom/bone_names.h"
#include "supple/phantom/study.h"
#include "support/shapes.h"
#include "support/shared_data.h"

namespace supple::phantom {
namespace {

TEST(BoneNames, AreUnderstood) {
  const auto proximal = parse_bone_name("FMA24451_proximal_phalanx_of_right_index_finger");
  ASSERT_TRUE(proximal);
  EXPECT_EQ(proximal->kind, make::BoneKind::digit);
  EXPECT_EQ(proximal->digit, make::Digit::index);
  EXPECT_EQ(proximal->segment, make::Segment::proximal);
  EXPECT_TRUE(proximal->right);
  const auto middle = parse_bone_name("Middle phalanx of left ring finger");
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->digit, make::Digit::ring);
  EXPECT_EQ(middle->segment, make::Segment::middle);
  EXPECT_FALSE(middle->right);
  const auto third = parse_bone_name("FMA24468_right_third_metacarpal_bone");
  ASSERT_TRUE(third);
  EXPECT_EQ(third->digit, make::Digit::middle);
  EXPECT_EQ(third->segment, make::Segment::metacarpal);
  EXPECT_EQ(parse_bone_name("right_capitate")->kind, make::BoneKind::carpus);
  EXPECT_EQ(parse_bone_name("right_ulna")->kind, make::BoneKind::forearm);
  for (const char* name : {"capitate", "right_femur", "right_metacarpal", "phalanx_of_right_thumb", ""})
    EXPECT_FALSE(parse_bone_name(name)) << name;
}

TEST(HandOfBones, NamesWhatIsMissingOrWrong) {
  const Mesh ball = test::sphere(0.01, 8, 12);
  const auto problem = [](const std::vector<NamedSurface>& bones) {
    const auto hand = hand_of_bones(bones, {});
    return hand ? std::string() : hand.error().message();
  };
  EXPECT_NE(problem({{"right_ulna", ball}, {"left_radius", ball}}).find("other hand"), std::string::npos);
  EXPECT_NE(problem({{"right_ulna", ball}, {"spoon", ball}}).find("spoon"), std::string::npos);
  EXPECT_NE(problem({{"right_ulna", ball}}).find("wrist"), std::string::npos);
  Mesh open = ball;
  open.triangles.pop_back();
  EXPECT_NE(problem({{"right_ulna", open}}).find("closed"), std::string::npos);
  const std::string twice = "right_third_metacarpal";
  EXPECT_NE(problem({{twice, ball}, {twice, ball}}).find("twice"), std::string::npos);
}

constexpr double joint_space = 0.0012;

// One real hand for all tests below.
const Subject* real_hand() {
  static const std::optional<Subject> hand = [] {
    const auto folder = test::shared_data("bodyparts3d_right_hand_bones");
    std::optional<Subject> result;
    if (!std::filesystem::exists(folder)) return result;
    auto made = hand_of_bones(test::stl_folder(folder), {2000, joint_space});
    if (made)
      result = std::move(*made);
    else
      ADD_FAILURE() << made.error().message();
    return result;
  }();
  return hand ? &*hand : nullptr;
}
#define REQUIRE_REAL_HAND(hand)                                           \
  SUPPLE_REQUIRE_DATA(test::shared_data("bodyparts3d_right_hand_bones")); \
  const Subject* const hand = real_hand();                                \
  ASSERT_NE(hand, nullptr)

TEST(HandOfBones, IsClosedAroundAllBones) {
  REQUIRE_REAL_HAND(hand);
  ASSERT_EQ(hand->bones.size(), 21u);
  const Mesh& skin = hand->character.parts[0].mesh;
  EXPECT_TRUE(find_defects(skin.positions, skin.triangles).closed());
  EXPECT_GT(enclosed_volume(skin.positions, skin.triangles), 200e-6);  // a hand has some 350 ml
  const Bvh tree(skin.positions, skin.triangles);
  const Mesh& bones = hand->character.parts[1].mesh;
  double farthest = -1;
  for (const Vec3f p : bones.positions) farthest = std::max(farthest, double{tree.signed_distance(p)});
  // 2.2 mm of cover, less what chords of a mesh of 800 vertices cut off.
  EXPECT_LT(farthest, -0.0005);
  EXPECT_GT(enclosed_volume(bones.positions, bones.triangles), 20e-6);
}

TEST(HandOfBones, IsTurnedAsTheProceduralHand) {
  REQUIRE_REAL_HAND(hand);
  const Skeleton& skeleton = hand->character.skeleton;
  const std::vector<Affined> world = world_of(skeleton, rest_pose(skeleton));
  const auto at = [&](const char* joint) { return world[*skeleton.find(joint)].translation; };
  EXPECT_LT(at("middle-finger-tip").z, -0.15);                                   // fingers along -z
  EXPECT_LT(at("thumb-tip").x, at("pinky-finger-tip").x - 0.05);                 // a right hand, palm down
  EXPECT_LT(at("middle-finger-tip").y, at("middle-finger-phalanx-proximal").y);  // bent towards the palm
  EXPECT_LT(length(at("wrist")), 0.02);
  // Bones meet at the joints: their solids come within 6 mm of the centre of every finger joint.
  for (std::size_t b = 0; b < hand->bones.size(); ++b) {
    if (hand->bones[b].name == "forearm" || hand->bones[b].name == "wrist") continue;
    const double d = hand->bones[b].distance(world[hand->joint_of[b]].translation);
    EXPECT_LT(std::abs(d), 0.0085) << hand->bones[b].name;
  }
}

// No mineral of a bone comes nearer to another bone's than the joint space, and every bone gives way somewhere: the
// surfaces as they are drawn touch.
TEST(HandOfBones, StandApartByTheJointSpace) {
  REQUIRE_REAL_HAND(hand);
  const auto drawn = hand_of_bones(test::stl_folder(test::shared_data("bodyparts3d_right_hand_bones")), {2000, 0});
  ASSERT_TRUE(drawn) << drawn.error().message();
  for (std::size_t b = 0; b < hand->bones.size(); ++b) {
    const Solid &seen = hand->bones[b], &whole = drawn->bones[b];
    double nearest = 1, given_way = 0;
    constexpr int steps = 24;
    const Vec3d step = (seen.high - seen.low) / double{steps};
    for (int i = 0; i < steps * steps * steps; ++i) {
      const Vec3d p =
          seen.low + Vec3d{step.x * (i % steps), step.y * (i / steps % steps), step.z * (i / (steps * steps))};
      const double d = seen.distance(p);
      given_way = std::max(given_way, d - whole.distance(p));
      for (std::size_t other = 0; other < hand->bones.size() && d < 0; ++other) {
        const Solid& o = hand->bones[other];
        const Vec3d outside = max(max(o.low - p, p - o.high), Vec3d{});
        if (other != b && length(outside) < joint_space) nearest = std::min(nearest, o.distance(p));
      }
    }
    EXPECT_GT(nearest, 0.95 * joint_space) << seen.name;   // bones are curved: the middle is not quite a plane
    EXPECT_GT(given_way, 0.2 * joint_space) << seen.name;  // the forearm is drawn .5 mm from the carpus
  }
}

// Flexing by a joint's angle turns the next bone towards the palm, within limits that start where the bone rests.
TEST(HandOfBones, FlexionBendsFingersTowardsThePalm) {
  REQUIRE_REAL_HAND(hand);
  const Skeleton& skeleton = hand->character.skeleton;
  for (const char* finger : {"index-finger", "middle-finger", "ring-finger", "pinky-finger"}) {
    const std::string joint = std::string(finger) + "-phalanx-intermediate";
    const JointIndex j = *skeleton.find(joint), tip = *skeleton.find(std::string(finger) + "-tip");
    Pose pose = rest_pose(skeleton);
    ASSERT_TRUE(rotate(pose, skeleton, joint, "flexion", 0.5f));
    const Vec3d moved =
        world_of(skeleton, pose)[tip].translation - world_of(skeleton, rest_pose(skeleton))[tip].translation;
    EXPECT_LT(moved.y, -0.01) << finger;
    EXPECT_LT(std::abs(moved.x), 0.5 * std::abs(moved.y)) << finger;
    EXPECT_LE(skeleton.dofs(j)[0].min, 0);
    EXPECT_GT(skeleton.dofs(j)[0].max, 1);
  }
}

}  // namespace
}  // namespace supple::phantom
