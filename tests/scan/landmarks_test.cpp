#include "supple/author/scan/landmarks.h"

#include <gtest/gtest.h>

#include <map>

#include "scan/hand_scan.h"
#include "scan/posed_hand.h"

namespace supple::scan {
namespace {

struct LandmarkedHand {
  std::vector<ScanBone> bones;
  std::map<std::string, Landmark> landmarks;
};

/// A right hand at rest, its bones drawn in cells of `cell` millimetres and off by `noise` metres.
LandmarkedHand landmarked_hand(double cell, double noise, const Mesh& skin, const std::vector<bool>& border = {}) {
  Rng rng(11);
  const std::vector<Affined> still(make::hand_anatomy().bones.size());
  const test::Pieces pieces = test::pieces_of(test::scanned_bones(still, {}, {cell, noise, make::Side::right}, rng));
  const BoneTemplate skeleton = make::hand_template(make::Side::right);
  LandmarkedHand hand;
  hand.bones = scan_bones(pieces.parts, skeleton, name_bones(pieces.parts, skeleton).value());
  std::vector<Vec3d> centres;
  for (const ScanBone& bone : hand.bones) centres.push_back(bone.facing);
  for (const Landmark& l : find_landmarks(hand.bones, bone_frames(hand.bones, true), centres, skin, border))
    hand.landmarks[l.name] = l;
  return hand;
}

const Mesh& skin_at_rest() {
  static const Mesh skin = [] {
    make::HandOptions options;
    options.vertices = 6000;
    options.bones = false;
    options.side = make::Side::right;
    return make::make_hand(options).value().parts[0].mesh;
  }();
  return skin;
}

TEST(Landmarks, LieOnBonesAndSkinWhereTheyAreNamed) {
  const Mesh& skin = skin_at_rest();
  const LandmarkedHand hand = landmarked_hand(1.2, 0.05e-3, skin);
  const Bvh surface(skin.positions, skin.triangles);
  std::map<LandmarkKind, std::size_t> count;
  const make::HandAnatomy anatomy = make::hand_anatomy();
  for (const auto& [name, l] : hand.landmarks) {
    ++count[l.kind];
    EXPECT_GT(l.sd, 0) << name;
    if (is_on_skin(l.kind)) {
      EXPECT_LT(surface.closest(Vec3f(l.at)).distance, 1e-6f) << name;
      const Triangle& t = skin.triangles[l.triangle];
      Vec3d at{};
      for (std::size_t k = 0; k < 3; ++k) at += Vec3d(skin.positions[t[k]]) * l.barycentric[k];
      EXPECT_LT(length(at - l.at), 1e-6) << name;  // float positions
      continue;
    }
    // Centres of the ends lie within the bone's own thickness of its joint and far end.
    const make::AnatomicalBone& bone = anatomy.bones[l.bone];
    const Vec3d end = make::to_model(l.kind == LandmarkKind::base ? bone.head : bone.tail(), make::Side::right);
    EXPECT_LT(length(l.at - end), 0.012) << name;
  }
  EXPECT_EQ(count[LandmarkKind::base], 19u);
  EXPECT_EQ(count[LandmarkKind::head], 19u);
  EXPECT_EQ(count[LandmarkKind::dorsal], 21u);
  EXPECT_EQ(count[LandmarkKind::palmar], 21u);
  EXPECT_EQ(count[LandmarkKind::tip], 5u);
  EXPECT_EQ(count[LandmarkKind::crease], 9u);
  // A finger's end by its bone and by its skin alone are the same place, about.
  for (const auto& [name, l] : hand.landmarks)
    if (l.kind == LandmarkKind::tip) {
      EXPECT_LT(l.off_second_way, 0.006) << name;
    }
}

TEST(Landmarks, AreLessSureWhereTheyAreFartherOff) {
  const Mesh& skin = skin_at_rest();
  const LandmarkedHand exact = landmarked_hand(0.5, 0, skin), rough = landmarked_hand(1.6, 0.3e-3, skin);
  // Ordered by the stated deviation, the better half has the smaller errors.
  std::vector<std::pair<double, double>> sd_and_error;
  double squares = 0, stated = 0;
  for (const auto& [name, l] : rough.landmarks) {
    const auto truth = exact.landmarks.find(name);
    ASSERT_NE(truth, exact.landmarks.end()) << name;
    const double error = length(l.at - truth->second.at);
    sd_and_error.emplace_back(l.sd, error);
    squares += error * error;
    stated += l.sd * l.sd;
  }
  std::sort(sd_and_error.begin(), sd_and_error.end());
  const std::size_t half = sd_and_error.size() / 2;
  double sure = 0, unsure = 0;
  for (std::size_t i = 0; i < sd_and_error.size(); ++i) (i < half ? sure : unsure) += sd_and_error[i].second;
  EXPECT_LT(sure / static_cast<double>(half), 0.7 * unsure / static_cast<double>(sd_and_error.size() - half));
  // Deviations are of the size of the errors, not a guess: within three times either way.
  EXPECT_LT(std::sqrt(squares), 3 * std::sqrt(stated));
  EXPECT_GT(std::sqrt(squares), std::sqrt(stated) / 3);
}

TEST(Landmarks, KnowWhereTheSkinIsCut) {
  const Mesh& skin = skin_at_rest();
  std::vector<bool> border(skin.positions.size());
  float end = 0;  // fingers point to -z
  for (const Vec3f& p : skin.positions) end = std::min(end, p.z);
  for (std::size_t v = 0; v < border.size(); ++v) border[v] = skin.positions[v].z < end + 0.006f;
  const LandmarkedHand hand = landmarked_hand(1.2, 0.05e-3, skin, border);
  EXPECT_TRUE(hand.landmarks.at("middle-finger-phalanx-distal_tip").at_border);
  EXPECT_FALSE(hand.landmarks.at("thumb-phalanx-distal_tip").at_border);
  EXPECT_FALSE(hand.landmarks.at("middle-finger-phalanx-proximal_palmar").at_border);
}

}  // namespace
}  // namespace supple::scan
