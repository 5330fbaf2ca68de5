// Example sets: access, and a validator that names what is wrong.
#include "supple/rig/example_set.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "supple/base/parallel.h"
#include "support/example_sets.h"

namespace supple::test {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(ExampleSet, PosesAndSkinsByNumber) {
  const ExampleSet set = bar_examples(true);
  ASSERT_TRUE(validate(set)) << validate(set).error().message();
  EXPECT_EQ(set.size(), 4u);
  EXPECT_EQ(set.pose(2).local[2].translation, (Vec3f{0.1f, 1, 0}));
  EXPECT_EQ(set.pose(1).local[2].translation, (Vec3f{0, 1, 0}));
  EXPECT_NEAR(get_angles(set.pose(2), set.skeleton, 1)[0], 1.4f, 1e-5f);
  EXPECT_EQ(set.positions_of(3)[7], set.positions[31]);
  EXPECT_EQ(set.find("bent 80"), 2u);
  EXPECT_FALSE(set.find("bent"));
  EXPECT_EQ(set.rest_mesh().triangles.size(), 12u);
  const ExampleSet copy = set;
  EXPECT_EQ(copy.positions.span().data(), set.positions.span().data()) << "copies share the arrays";
}

TEST(ExampleSet, FlagsOfFailureExcludeAndRemarksDoNot) {
  const ExampleSet set = bar_examples();
  EXPECT_TRUE(set.usable(0));
  EXPECT_FALSE(set.usable(2)) << "snapped";
  EXPECT_TRUE(set.usable(3)) << "reviewed";
  EXPECT_TRUE(excludes("inverted"));
  EXPECT_TRUE(excludes("unconverged"));
}

TEST(ExampleSet, TheWholeMayBeFarAway) {
  ExampleSet set = bar_examples();
  std::vector<Vec3f> positions(set.positions.begin(), set.positions.end());
  for (Vec3f& p : positions) p += Vec3f{2000, -500, 0};
  set.positions = positions;
  EXPECT_TRUE(validate(set)) << validate(set).error().message();
}

TEST(ExampleSet, TheValidatorNamesPoseAndVertex) {
  struct Case {
    const char* item;
    const char* problem;
    std::function<void(ExampleSet&)> damage;
  };
  const std::vector<Case> cases{
      {"example 'bent 40', vertex 5", "position that is not finite",
       [](ExampleSet& s) {
         s.positions = with(s.positions, 8 + 5, Vec3f{0, nan, 0});
       }},
      {"example 'bent 80', vertex 7", "from where it rests",
       [](ExampleSet& s) {
         s.positions = with(s.positions, 16 + 7, Vec3f{1000, 0, 0});
       }},
      {"example 'rest', vertex 2", "normal of length",
       [](ExampleSet& s) {
         s.normals = with(s.normals, 2, Vec3f{0, 0.99f, 0});
       }},
      {"example 'bent 40', vertex 0", "normal that is not finite",
       [](ExampleSet& s) {
         s.normals = with(s.normals, 8, Vec3f{nan, 0, 0});
       }},
      {"example 'bent 80', joint 'elbow'", "rotation of length",
       [](ExampleSet& s) {
         s.rotations = with(s.rotations, 7, Quatf{0, 0, 0, 1.1f});
       }},
      {"example 'bent 80', joint 'tip'", "rotation of length",
       [](ExampleSet& s) {
         s.rotations = with(s.rotations, 8, Quatf{nan, 0, 0, 1});
       }},
      {"example 'rest', joint 'tip'", "not finite",
       [](ExampleSet& s) {
         s.translations = with(s.translations, 2, Vec3f{0, nan, 0});
       }},
      {"example 'rest'", "occurs twice, at 0 and 3", [](ExampleSet& s) { s.examples[3].name = "rest"; }},
      {"example", "has no name", [](ExampleSet& s) { s.examples[1].name = ""; }},
      {"example 'bent 40'", "weight", [](ExampleSet& s) { s.examples[1].weight = -1; }},
      {"example 'bent 40'", "weight", [](ExampleSet& s) { s.examples[1].weight = nan; }},
      {"example 'bent 40'", "range", [](ExampleSet& s) { s.examples[1].range = -1; }},
      {"rest skin, triangle 3", "names vertex 8 of 8",
       [](ExampleSet& s) {
         s.triangles = with(s.triangles, 3, Triangle{0, 8, 1});
       }},
      {"rest skin, vertex 4", "not finite",
       [](ExampleSet& s) {
         s.rest_positions = with(s.rest_positions, 4, Vec3f{nan, 0, 0});
       }},
      {"rest skin, vertex 4", "normal of length",
       [](ExampleSet& s) { s.rest_normals = with(s.rest_normals, 4, Vec3f{}); }},
      {"rest skin", "normals", [](ExampleSet& s) { s.rest_normals = {}; }},
      {"rest skin", "no vertices", [](ExampleSet& s) { s.rest_positions = {}; }},
      {"skeleton", "no joints", [](ExampleSet& s) { s.skeleton = {}; }},
      {"example set", "positions", [](ExampleSet& s) { s.positions = s.rest_positions; }},
      {"example set", "normals", [](ExampleSet& s) { s.normals = {}; }},
      {"example set", "rotations", [](ExampleSet& s) { s.rotations = {}; }},
      {"example set", "translations", [](ExampleSet& s) { s.translations = s.rest_positions; }},
      {"example set", "scales", [](ExampleSet& s) { s.scales = s.rest_positions; }}};
  for (const Case& c : cases) {
    ExampleSet set = bar_examples(true);
    c.damage(set);
    for (const unsigned threads : {1u, 4u}) {
      set_thread_count(threads);
      const auto checked = validate(set);
      ASSERT_FALSE(checked) << c.item << c.problem;
      EXPECT_EQ(checked.error().item, c.item) << checked.error().message();
      EXPECT_NE(checked.error().problem.find(c.problem), std::string::npos) << checked.error().message();
    }
    set_thread_count(0);
  }
}

TEST(ExampleSet, AnEmptySetAndOneWithoutTrianglesAreSound) {
  ExampleSet set = bar_examples();
  set.examples.clear();
  set.rotations = {};
  set.positions = {}, set.normals = {};
  set.triangles = {};
  EXPECT_TRUE(validate(set));
}

TEST(ExampleSet, SaysWhatDiffersFromACharacter) {
  const ExampleSet set = bar_examples();
  EXPECT_TRUE(check_matches(set, bar(), 0)) << check_matches(set, bar(), 0).error().message();
  struct Case {
    const char* item;
    const char* problem;
    std::function<void(Character&)> change;
  };
  const auto rename = [](Character& c, const char* name, std::optional<std::size_t> parent) {
    const std::vector<RawJoint> joints{{"root", std::nullopt, c.skeleton.rest(0), {}},
                                       {"elbow", 0, c.skeleton.rest(1), {}},
                                       {name, parent, c.skeleton.rest(2), {}}};
    c.skeleton = build_skeleton(joints).value().skeleton;
  };
  const std::vector<Case> cases{
      {"skeleton", "has 1 joints; the examples have 3",
       [](Character& c) { c.skeleton = build_skeleton(std::vector<RawJoint>(1)).value().skeleton; }},
      {"joint 2 'end'", "is called 'tip'", [&](Character& c) { rename(c, "end", 1); }},
      {"joint 2 'tip'", "hangs on another joint", [&](Character& c) { rename(c, "tip", 0); }},
      {"joint 1 'elbow'", "rests elsewhere",
       [](Character& c) {
         c.skeleton.set_rest(1, {{0, 1.001f, 0}, c.skeleton.rest(1).rotation, {1, 1, 1}});
       }},
      {"joint 1 'elbow'", "rests elsewhere",
       [](Character& c) {
         c.skeleton.set_rest(1, {{0, 1, 0}, {}, {1, 1, 1}});
       }},
      {"part 'skin'", "has 9 vertices; the examples have 8",
       [](Character& c) { c.parts[0].mesh.positions.push_back({}); }},
      {"part 'skin'", "has 11 triangles", [](Character& c) { c.parts[0].mesh.triangles.pop_back(); }},
      {"part 'skin', triangle 4", "other corners",
       [](Character& c) { std::swap(c.parts[0].mesh.triangles[4][0], c.parts[0].mesh.triangles[4][1]); }},
      {"part 'skin', vertex 6", "rests", [](Character& c) { c.parts[0].mesh.positions[6].x += 1e-3f; }}};
  for (const Case& c : cases) {
    Character other = bar();
    c.change(other);
    const auto matched = check_matches(set, other, 0);
    ASSERT_FALSE(matched) << c.item;
    EXPECT_EQ(matched.error().item, c.item) << matched.error().message();
    EXPECT_NE(matched.error().problem.find(c.problem), std::string::npos) << matched.error().message();
  }
  Character turned = bar();  // q and -q are one rotation
  Transformf rest = turned.skeleton.rest(1);
  rest.rotation = -rest.rotation;
  turned.skeleton.set_rest(1, rest);
  EXPECT_TRUE(check_matches(set, turned, 0));
}

TEST(ExampleSetParts, AreFoundByNameAndVertices) {
  // Two parts of one name, as exporters write them that name meshes after materials.
  Character two = bar();
  two.parts.push_back(two.parts[0]);
  two.parts[1].mesh.positions.resize(4);
  two.parts[1].mesh.triangles.clear();
  ExampleSet set = bar_examples();
  set.parts = {{"skin", 4}, {"skin", 8}};
  const auto parts = parts_of(set, two);
  ASSERT_TRUE(parts) << parts.error().message();
  EXPECT_EQ(*parts, (std::vector<std::size_t>{1, 0}));
  EXPECT_FALSE(validate(set)) << "the set has eight vertices, not twelve";
  set.parts = {{"skin", 8}, {"skin", std::size_t(0) - 8}, {"skin", 8}};
  EXPECT_FALSE(validate(set)) << "sums that wrap round are no sums";
  set.parts = {{"skin", 3}, {"skin", 5}, {"skin", 0}};
  ASSERT_FALSE(parts_of(set, two)) << "there are two of that name";
  EXPECT_EQ(set.part_names(), "skin, skin, skin");
  set.parts = {{"skin", 3}, {"skin", 5}};
  EXPECT_TRUE(validate(set)) << validate(set).error().message();
  const auto matched = check_matches(set, two, std::vector<std::size_t>{0, 1});
  ASSERT_FALSE(matched);
  EXPECT_NE(matched.error().problem.find("has 8 vertices; the examples have 3"), std::string::npos)
      << matched.error().message();
}

}  // namespace
}  // namespace supple::test
