#include "supple/author/scan/joints.h"

#include <gtest/gtest.h>

#include <numbers>

#include "scan/hand_scan.h"
#include "supple/author/scan/pose_doubts.h"

namespace supple::scan {
namespace {

Affined about(Vec3d centre, Vec3d axis, double degrees) {
  const Mat3d turn = to_matrix(from_axis_angle(normalized(axis), degrees * test::degree));
  return {turn, centre - turn * centre};
}

BoneFit fit_of(const Affined& motion) {
  BoneFit fit;
  fit.motion = motion;
  fit.overlap = 1;
  return fit;
}

/// Says that the bone's place is known to so many metres along each axis, its turn exactly.
void state_shift_noise(BoneFit& fit, double sd) {
  for (std::size_t k = 3; k < 6; ++k) fit.covariance.matrix[k][k] = sd * sd;
}

/// A root, a hinge on it, and a ball joint on that; no surfaces are needed here.
constexpr Vec3d pin_at{0.01, 0.02, 0.03}, ball_at{0.01, 0.02, -0.01};
std::vector<ScanBone> three_bones() {
  std::vector<ScanBone> bones(3);
  bones[0].name = "root";
  bones[1].name = "hinge";
  bones[1].parent = 0;
  bones[1].facing = pin_at + Vec3d{0.002, 0.001, -0.003};
  bones[1].axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  bones[1].dofs = {{"flexion", {-1, 0, 0}, -0.1f, 1.0f}};
  bones[2].name = "ball";
  bones[2].parent = 1;
  bones[2].facing = ball_at + Vec3d{0, 0.003, 0};
  bones[2].dofs = {{"abduction", {0, 1, 0}, -0.3f, 0.3f}, {"flexion", {-1, 0, 0}, -0.5f, 1.5f}};
  return bones;
}

/// The whole lies elsewhere in every scan; the hinge turns about one axis, the ball about several.
std::vector<Alignment> three_scans(Vec3d hinge_axis = {-1, 0, 0}) {
  std::vector<Alignment> scans;
  Rng rng(3);
  for (int s = 0; s < 4; ++s) {
    const Affined root = test::random_placement(rng);
    const Affined hinge = root * about(pin_at, hinge_axis, 15.0 + 20 * s);
    const Affined ball =
        hinge * about(ball_at, {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}, 20 + 10 * s);
    scans.push_back({{fit_of(root), fit_of(hinge), fit_of(ball)}});
  }
  return scans;
}

TEST(Joints, CentresAreExactWithoutNoise) {
  // No motion counts as known to better than 1e-7 m: 3 mm of doubt about the facing ends pull by 1e-12 m or so.
  const std::vector<ScanBone> bones = three_bones();
  const std::vector<JointEstimate> joints = estimate_joints(bones, three_scans());
  ASSERT_EQ(joints.size(), 3u);
  // A ball joint shows all of its centre.
  EXPECT_EQ(joints[2].seen, 3);
  EXPECT_LT(length(joints[2].centre - ball_at), 1e-10);
  EXPECT_LT(joints[2].residual, 1e-10);
  // A hinge cannot see along its axis: there the prior stays.
  EXPECT_EQ(joints[1].seen, 2);
  EXPECT_NEAR(joints[1].centre.x, bones[1].facing.x, 1e-10);
  EXPECT_NEAR(joints[1].centre.y, pin_at.y, 1e-10);
  EXPECT_NEAR(joints[1].centre.z, pin_at.z, 1e-10);
  EXPECT_NEAR(joints[1].uncertainty.x, 0.003, 1e-9);  // what is said of the prior
  EXPECT_LT(joints[1].uncertainty.y, 1e-6);
  EXPECT_NEAR(joints[1].along_axis, 0.003, 1e-9);
  EXPECT_LT(joints[1].across_axis, 1e-6);
  EXPECT_LT(joints[2].along_axis, 1e-6);
  EXPECT_LT(length(joints[1].axis - Vec3d{-1, 0, 0}), 1e-9);
  EXPECT_LT(joints[1].axis_spread, 1e-6);
  EXPECT_GT(joints[2].axis_spread, 0.1);
}

// Along the axes of the scan a hinge that lies askew is uncertain everywhere; across its own axis it is not.
TEST(Joints, UncertaintyOfAHingeIsStatedAlongAndAcrossItsAxis) {
  std::vector<Alignment> scans = three_scans({-1, 1, 1});
  const double noise = 1e-4;
  for (Alignment& scan : scans) state_shift_noise(scan.bones[1], noise);
  const JointEstimate hinge = estimate_joints(three_bones(), scans)[1];
  EXPECT_EQ(hinge.seen, 2);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_GT(hinge.uncertainty[k], 0.0017);  // 3 mm / sqrt(3)
  EXPECT_NEAR(hinge.along_axis, 0.003, 1e-6);
  // Four turns of 15 to 75 degrees: the noise over sqrt(sum of (2 sin(a / 2))^2).
  double turns = 0;
  for (int s = 0; s < 4; ++s) turns += std::pow(2 * std::sin((15.0 + 20 * s) / 2 * test::degree), 2);
  EXPECT_NEAR(hinge.across_axis, noise / std::sqrt(turns), 1e-7);  // the facing ends say a little there, too
  const JointEstimate still = estimate_joints(three_bones(), {})[1];
  EXPECT_DOUBLE_EQ(still.along_axis, 0.003);
  EXPECT_DOUBLE_EQ(still.across_axis, 0.003);
}

// What a turn shows of its centre is a matter of noise, not of degrees: two of them are enough where the bones are
// found to a hundredth of a millimetre, and next to nothing where half a millimetre is left open.
TEST(Joints, NoiseDecidesWhatASmallTurnShows) {
  const std::vector<ScanBone> bones = three_bones();
  std::vector<Alignment> scans{{{fit_of({}), fit_of(about(pin_at, {1, 0, 0}, 2)), fit_of({})}}};
  state_shift_noise(scans[0].bones[1], 1e-5);
  const JointEstimate clean = estimate_joints(bones, scans)[1];
  EXPECT_EQ(clean.seen, 2);
  EXPECT_NEAR(clean.centre.y, pin_at.y, 1e-4);
  EXPECT_NEAR(clean.centre.z, pin_at.z, 1e-4);
  EXPECT_NEAR(clean.uncertainty.y, 1e-5 / (2 * std::sin(1 * test::degree)), 2e-5);
  EXPECT_EQ(clean.axis, (Vec3d{}));  // too little to tell a direction by
  state_shift_noise(scans[0].bones[1], 5e-4);
  const JointEstimate noisy = estimate_joints(bones, scans)[1];
  EXPECT_EQ(noisy.seen, 0);
  EXPECT_LT(length(noisy.centre - bones[1].facing), 2e-4);
  EXPECT_GT(noisy.uncertainty.y, 0.0029);
  // No scan at all: the same.
  EXPECT_EQ(estimate_joints(bones, {})[2].centre, bones[2].facing);
}

TEST(Joints, ScansInWhichABoneWasNotFoundSayNothing) {
  std::vector<Alignment> scans = three_scans();
  scans[1].bones[2].motion = scans[1].bones[2].motion * about(ball_at + Vec3d{0.02, 0, 0}, {0, 0, 1}, 50);
  EXPECT_GT(length(estimate_joints(three_bones(), scans)[2].centre - ball_at), 1e-4);
  scans[1].bones[2].found = false;
  EXPECT_LT(length(estimate_joints(three_bones(), scans)[2].centre - ball_at), 1e-10);
}

TEST(Joints, ACentreThatIsGivenIsMeasuredWhereItIs) {
  const std::vector<ScanBone> bones = three_bones();
  std::vector<Alignment> scans = three_scans();
  const std::vector<JointEstimate> found = estimate_joints(bones, scans);
  JointEstimate moved = found[1];
  const double off = 0.02;  // across the axis: a turn by a carries the centre 2 off sin(a / 2)
  place_centre(bones, scans, 1, found[1].centre + Vec3d{0, off, 0}, moved);
  double squares = 0;
  for (int s = 0; s < 4; ++s) squares += std::pow(2 * off * std::sin((15.0 + 20 * s) / 2 * test::degree), 2);
  EXPECT_NEAR(moved.residual, std::sqrt(squares / 4), 1e-12);
  EXPECT_EQ(moved.worst_scan, 3u);
  EXPECT_EQ(moved.seen, found[1].seen);
  // Scans that do not show the bone have no say in that either.
  scans[3].bones[1].found = false;
  place_centre(bones, scans, 1, moved.centre, moved);
  EXPECT_EQ(moved.worst_scan, 2u);
  // Back where it was found.
  place_centre(bones, three_scans(), 1, found[1].centre, moved);
  EXPECT_DOUBLE_EQ(moved.residual, found[1].residual);
}

TEST(Joints, ACentreFarFromItsBonesIsDoubted) {
  std::vector<ScanBone> bones = three_bones();
  for (ScanBone& bone : bones) bone.tail = bone.facing + Vec3d{0, 0, -0.04};
  const std::vector<Alignment> scans = three_scans();
  std::vector<JointEstimate> joints = estimate_joints(bones, scans);
  EXPECT_TRUE(doubts_about_joints(bones, joints).empty());
  place_centre(bones, scans, 1, joints[1].prior + Vec3d{0, 0, 0.015}, joints[1]);  // still in the bone
  EXPECT_TRUE(doubts_about_joints(bones, joints).empty());
  place_centre(bones, scans, 1, joints[1].prior + Vec3d{0, 0.5, 0}, joints[1]);
  const Warnings doubts = doubts_about_joints(bones, joints);
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("joint 'hinge': its centre lies 500 mm"), std::string::npos) << doubts[0];
  EXPECT_NE(doubts[0].find("the bone is 40 mm long"), std::string::npos) << doubts[0];
}

TEST(Joints, ASlidingJointIsToldByItsResidual) {
  std::vector<ScanBone> bones = three_bones();
  bones[2].slides = true;
  std::vector<Alignment> scans = three_scans();
  const double slip = 0.002;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    scans[s].bones[2].motion.translation += Vec3d{0, 0, s % 2 == 0 ? slip : -slip};
  }
  const JointEstimate joint = estimate_joints(bones, scans)[2];
  EXPECT_TRUE(joint.slides);
  // The slip makes the centre uncertain by more than half a millimetre: the facing ends, 3 mm off, keep it, and turns
  // of up to 50 degrees about a centre 3 mm away add 2.5 mm to what is left.
  EXPECT_GT(joint.residual, 0.3 * slip);
  EXPECT_LE(joint.residual, slip + 0.0025);
  EXPECT_EQ(joint.seen, 0);
  EXPECT_GE(joint.worst, joint.residual);
  EXPECT_LT(joint.worst_scan, scans.size());
}

