// Phantoms of magnetic resonance and their labels: what no threshold shows, and hands that are found by labels.
#include <gtest/gtest.h>

#include <set>

#include "supple/author/scan/label_names.h"
#include "supple/author/scan/naming_given.h"
#include "supple/author/scan/surface.h"
#include "supple/make/hand_template.h"
#include "supple/phantom/phantom.h"

namespace supple::phantom {
namespace {

struct LabelledHand {
  Subject subject;
  PosedTruth pose;
};
LabelledHand relaxed_hand(bool touching) {
  LabelledHand hand{procedural_hand(true, 3000, touching).value(), {}};
  PoseOptions options;
  options.flesh = false;
  options.examples = 1;
  hand.pose = pose_subject(hand.subject, options)->front();
  return hand;
}

ScanOptions resonance_scan(std::uint64_t seed) {
  ScanOptions options;
  options.seed = seed;
  options.placement = placement_of(seed, 0);
  options.resonance.emplace();
  return options;
}

TEST(Resonance, NoThresholdTellsBoneFromFlesh) {
  const LabelledHand hand = relaxed_hand(false);
  const ScanOptions options = resonance_scan(1);
  const Volume image = scan(hand.subject, hand.pose, options).value();
  const LabelMap map = labels_of_scan(hand.subject, hand.pose, options, Labelling::each).value();
  ASSERT_EQ(image.size, map.lattice().size);
  EXPECT_EQ(image.modality, "MR");
  const std::size_t bones = map.labels.size() - 1;
  EXPECT_EQ(bones, 21u);
  // Whatever value parts them, a third of the samples of bone, or of flesh, is on the wrong side.
  std::vector<double> bone, flesh;
  for (std::size_t i = 0; i < image.samples.size(); ++i) {
    const double value = image.slope * image.samples[i] + image.intercept;
    if (map.layers[0].samples[i] == 1) flesh.push_back(value);
    if (map.layers[0].samples[i] > 1) bone.push_back(value);
  }
  for (double threshold = 0; threshold < 500; threshold += 10) {
    const auto above = [&](const std::vector<double>& values) {
      return static_cast<double>(std::count_if(values.begin(), values.end(), [&](double v) { return v > threshold; })) /
             static_cast<double>(values.size());
    };
    const double wrong = std::max(1 - above(bone), above(flesh)),
                 wrong_turned = std::max(above(bone), 1 - above(flesh));
    EXPECT_GT(std::min(wrong, wrong_turned), 0.3) << threshold;
  }
  EXPECT_FALSE(scan::propose_thresholds(image));
  const auto skin = scan::propose_skin(image);
  ASSERT_TRUE(skin) << skin.error().message();
  EXPECT_GT(*skin, 100);
  EXPECT_LT(*skin, 220);
}

TEST(PhantomLabels, AreWhereTheBonesAre) {
  const LabelledHand hand = relaxed_hand(false);
  const ScanOptions options = resonance_scan(2);
  const LabelMap map = labels_of_scan(hand.subject, hand.pose, options, Labelling::each).value();
  const Volume& lattice = map.lattice();
  for (std::size_t b = 0; b < hand.subject.bones.size(); ++b) {
    const Label* label = nullptr;
    for (const Label& l : map.labels)
      if (l.name == hand.subject.character.skeleton.name(hand.subject.joint_of[b])) label = &l;
    ASSERT_NE(label, nullptr);
    const Affined to_rest = inverse(options.placement * hand.pose.bones[b]);
    std::size_t inside = 0;
    for (std::size_t k = 0; k < lattice.size[2]; k += 2) {
      for (std::size_t j = 0; j < lattice.size[1]; ++j) {
        for (std::size_t i = 0; i < lattice.size[0]; ++i) {
          const Vec3d p =
              lattice.to_world.point({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          if (lattice.samples[lattice.place(i, j, k)] != label->value) continue;
          ++inside;
          ASSERT_LT(hand.subject.bones[b].distance(to_rest.point(p)), 0);
        }
      }
    }
    EXPECT_GT(inside, 50u) << label->name;
  }
}

// Groups as programs for whole bodies label them; also where neighbouring bones touch.
TEST(PhantomLabels, GroupsAreDividedAndNamed) {
  const BoneTemplate skeleton = make::hand_template(make::Side::right);
  for (const bool touching : {false, true}) {
    const LabelledHand hand = relaxed_hand(touching);
    const ScanOptions options = resonance_scan(touching ? 4 : 3);
    const LabelMap map = labels_of_scan(hand.subject, hand.pose, options, Labelling::grouped).value();
    std::vector<scan::LabelUse> uses;
    for (const Label& label : map.labels) uses.push_back(scan::meaning_of(label.name, skeleton, true).use);
    Warnings warnings;
    const auto parts = scan::labelled_bones(map, uses, nullptr, {}, &warnings);
    ASSERT_TRUE(parts) << parts.error().message();
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    const auto naming =
        scan::name_bones(parts->parts, skeleton, scan::pieces_by_label(parts->parts, skeleton), &warnings);
    ASSERT_TRUE(naming) << naming.error().message();
    const Affined back = inverse(options.placement);
    for (const scan::NamedBone& named : naming->bones) {
      for (const std::uint32_t p : named.pieces) {
        std::string nearest;
        double least = 1;
        for (std::size_t b = 0; b < hand.subject.bones.size(); ++b) {
          const double d = hand.subject.bones[b].distance(back.point(parts->parts[p].centre));
          if (d < least) least = d, nearest = hand.subject.character.skeleton.name(hand.subject.joint_of[b]);
        }
        EXPECT_EQ(nearest, skeleton.bones[named.bone].joint);
      }
    }
  }
}

}  // namespace
}  // namespace supple::phantom
