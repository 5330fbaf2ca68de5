#include "supple/author/scan/joint_type.h"

#include <gtest/gtest.h>

#include "scan/hand_scan.h"

namespace supple::scan {
namespace {

/// Bell-shaped enough, with a standard deviation of 1.
double bell(Rng& rng) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += rng.uniform(-0.5, 0.5);
  return sum;
}
Vec3d bells(Rng& rng) {
  const double x = bell(rng), y = bell(rng), z = bell(rng);
  return {x, y, z};
}

constexpr double turn_noise = 0.2 * test::degree, shift_noise = 3e-5;
constexpr Vec3d pivot{0.01, 0.02, 0.03};

/// Two bones, of which the second moves by `motion`; noise that is stated as it is.
std::vector<Alignment> noisy_scans(std::span<const Affined> motions, Rng& rng, double times = 1) {
  std::vector<Alignment> scans;
  for (const Affined& motion : motions) {
    Alignment scan;
    scan.bones.resize(2);
    scan.bones[0].motion = test::random_placement(rng);
    const Affined true_motion = scan.bones[0].motion * motion;
    const Vec3d about = true_motion.point(pivot);
    const Mat3d turn = to_matrix(exp_rotation(bells(rng) * (times * turn_noise)));
    const Affined error{turn, about + bells(rng) * (times * shift_noise) - turn * about};
    scan.bones[1].motion = error * true_motion;
    scan.bones[1].covariance.about = about;
    for (std::size_t k = 0; k < 6; ++k)
      scan.bones[1].covariance.matrix[k][k] = std::pow(times * (k < 3 ? turn_noise : shift_noise), 2);
    scans.push_back(std::move(scan));
  }
  return scans;
}

std::vector<ScanBone> two_bones() {
  std::vector<ScanBone> bones(2);
  bones[0].name = "root";
  bones[1].name = "moved";
  bones[1].parent = 0;
  bones[1].facing = pivot + Vec3d{0.001, -0.002, 0.001};
  return bones;
}

std::vector<Affined> motions_of_kind(JointType type, std::size_t count, Rng& rng) {
  const Vec3d axis = normalized(Vec3d{1, 0.2, 0.1}), other = normalized(Vec3d{-0.2, 1, 0});
  std::vector<Affined> motions;
  for (std::size_t s = 0; s < count; ++s) {
    JointModel joint;
    joint.type = type;
    joint.centre = pivot;
    std::vector<double> x;
    if (type == JointType::hinge) joint.axes = {axis}, x = {rng.uniform(0.2, 1.2)};
    if (type == JointType::universal) joint.axes = {other, axis}, x = {rng.uniform(-0.15, 0.15), rng.uniform(0, 1.2)};
    if (type == JointType::ball || type == JointType::free)
      x = {rng.uniform(0, 1.2), rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3)};
    if (type == JointType::free)
      for (int k = 0; k < 3; ++k) x.push_back(rng.uniform(-0.0015, 0.0015));
    motions.push_back(motion_of(joint, x));
  }
  return motions;
}

TEST(JointType, IsTheOneThatMadeTheMotions) {
  // Of 40 joints of each kind and seven scans a wrong one or two are chance: BIC's penalty for the parameters that a
  // universal joint has more than a hinge, of 42 numbers, is 3.7 each for seven to ten of them.
  for (const JointType type :
       {JointType::fixed, JointType::hinge, JointType::universal, JointType::ball, JointType::free}) {
    std::size_t right = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Rng rng(seed);
      const std::vector<Affined> motions = motions_of_kind(type, 7, rng);
      const std::vector<ScanBone> bones = two_bones();
      const std::vector<Vec3d> centres{{}, bones[1].facing};
      const std::vector<JointTypeChoice> found = choose_joint_types(bones, noisy_scans(motions, rng), centres);
      EXPECT_TRUE(found[0].tried.empty());
      ASSERT_EQ(found[1].tried.size(), 5u);
      right += found[1].model()->type == type ? 1 : 0;
    }
    EXPECT_GE(right, 38u) << name_of(type);
  }
}

