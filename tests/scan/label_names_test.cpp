// What names of labels are understood as.
#include <gtest/gtest.h>

#include "supple/author/scan/label_names.h"
#include "supple/make/hand_template.h"

namespace supple::scan {
namespace {

/// The bones of a name, by their joints; "skin", "ignored" or "unknown".
std::string understood(const std::string& name, bool right = true) {
  const BoneTemplate skeleton = make::hand_template(right ? make::Side::right : make::Side::left);
  const LabelMeaning meaning = meaning_of(name, skeleton, right);
  if (meaning.kind == NameKind::skin) return "skin";
  if (meaning.kind == NameKind::ignored) return "ignored";
  if (meaning.kind == NameKind::unknown) return "unknown";
  if (meaning.kind == NameKind::group) return std::to_string(meaning.use.bones.size()) + " bones";
  return skeleton.bones[meaning.use.bones.front()].joint;
}

TEST(LabelNames, OurOwnNamesAreTheirBones) {
  for (const TemplateBone& bone : make::hand_template(make::Side::right).bones)
    EXPECT_EQ(understood(bone.joint), bone.joint);
}

TEST(LabelNames, BonesAreKnownByManySpellings) {
  for (const char* name :
       {"Proximal phalanx of right index finger", "FMA24451_proximal_phalanx_of_right_index_finger", "PP2", "R_PP2",
        "ProximalPhalanx2", "index proximal", "2nd proximal phalanx", "second digit, proximal phalanx"})
    EXPECT_EQ(understood(name), "index-finger-phalanx-proximal") << name;
  for (const char* name :
       {"MC3", "third metacarpal", "metacarpal III", "Metacarpal_3_right", "middle finger metacarpal"})
    EXPECT_EQ(understood(name), "middle-finger-metacarpal") << name;
  EXPECT_EQ(understood("DP5"), "pinky-finger-phalanx-distal");
  EXPECT_EQ(understood("little finger distal phalanx"), "pinky-finger-phalanx-distal");
  EXPECT_EQ(understood("MP4"), "ring-finger-phalanx-intermediate");
  EXPECT_EQ(understood("thumb distal phalanx"), "thumb-phalanx-distal");
  for (const char* name : {"capitate", "Scaphoid (right)", "carpal", "carpals"})
    EXPECT_EQ(understood(name), "wrist") << name;
  for (const char* name : {"radius", "distal ulna", "Right Radius"}) EXPECT_EQ(understood(name), "forearm") << name;
}

// "middle" is a finger and a phalanx.
TEST(LabelNames, MiddleIsAFingerOrAPhalanx) {
  EXPECT_EQ(understood("middle phalanx of index finger"), "index-finger-phalanx-intermediate");
  EXPECT_EQ(understood("middle finger proximal phalanx"), "middle-finger-phalanx-proximal");
  EXPECT_EQ(understood("proximal phalanx of middle finger"), "middle-finger-phalanx-proximal");
  EXPECT_EQ(understood("middle phalanx of middle finger"), "middle-finger-phalanx-intermediate");
  EXPECT_EQ(understood("middle phalanges"), "4 bones");  // the thumb has none
  EXPECT_EQ(understood("middle finger phalanges"), "3 bones");
}

TEST(LabelNames, GroupsAreOfSeveralBones) {
  for (const char* name : {"phalanges_hand", "phalanges", "phalanx"}) EXPECT_EQ(understood(name), "14 bones") << name;
  for (const char* name : {"metacarpals", "metacarpal"}) EXPECT_EQ(understood(name), "5 bones") << name;
  EXPECT_EQ(understood("thumb"), "2 bones");
  EXPECT_EQ(understood("bones"), "21 bones");
  const BoneTemplate skeleton = make::hand_template(make::Side::right);
  EXPECT_EQ(meaning_of("phalanges_hand", skeleton, true).use.count, 14u);
  EXPECT_EQ(meaning_of("bones", skeleton, true).use.count, 0u);  // nobody knows into how many pieces a carpus falls
}

TEST(LabelNames, SkinIsKnownAndWhatIsOfNoUseToo) {
  for (const char* name : {"skin", "Skin", "body_extremities", "soft tissue"})
    EXPECT_EQ(understood(name), "skin") << name;
  for (const char* name :
       {"phalanges_feet", "metatarsal", "tarsal", "subcutaneous_fat", "skeletal_muscle", "background"})
    EXPECT_EQ(understood(name), "ignored") << name;
  EXPECT_EQ(understood("radius_left"), "ignored");  // of the other hand
  EXPECT_EQ(understood("radius_left", false), "forearm");
  for (const char* name : {"", "Segment_1", "label 3", "tumour", "thumb middle phalanx"})
    EXPECT_EQ(understood(name), "unknown") << name;
}

TEST(LabelNames, SingleBonesOfCarpusAndForearmAreTold) {
  const BoneTemplate hand = make::hand_template(make::Side::right);
  const auto single = [&](const char* name) {
    const LabelUse use = meaning_of(name, hand, true).use;
    return use.body < hand.bodies.size() ? hand.bodies[use.body].name : std::string();
  };
  EXPECT_EQ(single("scaphoid"), "scaphoid");
  EXPECT_EQ(single("Right_Triquetral"), "triquetrum");
  EXPECT_EQ(single("FMA23467_right_ulna"), "ulna");
  EXPECT_EQ(single("radius and ulna"), "");
  EXPECT_EQ(single("carpal"), "");
  // How many bones a label may consist of.
  EXPECT_EQ(meaning_of("carpal", hand, true).use.most, 8u);
  EXPECT_EQ(meaning_of("radius and ulna", hand, true).use.most, 2u);
  EXPECT_EQ(meaning_of("lunate", hand, true).use.most, 0u);
  EXPECT_EQ(meaning_of("metacarpals", hand, true).use.most, 0u);
}

}  // namespace
}  // namespace supple::scan
