// A pose space in files: it comes back as it was, and what is wrong with it is named without losing the rest.
#include <gtest/gtest.h>

#include <functional>

#include "files/gltf_support.h"
#include "supple/deform/skin.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/load.h"
#include "supple/rig/append_morphs.h"
#include "support/pose_space_arm.h"

namespace supple::test {
namespace {

Json& space_of(gltf::Document& document) { return document.root["extensions"]["SUPPLE_deformers"]["poseSpace"]; }

TEST(PoseSpace, ComesBackBitForBit) {
  for (const JointInfluence kind : {JointInfluence::equal, JointInfluence::weights, JointInfluence::subtree}) {
    Character c = pose_space_arm(kind);
    c.pose_space->radius = 1.0f / 3;
    c.pose_space->floor = std::nextafter(0.1f, 1.0f);
    c.pose_space->reference[1] = Quatf(from_axis_angle(Vec3d{0, 0, 1}, 0.1));
    const TemporaryFolder folder;
    for (const char* name : {"arm.glb", "arm.gltf"}) {
      const auto saved = save(folder / name, c);
      ASSERT_TRUE(saved) << saved.error().message();
      Warnings warnings;
      const auto loaded = load(folder / name, &warnings, {.strict = true});
      ASSERT_TRUE(loaded) << loaded.error().message();
      EXPECT_TRUE(warnings.empty()) << warnings[0];
      ASSERT_TRUE(loaded->character().pose_space);
      EXPECT_EQ(*loaded->character().pose_space, *c.pose_space);
      // What is shown comes back to the bit too.
      Skin before = Skin::make(c).value(), after = Skin::make(loaded->character()).value();
      ASSERT_TRUE(before.evaluate(pose_of_arm(c, {0.5f, 0.2f, 0.9f})));
      ASSERT_TRUE(after.evaluate(pose_of_arm(c, {0.5f, 0.2f, 0.9f})));
      EXPECT_TRUE(std::equal(before.positions().begin(), before.positions().end(), after.positions().begin()));
      EXPECT_TRUE(std::equal(before.normals().begin(), before.normals().end(), after.normals().begin()));
    }
  }
}

TEST(PoseSpace, NodesAndTargetsAreNumberedAsInTheFile) {
  Character c = pose_space_arm();
  c.parts.insert(c.parts.begin(), Part());  // another mesh before it, on the finger, with a target of its own
  c.parts[0].name = "nail";
  c.parts[0].node = 3;
  c.parts[0].mesh.positions = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}};
  c.parts[0].mesh.triangles = {{0, 1, 2}};
  c.parts[0].morphs.push_back({"flat", {0}, {{0, 0, 0.1f}}, {}, {}});
  c.parts[1].first_morph_weight = 1;
  c.morph_weights.insert(c.morph_weights.begin(), 0.0f);
  c.pose_space->part = 1;
  c.pose_space->first_weight = 2;
  ASSERT_TRUE(validate(c));
  gltf::Document document = *gltf::to_document(c);
  const Json& json = space_of(document);
  EXPECT_EQ(json["firstTarget"], 1);
  EXPECT_EQ(json["primitive"], 0);
  EXPECT_EQ(json["influence"], "subtree");
  EXPECT_EQ(json["joints"], Json::array({1, 2, 3}));
  EXPECT_EQ(json["settings"].size(), 4u) << "the rest shape's is not written";
  EXPECT_EQ(json["settings"][0].size(), 12u);
  const auto again = gltf::to_character(document);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->character.pose_space, c.pose_space);
}

struct SpaceBreakage {
  const char* place;  // that the message must name
  std::function<void(Json& space)> spoil;
};