TEST(JointType, FindsAxesAndCentreAndWhatIsLeftIsTheNoise) {
  Rng rng(3);
  const std::vector<Affined> motions = motions_of_kind(JointType::universal, 8, rng);
  const std::vector<ScanBone> bones = two_bones();
  const std::vector<Vec3d> centres{{}, bones[1].facing};
  const JointModel found = *choose_joint_types(bones, noisy_scans(motions, rng), centres)[1].model();
  ASSERT_EQ(found.type, JointType::universal);
  ASSERT_EQ(found.axes.size(), 2u);
  // The first axis turns by 0.15 at most, known to 0.0035 a scan: 0.0035 / (0.09 sqrt 8) radians, three times.
  EXPECT_GT(std::abs(dot(found.axes[0], normalized(Vec3d{-0.2, 1, 0}))), std::cos(0.05));
  EXPECT_GT(std::abs(dot(found.axes[1], normalized(Vec3d{1, 0.2, 0.1}))), std::cos(0.01));
  EXPECT_LT(length(found.centre - pivot), 3e-4);
  EXPECT_LT(found.turn_left, 2 * turn_noise);  // of three directions one is left
  EXPECT_LT(found.shift_left, 3 * shift_noise);
  EXPECT_EQ(found.numbers, 48u);
  EXPECT_EQ(found.parameters, 6u + 16u);
}

TEST(JointType, NoiseThatIsStatedTooSmallDoesNotMakeJointsFreer) {
  // All noise is four times what the alignments say. One joint alone could not tell; twelve hinges together do.
  std::vector<ScanBone> bones(13);
  bones[0].name = "root";
  std::vector<Alignment> scans(5);
  Rng rng(5);
  for (Alignment& scan : scans) scan.bones.resize(13);
  std::vector<Vec3d> centres(13);
  for (std::size_t b = 1; b < 13; ++b) {
    bones[b].name = "hinge " + std::to_string(b);
    bones[b].parent = 0;
    bones[b].facing = centres[b] = pivot;
    const std::vector<Alignment> own = noisy_scans(motions_of_kind(JointType::hinge, 5, rng), rng, 8);
    for (std::size_t s = 0; s < 5; ++s) {
      scans[s].bones[b] = own[s].bones[1];
      const Affined back = inverse(own[s].bones[0].motion);
      scans[s].bones[b].motion = back * own[s].bones[1].motion;
      scans[s].bones[b].covariance = carried(own[s].bones[1].covariance, back);
      for (auto& row : scans[s].bones[b].covariance.matrix)
        for (double& x : row) x /= 16;
    }
  }
  std::size_t right = 0;
  for (const JointTypeChoice& joint : choose_joint_types(bones, scans, centres)) {
    if (joint.tried.empty()) continue;
    right += joint.model()->type == JointType::hinge ? 1 : 0;
    EXPECT_NEAR(joint.scale, 4, 1);  // a median of twelve
  }
  EXPECT_GE(right, 11u);
}

/// The kind that the procedural hand's joint has, where random_pose() moves all that can.
JointType true_type(std::span<const Dof> dofs) {
  return dofs.size() == 2 ? JointType::universal : dofs.size() == 1 ? JointType::hinge : JointType::fixed;
}

TEST(JointType, IsRightForEveryJointOfThePhantom) {
  const Skeleton skeleton = make::hand_skeleton(make::hand_anatomy(), make::Side::right).value();
  const BoneTemplate hand = make::hand_template(make::Side::right);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Rng rng(seed);
    const test::ScanSettings settings{1.5, 0.03e-3, make::Side::right};
    const std::vector<Affined> still(hand.bones.size());
    const test::Pieces pieces = test::pieces_of(test::scanned_bones(still, {}, settings, rng));
    const std::vector<ScanBone> bones = scan_bones(pieces.parts, hand, name_bones(pieces.parts, hand).value());
    std::vector<Alignment> scans;
    for (int s = 0; s < 4; ++s) {
      const Pose pose = test::random_pose(skeleton, 55, rng);
      const Affined placement{to_matrix(from_axis_angle(Vec3d{0, 1, 0}, 0.05)), {0.003, -0.002, 0.004}};
      const std::vector<Affined> motions = test::bone_motions(skeleton, pose);
      auto found = align_bones(bones, test::joined(test::scanned_bones(motions, placement, settings, rng)));
      ASSERT_TRUE(found) << found.error().message();
      scans.push_back(std::move(*found));
    }
    std::vector<Vec3d> centres;
    for (const ScanBone& bone : bones) centres.push_back(bone.facing);
    const std::vector<JointTypeChoice> types = choose_joint_types(bones, scans, centres);
    for (std::size_t b = 1; b < bones.size(); ++b) {
      const JointType expected = true_type(skeleton.dofs(*skeleton.find(bones[b].name)));
      std::string tried;
      for (const JointModel& m : types[b].tried)
        tried += std::string(name_of(m.type)) + " chi2 " + std::to_string(m.chi_square) + " bic " +
                 std::to_string(m.bic) + "; ";
      EXPECT_STREQ(name_of(types[b].model()->type), name_of(expected))
          << "seed " << seed << ", " << bones[b].name << ": " << tried << "scale " << types[b].scale;
    }
  }
}

}  // namespace
}  // namespace supple::scan
