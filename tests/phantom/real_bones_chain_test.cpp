// Real bones through the whole chain of a scan: taken apart, named, found again in other poses, joints.
#include <gtest/gtest.h>

#include <cstdio>

#include "phantom/myosim_axes.h"
#include "supple/author/scan/extract.h"
#include "supple/author/scan/joints.h"
#include "supple/base/quat.h"
#include "supple/make/hand_template.h"
#include "supple/phantom/study.h"
#include "support/shared_data.h"

namespace supple::phantom {
namespace {

constexpr double voxel = 0.0009, mm = 1000;

struct Truth {
  Subject subject;
  std::vector<PosedTruth> poses;
};

struct Found {
  std::vector<scan::ScanBone> bones, bodies;
  std::vector<scan::Alignment> alignments;  // of the poses after the first
  std::vector<scan::JointEstimate> joints;
};

/// Every pose lies in the scanner as the first: what is found is compared in the model's space.
Result<Found> find_all(const Truth& truth) {
  const BoneTemplate skeleton = make::hand_template(make::Side::right);
  Found found;
  for (std::size_t i = 0; i < truth.poses.size(); ++i) {
    ScanOptions options;
    options.voxel = {voxel, voxel, voxel};
    options.seed = i;
    auto volume = phantom::scan(truth.subject, truth.poses[i], options);
    if (!volume) return volume.error();
    auto surfaces = scan::extract(*volume, {});
    if (!surfaces) return surfaces.error();
    if (i == 0) {
      scan::PartOptions separate;
      separate.iso = surfaces->thresholds.bone;
      auto parts = scan::separate_bones(*volume, separate);
      if (!parts) return parts.error();
      auto naming = scan::name_bones(parts->parts, skeleton);
      if (!naming) return naming.error();
      found.bones = scan::scan_bones(parts->parts, skeleton, *naming);
      found.bodies = scan::scan_bodies(parts->parts, skeleton, *naming, found.bones);
    } else {
      auto aligned = scan::align_bones(found.bones, surfaces->bone, {}, {}, nullptr, {}, found.bodies);
      if (!aligned) return aligned.error();
      found.alignments.push_back(std::move(*aligned));
    }
  }
  found.joints = scan::estimate_joints(found.bones, found.alignments);
  return found;
}

std::size_t place_of(const Subject& subject, const std::string& name) {
  for (std::size_t b = 0; b < subject.bones.size(); ++b)
    if (subject.bones[b].name == name) return b;
  return subject.bones.size();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(RealBones, AreNamedFoundAgainAndTurnAboutTheAxesOfMyoSim) {
  const auto real = test::shared_data("bodyparts3d_right_hand_bones"), myo = test::shared_data("myosim_hand_bones");
  SUPPLE_REQUIRE_DATA(real);
  SUPPLE_REQUIRE_DATA(myo);
  const auto surfaces = test::stl_folder(real);
  auto subject = hand_of_bones(surfaces, {2000});
  ASSERT_TRUE(subject) << subject.error().message();
  PoseOptions posing;
  posing.flesh = false;
  posing.seed = 0;
  auto poses = pose_subject(*subject, posing);
  ASSERT_TRUE(poses) << poses.error().message();
  std::erase_if(*poses, [](const PosedTruth& pose) { return pose.held_out; });
  const Truth truth{std::move(*subject), std::move(*poses)};
  const auto found = find_all(truth);
  ASSERT_TRUE(found) << found.error().message();

  // Each is the bone it is said to be: its surface is that bone's.
  std::vector<double> turns, shifts;
  for (std::size_t b = 0; b < found->bones.size(); ++b) {
    const scan::ScanBone& bone = found->bones[b];
    const std::size_t place = place_of(truth.subject, bone.name);
    ASSERT_LT(place, truth.subject.bones.size()) << bone.name;
    Vec3d centre{};
    std::size_t strayed = 0;
    for (const Vec3f p : bone.surface.positions) {
      centre += Vec3d(p) / static_cast<double>(bone.surface.positions.size());
      strayed += std::abs(truth.subject.bones[place].distance(Vec3d(p))) > voxel ? 1 : 0;
    }
    // Nearly all of it: where bones seem to touch, the cut runs a sample beside the true joint.
    EXPECT_LT(static_cast<double>(strayed), 0.05 * static_cast<double>(bone.surface.positions.size())) << bone.name;
    for (std::size_t s = 0; s < found->alignments.size(); ++s) {
      const Affined error = inverse(truth.poses[s + 1].bones[place]) * found->alignments[s].bones[b].motion;
      turns.push_back(2 * std::asin(std::min(1.0, length(from_matrix(error.linear).xyz()))) * 180 / std::numbers::pi);
      shifts.push_back(length(error.point(centre) - centre) * mm);
    }
  }
  std::printf("rotation %.3f degrees, shift %.4f mm (medians); at most %.2f degrees, %.3f mm\n", median(turns),
              median(shifts), *std::max_element(turns.begin(), turns.end()),
              *std::max_element(shifts.begin(), shifts.end()));
  EXPECT_LT(median(turns), 0.25);   // wanted of the modelled hand
  EXPECT_LT(median(shifts), 0.03);  // real bones are smoother along their shafts
  EXPECT_LT(*std::max_element(turns.begin(), turns.end()), 3);
  EXPECT_LT(*std::max_element(shifts.begin(), shifts.end()), 0.3);

  const auto measured = measure_hand(surfaces);
  ASSERT_TRUE(measured);
  const std::vector<Affined> world = world_of(truth.subject.character.skeleton, truth.subject.character.rest());
  std::vector<double> across;
  for (std::size_t b = 1; b < found->bones.size(); ++b) {
    const scan::JointEstimate& joint = found->joints[b];
    if (joint.slides || joint.seen < 2) continue;
    const Vec3d at = world[truth.subject.joint_of[place_of(truth.subject, found->bones[b].name)]].translation;
    const Vec3d error = joint.centre - at;
    across.push_back(length(error - joint.axis * dot(error, joint.axis)) * mm);
    std::printf("%-36s centre %5.2f mm off along its axis, %5.2f across\n", found->bones[b].name.c_str(),
                std::abs(dot(error, joint.axis)) * mm, across.back());
    // No motion tells where on its axis a hinge has its centre; the middle of the bones does, within a millimetre or
    // so. What counts is across.
    EXPECT_LT(across.back(), 0.5) << found->bones[b].name;
    EXPECT_LT(length(error) * mm, 2) << found->bones[b].name;
  }
  ASSERT_GE(across.size(), 13u);  // of fourteen finger and thumb joints
  EXPECT_LT(median(across), 0.2);
  for (const test::MyoSimJoint& row : test::myosim_joints) {
    const auto bone = std::find_if(found->bones.begin(), found->bones.end(),
                                   [&](const scan::ScanBone& x) { return x.name == row.joint; });
    ASSERT_NE(bone, found->bones.end()) << row.joint;
    const Vec3d axis = found->joints[static_cast<std::size_t>(bone - found->bones.begin())].axis;
    ASSERT_GT(length(axis), 0.5) << row.joint;
    const double apart = test::degrees_apart(test::lay_axis(row, *measured, myo).axis, axis);
    std::printf("%-36s axes %5.1f degrees apart\n", row.joint, apart);
    EXPECT_LT(apart, 20) << row.joint;
  }
}

double degrees_of(const Affined& motion) {
  return 2 * std::asin(std::min(1.0, length(from_matrix(motion.linear).xyz()))) * 180 / std::numbers::pi;
}

// The wrist bends, deviates and pronates, the palm folds: every carpal, radius and ulna goes its own way. As one rigid
// body each, carpus and forearm put the wrist's centre several millimetres off.
TEST(RealBones, CarpalsRadiusAndUlnaAreFoundEachForItself) {
  const auto real = test::shared_data("bodyparts3d_right_hand_bones");
  SUPPLE_REQUIRE_DATA(real);
  auto subject = hand_of_bones(test::stl_folder(real), {2000, 0.0012, true});
  ASSERT_TRUE(subject) << subject.error().message();
  PoseOptions posing;
  posing.flesh = false;
  posing.seed = 0;
  posing.examples = 3;
  auto poses = pose_subject(*subject, posing);
  ASSERT_TRUE(poses) << poses.error().message();
  std::erase_if(*poses, [](const PosedTruth& pose) { return pose.held_out; });
  const Truth truth{std::move(*subject), std::move(*poses)};
  const auto found = find_all(truth);
  ASSERT_TRUE(found) << found.error().message();

  std::vector<std::string> names;
  std::vector<double> turns;
  for (std::size_t b = 0; b < found->bodies.size(); ++b) {
    const scan::ScanBone& body = found->bodies[b];
    names.push_back(body.name);
    const std::size_t place = place_of(truth.subject, body.name);
    ASSERT_LT(place, truth.subject.bones.size()) << body.name;
    std::size_t strayed = 0;
    for (const Vec3f p : body.surface.positions)
      strayed += std::abs(truth.subject.bones[place].distance(Vec3d(p))) > voxel ? 1 : 0;
    EXPECT_LT(static_cast<double>(strayed), 0.05 * static_cast<double>(body.surface.positions.size())) << body.name;
    for (std::size_t s = 0; s < found->alignments.size(); ++s) {
      const scan::BoneFit& fit = found->alignments[s].bodies[b];
      EXPECT_TRUE(fit.found) << body.name << " in " << truth.poses[s + 1].name;
      turns.push_back(degrees_of(inverse(truth.poses[s + 1].bones[place]) * fit.motion));
      EXPECT_LT(turns.back(), 3) << body.name << " in " << truth.poses[s + 1].name;  // as of the bones of the fingers
    }
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string> all{"hamate",    "lunate",    "pisiform",   "scaphoid",
                                     "trapezium", "trapezoid", "triquetrum", "ulna"};
  EXPECT_EQ(names, all);
  EXPECT_LT(median(turns), 0.5);

  const std::vector<Affined> world = world_of(truth.subject.character.skeleton, truth.subject.character.rest());
  for (std::size_t b = 0; b < found->bones.size(); ++b) {
    const std::string& name = found->bones[b].name;
    const JointIndex joint = *truth.subject.character.skeleton.find(name);
    if (name == "forearm" || name == "wrist") {  // radius and capitate
      const std::size_t place = place_of(truth.subject, name == "wrist" ? "capitate" : "radius");
      for (std::size_t s = 0; s < found->alignments.size(); ++s) {
        const Affined error = inverse(truth.poses[s + 1].bones[place]) * found->alignments[s].bones[b].motion;
        EXPECT_LT(degrees_of(error), 1) << name << " in " << truth.poses[s + 1].name;
      }
    }
    const bool metacarpal =
        name == "thumb-metacarpal" || name == "ring-finger-metacarpal" || name == "pinky-finger-metacarpal";
    if (name != "wrist" && !metacarpal) continue;
    const double off = length(found->joints[b].centre - world[joint].translation) * mm;
    std::printf("%-36s centre %5.2f mm off\n", name.c_str(), off);
    EXPECT_LT(off, 1) << name;
  }
}

}  // namespace
}  // namespace supple::phantom
