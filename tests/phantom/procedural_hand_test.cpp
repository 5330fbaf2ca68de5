#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "supple/phantom/phantom.h"
#include "supple/phantom/study.h"

namespace supple::phantom {
namespace {

constexpr std::size_t few_vertices = 1000;

const Subject& right_hand() {
  static const Subject hand = *procedural_hand(true, few_vertices, false);
  return hand;
}

std::size_t bone(const Subject& hand, const std::string& name) {
  for (std::size_t b = 0; b < hand.bones.size(); ++b) {
    if (hand.bones[b].name == name) return b;
  }
  ADD_FAILURE() << "no bone " << name;
  return 0;
}

// The least, over a lattice of half a millimetre, of the larger of two bones' distances: half their gap.
double half_gap(const Solid& a, const Solid& b) {
  const Vec3d low = max(a.low, b.low), high = min(a.high, b.high);
  double least = 1;
  for (double x = low.x; x < high.x; x += 0.0005) {
    for (double y = low.y; y < high.y; y += 0.0005) {
      for (double z = low.z; z < high.z; z += 0.0005) {
        const double d = a.distance({x, y, z});
        if (d < least) least = std::min(least, std::max(d, b.distance({x, y, z})));
      }
    }
  }
  return least;
}

TEST(ProceduralHand, BonesAreThoseOfTheCharacter) {
  const Subject& hand = right_hand();
  ASSERT_EQ(hand.bones.size(), 21u);
  ASSERT_EQ(hand.joint_of.size(), hand.bones.size());
  const Part& surfaces = hand.character.parts[1];
  const SkinBinding& skin = hand.character.skins[*surfaces.skin];
  std::size_t checked = 0;
  for (std::size_t v = 0; v < surfaces.mesh.positions.size(); ++v) {
    const JointIndex joint = skin.joints[surfaces.weights.of(v)[0].joint];
    for (std::size_t b = 0; b < hand.bones.size(); ++b) {
      if (hand.joint_of[b] != joint) continue;
      const Vec3d p(surfaces.mesh.positions[v]);
      // The surfaces' vertices were projected to the same field.
      ASSERT_LT(std::abs(hand.bones[b].distance(p)), 1e-4) << hand.bones[b].name;
      ASSERT_EQ(min(p, hand.bones[b].low), hand.bones[b].low);
      ASSERT_EQ(max(p, hand.bones[b].high), hand.bones[b].high);
      ++checked;
    }
  }
  EXPECT_EQ(checked, surfaces.mesh.positions.size());
}

TEST(ProceduralHand, LeftIsTheMirrorImageOfRight) {
  const auto left = procedural_hand(false, few_vertices, false);
  ASSERT_TRUE(left);
  const Subject& right = right_hand();
  for (std::size_t b = 0; b < right.bones.size(); ++b) {
    const Vec3d middle = (right.bones[b].low + right.bones[b].high) / 2.0;
    for (const Vec3d offset : {Vec3d{}, Vec3d{0.004, 0.003, 0.01}, Vec3d{-0.02, 0.01, 0}}) {
      const Vec3d p = middle + offset;
      EXPECT_DOUBLE_EQ(right.bones[b].distance(p), left->bones[b].distance({-p.x, p.y, p.z}));
    }
  }
}

TEST(ProceduralHand, MetacarpalsTouchWhereAskedTo) {
  const auto touching = procedural_hand(true, few_vertices, true);
  ASSERT_TRUE(touching);
  const Subject& apart = right_hand();
  const std::string suffix = "-metacarpal";
  for (const auto& [a, b] : {std::pair{"index-finger", "middle-finger"}, std::pair{"middle-finger", "ring-finger"},
                             std::pair{"ring-finger", "pinky-finger"}}) {
    const std::size_t i = bone(apart, a + suffix), j = bone(apart, b + suffix);
    EXPECT_GT(half_gap(apart.bones[i], apart.bones[j]), 0.00005) << a;
    const double overlap = -2 * half_gap(touching->bones[i], touching->bones[j]);
    EXPECT_GT(overlap, 0.0002) << a;
    EXPECT_LT(overlap, 0.0005) << a;
  }
  // Knuckles stay apart.
  const std::size_t m = bone(apart, "index-finger-metacarpal"), p = bone(apart, "index-finger-phalanx-proximal");
  EXPECT_DOUBLE_EQ(half_gap(touching->bones[m], touching->bones[p]), half_gap(apart.bones[m], apart.bones[p]));
}

TEST(Study, HasTheListedAngles) {
  const Skeleton& skeleton = right_hand().character.skeleton;
  const std::vector<StudyPose> poses = study_poses(skeleton, 6, 0, 0);
  ASSERT_EQ(poses.size(), 1u + 6u + 2u);
  EXPECT_EQ(poses[0].name, "relaxed");
  EXPECT_EQ(poses[0].pose.local, rest_pose(skeleton).local);
  EXPECT_EQ(poses[1].name, "grasp");
  const auto index = *skeleton.find("index-finger-phalanx-intermediate");
  EXPECT_NEAR(get_angles(poses[1].pose, skeleton, index)[0], 40 * 3.14159265 / 180, 1e-5);
  std::set<std::string> names;
  for (std::size_t p = 0; p < poses.size(); ++p) {
    names.insert(poses[p].name);
    EXPECT_EQ(poses[p].held_out, p >= 7) << poses[p].name;
  }
  EXPECT_EQ(names.size(), poses.size());
}

TEST(Study, SeedsTurnEveryAngleALittle) {
  const Skeleton& skeleton = right_hand().character.skeleton;
  const auto listed = study_poses(skeleton, 4, 0, 0), varied = study_poses(skeleton, 4, 7, 0);
  const double most = 4 * 3.14159265 / 180 + 1e-4;
  std::size_t turned = 0;
  for (std::size_t p = 1; p < listed.size(); ++p) {
    for (JointIndex j = 0; j < skeleton.size(); ++j) {
      const auto a = get_angles(listed[p].pose, skeleton, j), b = get_angles(varied[p].pose, skeleton, j);
      for (std::size_t d = 0; d < a.size(); ++d) {
        EXPECT_LE(std::abs(a[d] - b[d]), most);
        turned += a[d] != b[d];
        EXPECT_GE(b[d], skeleton.dofs(j)[d].min - 1e-4f);
        EXPECT_LE(b[d], skeleton.dofs(j)[d].max + 1e-4f);
      }
    }
  }
  EXPECT_GT(turned, 100u);
}

TEST(Study, CentresWanderNoFartherThanAskedFor) {
  const Skeleton& skeleton = right_hand().character.skeleton;
  const double migration = 0.0008;
  const auto fixed = study_poses(skeleton, 4, 3, 0), wandering = study_poses(skeleton, 4, 3, migration);
  double farthest = 0;
  for (std::size_t p = 0; p < fixed.size(); ++p) {
    for (JointIndex j = 0; j < skeleton.size(); ++j) {
      EXPECT_EQ(fixed[p].pose.local[j].rotation, wandering[p].pose.local[j].rotation);
      EXPECT_EQ(fixed[p].pose.local[j].translation, skeleton.rest(j).translation);
      const Vec3d shift(wandering[p].pose.local[j].translation - fixed[p].pose.local[j].translation);
      farthest = std::max(farthest, length(shift));
      if (p == 0) {
        EXPECT_EQ(length(shift), 0);
      }
    }
  }
  EXPECT_LE(farthest, migration);
  EXPECT_GT(farthest, 0.5 * migration);  // the middle finger is bent by most of its range
}

}  // namespace
}  // namespace supple::phantom
