// Wrinkles in files: they come back as they were, and what is wrong with them is named without losing the rest.
#include <gtest/gtest.h>

#include "supple/files/gltf/deformers.h"

#include <functional>
#include <limits>

#include "files/gltf_support.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/load.h"
#include "supple/rig/append_morphs.h"
#include "support/driven_character.h"

namespace supple::test {
namespace {

/// A fold on the strip, whose targets 0 and 1 no driver moves, and one on the flag.
Character wrinkled_strip() {
  Character c = driven_strip();
  c.wrinkles = {{"knee", 0, {0, 2, 4, 6}, 1.0f / 3, 1}, {"", 1, {2, 0}, std::nextafter(0.1f, 1.0f), 7}};
  return c;
}

Json& wrinkles_of(gltf::Document& document) { return document.root["extensions"]["SUPPLE_deformers"]["wrinkles"]; }

TEST(Wrinkles, ComeBackBitForBit) {
  const Character c = wrinkled_strip();
  const TemporaryFolder folder;
  for (const char* name : {"strip.glb", "strip.gltf"}) {
    const auto saved = save(folder / name, c);
    ASSERT_TRUE(saved) << saved.error().message();
    Warnings warnings;
    const auto loaded = load(folder / name, &warnings, {.strict = true});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_TRUE(warnings.empty()) << warnings[0];
    EXPECT_EQ(loaded->character().wrinkles, c.wrinkles);
    EXPECT_EQ(loaded->character().drivers, c.drivers);
  }
}

TEST(Wrinkles, NodesAndTargetsAreNumberedAsInTheFile) {
  Character c = wrinkled_strip();
  c.parts[0].node = no_joint;  // the writer gives it a node of its own, after the joints
  std::swap(c.parts[0], c.parts[1]);
  std::swap(c.wrinkles[0].part, c.wrinkles[1].part);
  gltf::Document document = *gltf::to_document(c);
  EXPECT_EQ(wrinkles_of(document)[0], (Json{{"name", "knee"},
                                            {"node", c.skeleton.size()},
                                            {"primitive", 0},
                                            {"target", 1},
                                            {"strip", {0, 2, 4, 6}},
                                            {"restLength", 0.33333334}}));
  EXPECT_EQ(wrinkles_of(document)[1]["node"], *c.skeleton.find("joint 2"));
  EXPECT_EQ(wrinkles_of(document)[1]["target"], 0);
  const auto again = gltf::to_character(document);
  ASSERT_TRUE(again) << again.error().message();
  ASSERT_EQ(again->character.wrinkles.size(), 2u);
  EXPECT_EQ(again->character.wrinkles[0].weight, 2u) << "the flag comes first now";
  EXPECT_EQ(again->character.wrinkles[1].weight, 0u);
}

TEST(Wrinkles, FindTheirPrimitive) {
  // Two surfaces of one mesh share weights; the fold is on the second.
  Character c = wrinkled_strip();
  c.parts.insert(c.parts.begin() + 1, c.parts[0]);
  c.wrinkles = {{"second", 1, {1, 3, 5}, 0.25f, 1}};
  gltf::Document document = *gltf::to_document(c);
  EXPECT_EQ(wrinkles_of(document)[0]["primitive"], 1);
  EXPECT_EQ(gltf::to_character(document)->character.wrinkles, c.wrinkles);
}

struct WrinkleBreakage {
  const char* place;  // that the message must name
  std::function<void(Json& wrinkles)> spoil;
};

TEST(Wrinkles, WhatIsMalformedIsNamed) {
  const std::vector<WrinkleBreakage> breakages{
      {"", [](Json& w) { w = Json::object(); }},
      {"[0]", [](Json& w) { w[0] = "knee"; }},
      {"[0].name", [](Json& w) { w[0]["name"] = 3; }},
      {"[0].node", [](Json& w) { w[0].erase("node"); }},
      {"[0].node", [](Json& w) { w[0]["node"] = 99; }},
      {"[0].node", [](Json& w) { w[0]["node"] = 0; }},  // it has no mesh
      {"[0].primitive", [](Json& w) { w[0].erase("primitive"); }},
      {"[0].primitive", [](Json& w) { w[0]["primitive"] = 1; }},
      {"[0].primitive", [](Json& w) { w[0]["primitive"] = -1; }},
      {"[0].strip", [](Json& w) { w[0].erase("strip"); }},
      {"[0].strip", [](Json& w) { w[0]["strip"] = Json::array({3}); }},
      {"[0].strip[1]", [](Json& w) { w[0]["strip"][1] = 8; }},
      {"[0].strip[2]", [](Json& w) { w[0]["strip"][2] = 0.5; }},
      {"[0]", [](Json& w) { w[0]["strip"][1] = 0; }},  // stays where it is
      {"[1].restLength", [](Json& w) { w[1].erase("restLength"); }},
      {"[1].restLength", [](Json& w) { w[1]["restLength"] = 0; }},
      {"[1].restLength", [](Json& w) { w[1]["restLength"] = -1; }},
      {"[1].restLength", [](Json& w) { w[1]["restLength"] = 1e-60; }},
      {"[1].restLength", [](Json& w) { w[1]["restLength"] = 1e60; }},
      {"[1].restLength", [](Json& w) { w[1]["restLength"] = "long"; }},
      {"[1].target", [](Json& w) { w[1].erase("target"); }},
      {"[1].target", [](Json& w) { w[1]["target"] = 1; }},
      {"[0].target", [](Json& w) { w[0]["target"] = 3; }},       // a driver's
      {"[2].target", [](Json& w) { w.push_back(Json(w[0])); }},  // another wrinkle's
  };
  const Character c = wrinkled_strip();
  const gltf::Document good = *gltf::to_document(c);
  for (std::size_t b = 0; b < breakages.size(); ++b) {
    gltf::Document broken = good;
    breakages[b].spoil(wrinkles_of(broken));
    const std::string place = std::string("extensions.SUPPLE_deformers.wrinkles") + breakages[b].place + ":";
    Warnings warnings;
    const auto read = gltf::to_character(broken, &warnings);
    ASSERT_TRUE(read) << b << read.error().message();
    EXPECT_TRUE(read->character.wrinkles.empty()) << b;
    EXPECT_TRUE(read->character.drivers.empty()) << b << " drivers are not guessed at either";
    EXPECT_EQ(read->character.parts[0].morphs.size(), c.parts[0].morphs.size());
    ASSERT_EQ(warnings.size(), 1u) << b;
    EXPECT_TRUE(warnings[0].starts_with(place)) << b << " " << place << " " << warnings[0];
    const auto strict = gltf::to_character(broken, nullptr, {.strict = true});
    ASSERT_FALSE(strict) << b;
    EXPECT_NE((strict.error().item + ":").find(place), std::string::npos) << b << " " << strict.error().message();
  }
}

TEST(Wrinkles, ANodeWithoutTargetsHasNoFolds) {
  Character c = wrinkled_strip();
  c.parts[1].morphs.clear();
  c.morph_weights.resize(7);
  c.wrinkles.pop_back();
  gltf::Document document = *gltf::to_document(c);
  wrinkles_of(document)[0]["node"] = *c.skeleton.find("joint 2");
  wrinkles_of(document)[0]["strip"] = {0, 1};
  Warnings warnings;
  ASSERT_TRUE(gltf::to_character(document, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("wrinkles[0].node: nodes[2] has no morph targets"), std::string::npos) << warnings[0];
}

TEST(Wrinkles, PutReplacesThemAndNothingElse) {
  gltf::Document d = *gltf::to_document(wrinkled_strip());
  auto imported = *gltf::to_character(d);
  const std::vector<Wrinkle> all = imported.character.wrinkles;
  const auto put_wrinkles = [&](std::vector<Wrinkle> wrinkles) {
    imported.character.wrinkles = std::move(wrinkles);
    return gltf::put_deformer(d, wrinkle_kind, imported);
  };
  ASSERT_TRUE(put_wrinkles({all[0]}));
  EXPECT_EQ(wrinkles_of(d).size(), 1u);
  ASSERT_TRUE(put_wrinkles({}));
  EXPECT_FALSE(d.root["extensions"]["SUPPLE_deformers"].contains("wrinkles"));
  EXPECT_EQ(d.root["extensions"]["SUPPLE_deformers"]["drivers"].size(), 4u);
  std::vector<Wrinkle> lost = all;
  lost[1].weight = 3;  // of the strip, not of the flag
  const auto put = put_wrinkles(lost);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().item, "wrinkles[1]");
  lost[1].part = 5;
  EXPECT_FALSE(put_wrinkles(lost));
}

TEST(Wrinkles, TargetsThatGoTakeTheirNumbersAlong) {
  // As a second fit does: what drivers moved is taken out, other targets come in.
  gltf::Document d = *gltf::to_document(wrinkled_strip());
  auto imported = *gltf::to_character(d);
  Character& c = imported.character;
  c.wrinkles.erase(c.wrinkles.begin());
  c.wrinkles.push_back({"last", 0, {0, 2}, 0.5f, 0});
  const std::size_t strip = 0;
  const float none = 0;
  c.wrinkles[1].weight = append_morphs(c, std::span(&strip, 1), {c.parts[0].morphs[0]}, std::span(&none, 1));
  EXPECT_EQ(c.wrinkles[1].weight, 7u);
  remove_driven_morphs(c);
  const auto parts = gltf::surfaces_of_mesh(imported, 0);
  ASSERT_TRUE(parts);
  ASSERT_TRUE(gltf::put_morphs(d, imported, *parts));
  EXPECT_EQ(wrinkles_of(d)[1]["target"], 2) << "two undriven ones before it";
  EXPECT_FALSE(d.root["extensions"]["SUPPLE_deformers"].contains("drivers"));
  Warnings warnings;
  const auto again = gltf::to_character(d, &warnings, {.strict = true});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->character.wrinkles, c.wrinkles);
  EXPECT_EQ(again->character.parts[0].morphs.size(), 3u);
}

TEST(Wrinkles, AMeshOfTwoNodesIsRefused) {
  Character c = wrinkled_strip();
  gltf::Document d = *gltf::to_document(c);
  Json second = d.root["nodes"][*c.skeleton.find("mesh")];
  d.root["scenes"][0]["nodes"].push_back(d.root["nodes"].size());
  second.erase("children");
  d.root["nodes"].push_back(second);
  const auto imported = gltf::to_character(d);
  ASSERT_TRUE(imported) << imported.error().message();
  const auto parts = gltf::surfaces_of_mesh(*imported, 0);
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().message(),
            "part 'strip': is drawn by two nodes of the file (give each node a mesh of its own)");
}

}  // namespace
}  // namespace supple::test
