// What a pose space must satisfy, and how it moves along with the morph targets of its character.
#include "gtest/gtest.h"
#include "supple/rig/append_morphs.h"
#include "support/pose_space_arm.h"

using namespace supple;
using namespace supple::test;

namespace {

TEST(PoseSpace, FaultsAreNamed) {
  const Character good = pose_space_arm();
  ASSERT_TRUE(validate(good));
  struct Case {
    const char* message;
    void (*spoil)(Character&);
  };
  const Case cases[] = {
      {"part 3, which does not exist", [](Character& c) { c.pose_space->part = 3; }},
      {"not bound to joints", [](Character& c) { c.parts[0].skin.reset(); }},
      {"follows no joint", [](Character& c) { c.pose_space->joints.clear(); }},
      {"joint 9, which does not exist", [](Character& c) { c.pose_space->joints[1] = 9; }},
      {"joint 1 twice", [](Character& c) { c.pose_space->joints[1] = 1; }},
      {"as its reference", [](Character& c) { c.pose_space->reference.pop_back(); }},
      {"as its reference", [](Character& c) { c.pose_space->reference[0].w = 2; }},
      {"for every example", [](Character& c) { c.pose_space->settings.pop_back(); }},
      {"for every example",
       [](Character& c) {
         c.pose_space->settings[4] = {0, 0, 0, 0};
       }},
      {"no example besides", [](Character& c) { c.pose_space->settings.resize(3); }},
      {"not the reference pose",
       [](Character& c) {
         c.pose_space->settings[0] = {1, 0, 0, 0};
       }},
      {"not all of its part", [](Character& c) { c.pose_space->first_weight = 2; }},
      {"floor that is not > 0", [](Character& c) { c.pose_space->floor = 0; }},
      {"radius that is not > 0", [](Character& c) { c.pose_space->radius = -1; }},
      {"example 1 'pose 1' and example 3 'pose 3' have the same pose",
       [](Character& c) {
         for (std::size_t k = 0; k < 3; ++k) c.pose_space->settings[9 + k] = -c.pose_space->settings[3 + k];
       }},
      {"the rest shape and example 2 'pose 2' have the same pose",
       [](Character& c) {
         for (std::size_t k = 0; k < 3; ++k) c.pose_space->settings[6 + k] = {};
       }},
      {"more than 64", [](Character& c) { c.pose_space->settings.resize(3 * 65); }},
      {"which driver 0 does",
       [](Character& c) {
         MorphDriver driver;
         driver.joints = {1};
         driver.reference.resize(1);
         driver.first_weight = 2;
         driver.rest_weights = {0};
         c.drivers.push_back(driver);
       }},
  };
  for (const Case& wrong : cases) {
    Character c = good;
    wrong.spoil(c);
    const auto checked = validate(c);
    ASSERT_FALSE(checked) << wrong.message;
    EXPECT_NE(checked.error().message().find(wrong.message), std::string::npos) << checked.error().message();
  }
}

TEST(PoseSpace, MovesUpWithItsTargetsAndIsTakenOutWithThem) {
  Character c = pose_space_arm();
  Part first;  // before the arm's, in the order of weights
  first.mesh = c.parts[0].mesh;
  first.mesh.normals.clear();
  c.parts.push_back(first);
  const std::size_t other = 1;
  c.parts[other].morphs.push_back({"own", {0}, {{0, 1, 0}}, {}, {}});
  c.parts[other].first_morph_weight = 0;
  c.parts[0].first_morph_weight = 1;
  c.pose_space->first_weight = 2;
  c.morph_weights.push_back(0);
  ASSERT_TRUE(validate(c));
  const float rest[] = {0.5f, 0.5f};
  append_morphs(c, std::span(&other, 1), {{"a", {0}, {{1, 0, 0}}, {}, {}}, {"b", {1}, {{1, 0, 0}}, {}, {}}}, rest);
  EXPECT_EQ(c.pose_space->first_weight, 4u);
  EXPECT_TRUE(validate(c));

  remove_driven_morphs(c);
  EXPECT_FALSE(c.pose_space);
  ASSERT_EQ(c.parts[0].morphs.size(), 1u);
  EXPECT_EQ(c.parts[0].morphs[0].name, "bulge");
  EXPECT_EQ(c.parts[0].mesh.positions, pose_space_arm().parts[0].mesh.positions);
  EXPECT_TRUE(validate(c));
}

TEST(PoseSpace, PlainFormIsAlikeForAllVertices) {
  const PoseSpace space = *pose_space_arm().pose_space, alike = plain(space);
  EXPECT_EQ(alike.influence, JointInfluence::equal);
  EXPECT_FLOAT_EQ(alike.radius, 3 * space.radius);
  EXPECT_EQ(plain(alike), alike);
}

}  // namespace