TEST(Joints, UncertaintyIsOfTheSizeOfTheErrors) {
  // Shifts of 0.05 mm by chance, 200 times: the mean square error over the mean square uncertainty is about 1. With
  // 600 numbers it strays by 6 %; the truncation and three digits of freedom leave some more.
  const double noise = 5e-5;
  double errors = 0, claimed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    std::vector<Alignment> scans = three_scans();
    for (Alignment& scan : scans) {
      Vec3d shift{};
      for (std::size_t k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) shift[k] += rng.uniform(-1, 1) * noise;  // variance 1/3 each
      }
      scan.bones[2].motion.translation += shift;
    }
    const JointEstimate joint = estimate_joints(three_bones(), scans)[2];
    errors += squared_length(joint.centre - ball_at);
    claimed += squared_length(joint.uncertainty);
  }
  EXPECT_GT(errors / claimed, 0.7);
  EXPECT_LT(errors / claimed, 1.4);
}

TEST(Rig, PosesCarryBonesExactlyAsTheyWereFound) {
  const std::vector<ScanBone> bones = three_bones();
  std::vector<Alignment> scans = three_scans();
  for (Alignment& scan : scans) scan.bones[2].motion.translation += Vec3d{0.001, 0, 0};  // six degrees of freedom
  const std::vector<BoneTemplate::End> ends{{"tip", 2, {0.01, 0.02, -0.04}}};
  const ScanRig rig = build_rig(bones, estimate_joints(bones, scans), ends, scans).value();
  ASSERT_EQ(rig.skeleton.size(), 4u);
  ASSERT_EQ(rig.poses.size(), scans.size());
  const std::vector<Affinef> rest = to_world(rig.skeleton, rest_pose(rig.skeleton));
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const std::vector<Affinef> world = to_world(rig.skeleton, rig.poses[s]);
    for (std::size_t b = 0; b < bones.size(); ++b) {
      EXPECT_EQ(rig.skeleton.name(rig.joint[b]), bones[b].name);
      const Affined moved = Affined(world[rig.joint[b]]) * inverse(Affined(rest[rig.joint[b]]));
      for (const Vec3d p : {Vec3d{0, 0, 0}, Vec3d{0.05, 0.05, 0.1}}) {
        EXPECT_LT(length(moved.point(p) - scans[s].bones[b].motion.point(p)), 1e-6) << bones[b].name;
      }
    }
    const JointIndex tip = *rig.skeleton.find("tip");
    EXPECT_LT(length(Vec3d(world[tip].translation) - scans[s].bones[2].motion.point(ends[0].at)), 1e-6);
  }
}