TEST(PoseSpace, WhatIsMalformedIsNamed) {
  const std::vector<SpaceBreakage> breakages{
      {"", [](Json& s) { s = 3; }},
      {".node", [](Json& s) { s.erase("node"); }},
      {".node", [](Json& s) { s["node"] = 99; }},
      {".node", [](Json& s) { s["node"] = 1; }},  // it has no mesh
      {".primitive", [](Json& s) { s["primitive"] = 1; }},
      {".firstTarget", [](Json& s) { s.erase("firstTarget"); }},
      {".firstTarget", [](Json& s) { s["firstTarget"] = 5; }},
      {".settings", [](Json& s) { s["firstTarget"] = 2; }},
      {".influence", [](Json& s) { s["influence"] = "some"; }},
      {".influence", [](Json& s) { s.erase("influence"); }},
      {"", [](Json& s) { s["floor"] = 0; }},
      {".floor", [](Json& s) { s["floor"] = "low"; }},
      {".radius", [](Json& s) { s.erase("radius"); }},
      {"", [](Json& s) { s["radius"] = -1; }},
      {".joints", [](Json& s) { s.erase("joints"); }},
      {".joints", [](Json& s) { s["joints"] = Json::array(); }},
      {".joints[1]", [](Json& s) { s["joints"][1] = 77; }},
      {"", [](Json& s) { s["joints"][1] = 1; }},  // twice
      {".reference", [](Json& s) { s["reference"].erase(0); }},
      {".reference[1]", [](Json& s) { s["reference"][1].push_back(0); }},
      {"", [](Json& s) { s["reference"][1][0] = 0.5; }},
      {".settings", [](Json& s) { s.erase("settings"); }},
      {".settings", [](Json& s) { s["settings"] = Json::array(); }},
      {".settings[2]", [](Json& s) { s["settings"][2].erase(0); }},
      {"", [](Json& s) { s["settings"][2] = Json(s["settings"][1]); }},  // the same pose
  };
  const Character c = pose_space_arm();
  const gltf::Document good = *gltf::to_document(c);
  for (std::size_t b = 0; b < breakages.size(); ++b) {
    gltf::Document broken = good;
    breakages[b].spoil(space_of(broken));
    const std::string place = std::string("extensions.SUPPLE_deformers.poseSpace") + breakages[b].place + ":";
    Warnings warnings;
    const auto read = gltf::to_character(broken, &warnings);
    ASSERT_TRUE(read) << b << read.error().message();
    EXPECT_FALSE(read->character.pose_space) << b;
    EXPECT_EQ(read->character.parts[0].morphs.size(), c.parts[0].morphs.size());
    ASSERT_EQ(warnings.size(), 1u) << b;
    EXPECT_TRUE(warnings[0].starts_with(place)) << b << " " << place << " " << warnings[0];
    const auto strict = gltf::to_character(broken, nullptr, {.strict = true});
    ASSERT_FALSE(strict) << b;
    EXPECT_NE((strict.error().item + ":").find(place), std::string::npos) << b << " " << strict.error().message();
  }
}

TEST(PoseSpace, TargetsOfOthersAreRefused) {
  gltf::Document document = *gltf::to_document(pose_space_arm());
  Json driver = {{"node", space_of(document)["node"]},
                 {"firstTarget", 4},
                 {"joints", {1}},
                 {"reference", Json::array({{0, 0, 0, 1}})},
                 {"kernel", "linear"},
                 {"radius", 1},
                 {"centres", Json::array({{0, 0, 0, 1}})},
                 {"coefficients", Json::array({Json::array({1})})},
                 {"restWeights", {0}}};
  document.root["extensions"]["SUPPLE_deformers"]["drivers"] = Json::array({driver});
  const auto strict = gltf::to_character(document, nullptr, {.strict = true});
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.error().message().find("poseSpace.firstTarget: has targets that another deformer"),
            std::string::npos)
      << strict.error().message();
}

TEST(PoseSpace, IsReplacedAndTakenOutWithNothingElse) {
  gltf::Document document = *gltf::to_document(pose_space_arm());
  gltf::Imported imported = gltf::to_character(document).value();
  const std::size_t part = 0;
  const float rest[] = {0.5f};
  append_morphs(imported.character, std::span(&part, 1), {{"more", {1}, {{0, 0, 1}}, {}, {}}}, rest);
  ASSERT_TRUE(gltf::put_morphs(document, imported, std::span(&part, 1)));
  const auto more = gltf::to_character(document);
  ASSERT_TRUE(more) << more.error().message();
  EXPECT_EQ(more->character.pose_space, imported.character.pose_space);
  EXPECT_EQ(more->character.parts[0].morphs.size(), 6u);

  imported = *more;
  remove_driven_morphs(imported.character);
  ASSERT_TRUE(gltf::put_morphs(document, imported, std::span(&part, 1)));
  EXPECT_FALSE(document.root.contains("extensions")) << document.root["extensions"];
  EXPECT_EQ(gltf::to_character(document)->character.parts[0].morphs.size(), 2u);
}

}  // namespace
}  // namespace supple::test
