// The list of deformers, and what goes by it.
#include "supple/rig/deformers.h"

#include <set>

#include "gtest/gtest.h"
#include "support/pose_space_arm.h"

namespace supple {
namespace {

/// The arm with its pose space on weights 1 to 4, and a driver and a wrinkle of their own behind it.
Character arm_of_three_deformers() {
  Character c = test::pose_space_arm();
  Part& part = c.parts[0];
  const auto first = static_cast<std::uint32_t>(c.morph_weights.size());
  for (int i = 0; i < 2; ++i) {
    part.morphs.push_back(part.morphs[0]);
    c.morph_weights.push_back(0);
  }
  MorphDriver driver;
  driver.name = "bend";
  driver.joints = {1};
  driver.reference.resize(1);
  driver.first_weight = first;
  driver.rest_weights = {0};
  c.drivers.push_back(driver);
  c.wrinkles.push_back({"fold", 0, {0, 9}, 0.04f, first + 1});
  c.clips.clear();  // its tracks are narrower now
  return c;
}

TEST(Deformers, EveryKindIsCompleteAndNamedOnce) {
  std::set<std::string> names, members;
  for (const DeformerKind* kind : deformers()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    EXPECT_TRUE(members.insert(kind->member).second) << kind->member;
    EXPECT_TRUE(kind->count && kind->summary && kind->check && kind->clear) << kind->name;
    EXPECT_EQ(kind->moved == nullptr, kind->renumber == nullptr) << kind->name;
    EXPECT_FALSE(std::string(kind->elsewhere).empty());
    EXPECT_EQ(kind->count(Character{}), 0u) << kind->name;
  }
}

TEST(Deformers, MovedWeightsAreThoseOfAllKinds) {
  const Character c = arm_of_three_deformers();
  ASSERT_TRUE(validate(c)) << validate(c).error().message();
  std::vector<bool> expected(c.morph_weights.size(), true);
  expected[0] = false;  // nothing drives the bulge
  EXPECT_EQ(moved_weights(c), expected);
}

TEST(Deformers, NoTwoMoveOneWeight) {
  Character c = arm_of_three_deformers();
  c.wrinkles[0].weight = c.drivers[0].first_weight;
  EXPECT_EQ(validate(c).error().message(),
            "wrinkle 0 'fold': drives morph weight 5, which driver 0 'bend' does (give it a morph target of its own)");
  c.wrinkles[0].weight = 3;
  EXPECT_EQ(validate(c).error().message(),
            "wrinkle 0 'fold': drives morph weight 3, which pose space does (give it a morph target of its own)");
}

TEST(Deformers, AreRenumberedAndClearedTogether) {
  Character c = arm_of_three_deformers();
  std::vector<std::uint32_t> place;
  for (std::uint32_t w = 0; w <= c.morph_weights.size(); ++w) place.push_back(w + 10);
  renumber_weights(c, place);
  EXPECT_EQ(c.pose_space->first_weight, 11u);
  EXPECT_EQ(c.drivers[0].first_weight, 15u);
  EXPECT_EQ(c.wrinkles[0].weight, 16u);
  clear_deformers(c);
  for (const DeformerKind* kind : deformers()) EXPECT_EQ(kind->count(c), 0u) << kind->name;
  EXPECT_TRUE(validate(c));
}

}  // namespace
}  // namespace supple