TEST(Rig, AnglesAreThoseThatWereTurnedAndLimitsFollow) {
  const std::vector<ScanBone> bones = three_bones();
  const std::vector<Alignment> scans = three_scans();
  const ScanRig rig = build_rig(bones, estimate_joints(bones, scans), {}, scans).value();
  const std::vector<JointAngleRow> rows = joint_angles(rig, 1);
  ASSERT_EQ(rows.size(), 4u);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    ASSERT_EQ(rows[s].radians.size(), 1u);
    EXPECT_NEAR(rows[s].radians[0], (15.0 + 20.0 * static_cast<double>(s)) * test::degree, 1e-5);
    EXPECT_LT(rows[s].left, 1e-5);
  }
  const Dof& flexion = rig.skeleton.dofs(rig.joint[1])[0];
  EXPECT_NEAR(flexion.min, -0.1f, 1e-6);
  EXPECT_NEAR(flexion.max, 75 * test::degree, 1e-5);  // the template allowed 1 radian
}

TEST(Rig, AHingeTurnsAboutTheAxisThatWasSeen) {
  const std::vector<ScanBone> bones = three_bones();
  const auto rest_axis = [&](Vec3d axis) {
    const std::vector<Alignment> scans = three_scans(axis);
    const ScanRig rig = build_rig(bones, estimate_joints(bones, scans), {}, scans).value();
    const Affinef rest = to_world(rig.skeleton, rest_pose(rig.skeleton))[rig.joint[1]];
    return std::pair(Vec3d(rest.vector(rig.skeleton.dofs(rig.joint[1])[0].axis)), joint_angles(rig, 1)[3].left);
  };
  const Vec3d tilted = normalized(Vec3d{-1, 0.2, 0.1});  // 13 degrees
  EXPECT_LT(length(rest_axis(tilted).first - tilted), 1e-5);
  EXPECT_LT(rest_axis(tilted).second, 1e-5);
  // Too far from what the template says to be the same joint's: left alone, and the angles say so.
  const Vec3d other = normalized(Vec3d{-1, 1, 0});
  EXPECT_LT(length(rest_axis(other).first - Vec3d{-1, 0, 0}), 1e-5);
  EXPECT_GT(rest_axis(other).second, 0.1);
}

TEST(Rig, ListsThatDoNotBelongTogetherAreRefused) {
  const std::vector<ScanBone> bones = three_bones();
  const std::vector<Alignment> scans = three_scans();
  std::vector<JointEstimate> joints = estimate_joints(bones, scans);
  const std::vector<BoneTemplate::End> lost{{"tip", 7, {}}};
  EXPECT_EQ(build_rig(bones, joints, lost, scans).error().item, "tip");
  const std::vector<Alignment> short_scan{{{fit_of({})}}};
  EXPECT_EQ(build_rig(bones, joints, {}, short_scan).error().message(),
            "alignment: 1 for 3 bones (make both from the same bones)");
  joints.pop_back();
  EXPECT_EQ(build_rig(bones, joints, {}, scans).error().item, "joints");
}

}  // namespace
}  // namespace supple::scan
