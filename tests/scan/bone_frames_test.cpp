#include "supple/author/scan/bone_frames.h"

#include <gtest/gtest.h>

#include "scan/hand_scan.h"

namespace supple::scan {
namespace {

using make::Side;

struct HandAtRest {
  std::vector<ScanBone> bones;
  Affined placement;
  Skeleton skeleton;
};

/// The bones of a hand that lies anyhow, as a scan shows them.
HandAtRest hand_at_rest(Side side) {
  Rng rng(4);
  HandAtRest hand;
  hand.placement = test::random_placement(rng);
  hand.skeleton = make::hand_skeleton(make::hand_anatomy(), side).value();
  const std::vector<Affined> still(make::hand_anatomy().bones.size());
  const test::Pieces pieces = test::pieces_of(test::scanned_bones(still, hand.placement, {1.2, 0.03e-3, side}, rng));
  const BoneTemplate skeleton = make::hand_template(side);
  hand.bones = scan_bones(pieces.parts, skeleton, name_bones(pieces.parts, skeleton).value());
  return hand;
}
const HandAtRest& resting(Side side) {
  static const HandAtRest left = hand_at_rest(Side::left), right = hand_at_rest(Side::right);
  return side == Side::left ? left : right;
}

double degrees_between(Vec3d a, Vec3d b) {
  return std::acos(std::clamp(dot(normalized(a), normalized(b)), -1.0, 1.0)) / test::degree;
}

TEST(BoneFrames, FollowTheBones) {
  for (const Side side : {Side::right, Side::left}) {
    const HandAtRest& hand = resting(side);
    const std::vector<BoneFrame> frames = bone_frames(hand.bones, side == Side::right);
    const make::HandAnatomy anatomy = make::hand_anatomy();
    ASSERT_EQ(frames.size(), anatomy.bones.size());
    for (std::size_t b = 0; b < frames.size(); ++b) {
      const make::AnatomicalBone& bone = anatomy.bones[b];
      const Mat3d& axes = frames[b].axes.linear;
      EXPECT_NEAR(determinant(axes), 1, 1e-9);
      const auto direction = [&](Vec3d v) { return hand.placement.vector(make::to_model(v, side)); };
      const bool digit = bone.kind == make::BoneKind::digit;
      EXPECT_EQ(frames[b].source == FrameSource::isb, digit) << bone.joint;
      // Ends of modelled bones are not round: their centres lie off the bone's line by some tenths of a millimetre,
      // over 15 to 65 mm. A bone's plane of symmetry is blurred by noise and cells where its section is nearly round.
      EXPECT_LT(degrees_between(axes.c1, direction(-bone.along())), digit ? 4.5 : 8) << bone.joint;
      EXPECT_LT(degrees_between(axes.c0, direction(-bone.dorsal())), digit ? 6 : 10) << bone.joint;
      if (!digit) continue;
      const Vec3d middle = hand.placement.point(make::to_model(bone.at(0.5), side));
      // Joints' centres lie in the heads of the bones before: a bone begins beyond its own, and goes past the next.
      const Vec3d off = transpose(axes) * (frames[b].axes.translation - middle);
      EXPECT_LT(std::abs(off.y), 0.006) << bone.joint;
      EXPECT_LT(std::hypot(off.x, off.z), 0.001) << bone.joint;
      EXPECT_LT(frames[b].sd.y, 3 * test::degree) << bone.joint;
    }
  }
}

/// Motions of a pose as a perfect alignment would find them.
Alignment exact_alignment(const HandAtRest& hand, const Pose& pose) {
  Alignment alignment;
  for (const Affined& m : test::bone_motions(hand.skeleton, pose)) {
    BoneFit fit;
    fit.motion = hand.placement * m * inverse(hand.placement);
    alignment.bones.push_back(fit);
  }
  return alignment;
}

TEST(AnatomicalAngles, GrowWithTheJointsOnEitherSide) {
  for (const Side side : {Side::right, Side::left}) {
    const HandAtRest& hand = resting(side);
    const bool right = side == Side::right;
    const std::vector<BoneFrame> frames = bone_frames(hand.bones, right);
    const auto change = [&](const std::string& joint, const std::string& dof, double turned) {
      Pose pose = rest_pose(hand.skeleton);
      EXPECT_TRUE(rotate(pose, hand.skeleton, joint, dof, static_cast<float>(turned * test::degree)).ok());
      const auto bone = static_cast<std::size_t>(
          std::find_if(hand.bones.begin(), hand.bones.end(), [&](const ScanBone& x) { return x.name == joint; }) -
          hand.bones.begin());
      const JointFrames axes = joint_frames(hand.bones, frames, bone);
      const JointMotion moved = joint_motion(hand.bones, exact_alignment(hand, pose), bone);
      const AnatomicalAngles before = anatomical_angles(axes, {}, hand.bones[bone].facing, right),
                             after = anatomical_angles(axes, moved, hand.bones[bone].facing, right);
      return Vec3d{after.flexion - before.flexion, after.deviation - before.deviation,
                   after.rotation - before.rotation} /
             test::degree;
    };
    // The bones' axes are some degrees off the joints' own: a sixth of a turn shows up elsewhere by a tenth of it.
    for (const char* joint : {"index-finger-phalanx-intermediate", "ring-finger-phalanx-distal", "wrist",
                              "middle-finger-phalanx-proximal", "thumb-phalanx-distal"}) {
      const Vec3d bent = change(joint, "flexion", 40);
      EXPECT_NEAR(bent.x, 40, 2) << joint;
      EXPECT_LT(std::abs(bent.y), 6) << joint;
      EXPECT_LT(std::abs(bent.z), 6) << joint;
    }
    // Away from the middle finger: the little finger to the ulnar side, which is positive, the index to the other.
    EXPECT_NEAR(change("pinky-finger-phalanx-proximal", "abduction", 10).y, 10, 1);
    EXPECT_NEAR(change("index-finger-phalanx-proximal", "abduction", 10).y, -10, 1);
    EXPECT_NEAR(change("wrist", "abduction", 10).y, -10, 1);  // radial
  }
}

/// Rz Rx Ry in the proximal axes.
Mat3d composed(double flexion, double deviation, double rotation) {
  const auto turn = [](Vec3d axis, double angle) { return to_matrix(from_axis_angle(axis, angle)); };
  return turn({0, 0, 1}, flexion) * turn({1, 0, 0}, deviation) * turn({0, 1, 0}, rotation);
}

TEST(AnatomicalAngles, AreThoseOfTheSequence) {
  Rng rng(9);
  for (int i = 0; i < 100; ++i) {
    const double flexion = rng.uniform(-3, 3), deviation = rng.uniform(-1.4, 1.4), rotation = rng.uniform(-3, 3);
    const Mat3d proximal = test::random_turn(rng), distal = test::random_turn(rng);
    JointMotion motion;
    motion.motion.linear = proximal * composed(flexion, deviation, rotation) * transpose(distal);
    const JointFrames frames{proximal, distal, {}, {}, false};
    const AnatomicalAngles right = anatomical_angles(frames, motion, {}, true);
    EXPECT_NEAR(right.flexion, flexion, 1e-12);
    EXPECT_NEAR(right.deviation, deviation, 1e-12);
    EXPECT_NEAR(right.rotation, rotation, 1e-12);
    const AnatomicalAngles left = anatomical_angles(frames, motion, {}, false);
    EXPECT_NEAR(left.flexion, flexion, 1e-12);
    EXPECT_NEAR(left.deviation, -deviation, 1e-12);
    EXPECT_NEAR(left.rotation, -rotation, 1e-12);
  }
}

TEST(AnatomicalAngles, DeviationsAreOfTheSizeOfTheErrors) {
  // Turns by chance, different about each axis: over 4000 of them the spread of each angle is the stated deviation to 5
  // % (1.1 % by chance, the rest the bend of the formulas over 0.02 radians).
  Rng rng(2);
  const Mat3d proximal = test::random_turn(rng), distal = test::random_turn(rng);
  const Vec3d centre{0.01, 0.02, 0.03}, sd{0.02, 0.005, 0.012}, shift_sd{1e-4, 3e-4, 2e-4};
  JointMotion motion;
  motion.motion.linear = proximal * composed(0.7, 0.5, -0.3) * transpose(distal);
  motion.covariance.about = motion.motion.point(centre);
  for (std::size_t k = 0; k < 3; ++k) {
    motion.covariance.matrix[k][k] = sd[k] * sd[k];
    motion.covariance.matrix[k + 3][k + 3] = shift_sd[k] * shift_sd[k];
  }
  const JointFrames frames{proximal, distal, {}, {}, false};
  const AnatomicalAngles stated = anatomical_angles(frames, motion, centre, true);
  std::array<double, 6> squares{};
  constexpr int tries = 4000;
  for (int i = 0; i < tries; ++i) {
    const auto chance = [&](Vec3d deviation) {
      Vec3d v{};
      for (std::size_t k = 0; k < 3; ++k) {
        for (int n = 0; n < 12; ++n) v[k] += rng.uniform(-0.5, 0.5);
        v[k] *= deviation[k];
      }
      return v;
    };
    const Mat3d turn = to_matrix(exp_rotation(chance(sd)));
    const Vec3d about = motion.covariance.about;
    JointMotion strayed = motion;
    strayed.motion = Affined{turn, about + chance(shift_sd) - turn * about} * motion.motion;
    const AnatomicalAngles a = anatomical_angles(frames, strayed, centre, true);
    const std::array<double, 6> off{a.flexion - stated.flexion,   a.deviation - stated.deviation,
                                    a.rotation - stated.rotation, a.slide.x - stated.slide.x,
                                    a.slide.y - stated.slide.y,   a.slide.z - stated.slide.z};
    for (std::size_t k = 0; k < 6; ++k) squares[k] += off[k] * off[k] / tries;
  }
  const std::array<double, 6> claimed{stated.flexion_sd, stated.deviation_sd, stated.rotation_sd,
                                      stated.slide_sd.x, stated.slide_sd.y,   stated.slide_sd.z};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(std::sqrt(squares[k]) / claimed[k], 1, 0.05) << k;
}

}  // namespace
}  // namespace supple::scan
