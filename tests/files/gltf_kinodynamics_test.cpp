// Kinodynamics in glTF files: everything comes back to the bit, edits leave it, what is malformed is named.
#include "supple/files/gltf/deformers.h"

#include <gtest/gtest.h>

#include <functional>

#include "../support/kinodynamic_limb.h"
#include "gltf_support.h"

namespace supple {
namespace {

const Json& member(const gltf::Document& document) {
  return document.root["extensions"]["SUPPLE_deformers"]["kinodynamics"];
}

TEST(KinodynamicFiles, EverythingComesBackToTheBit) {
  const Character limb = test::kinodynamic_limb();
  const auto document = gltf::to_document(limb);
  ASSERT_TRUE(document.ok()) << document.error().message();
  // Through text, as files go.
  gltf::Document read = *document;
  read.root = Json::parse(document->root.dump());
  const auto back = gltf::to_character(read, nullptr, {.strict = true});
  ASSERT_TRUE(back.ok()) << back.error().message();
  ASSERT_TRUE(back->character.kinodynamics.has_value());
  EXPECT_EQ(*back->character.kinodynamics, *limb.kinodynamics);
  EXPECT_TRUE(member(*document)["muscles"][0].contains("dampingRatio"));
  EXPECT_EQ(member(*document)["muscles"][0]["joint"], 1);
}

TEST(KinodynamicFiles, AnEmptyOneIsTheAutomaticField) {
  Character limb = test::plain_limb();
  limb.kinodynamics.emplace();
  const auto document = gltf::to_document(limb);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(member(*document), Json::object());
  const auto back = gltf::to_character(*document, nullptr, {.strict = true});
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->character.kinodynamics, Kinodynamics{});
}

TEST(KinodynamicFiles, AFileGivesItUpAgain) {
  const auto before = gltf::to_document(test::plain_limb());
  gltf::Document document = *before;
  auto imported = gltf::to_character(document);
  ASSERT_TRUE(imported.ok());
  const auto full = test::kinodynamic_limb().kinodynamics;
  imported->character.kinodynamics = full;
  ASSERT_TRUE(gltf::put_deformer(document, kinodynamic_kind, *imported).ok());
  ASSERT_TRUE(gltf::check(document).ok());
  EXPECT_EQ(gltf::to_character(document)->character.kinodynamics, full);
  imported->character.kinodynamics.reset();
  ASSERT_TRUE(gltf::put_deformer(document, kinodynamic_kind, *imported).ok());
  EXPECT_EQ(document.root, before->root);
}

/// Two parts on nodes of their own, both painted.
Character painted_character() {
  Character c = test::small_character();
  c.kinodynamics.emplace();
  VortexMuscle m;
  m.name = "both";
  m.joint = 8;
  m.radii = {1, 1, 1};
  m.skin_joints = {7, 3};
  m.skin_weights = {{1, 2, 0.5f}, {0, 4, 1}, {0, 0, 0.25f}};
  c.kinodynamics->muscles.push_back(m);
  return c;
}

TEST(KinodynamicFiles, PartsAreNodesAndPrimitives) {
  const Character c = painted_character();
  const auto document = gltf::to_document(c);
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto back = gltf::to_character(*document, nullptr, {.strict = true});
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->character.kinodynamics, c.kinodynamics);
}

TEST(KinodynamicFiles, PartsThatTheFileLacksAreNamed) {
  Character c = painted_character();
  c.parts[1].mesh.triangles.clear();  // so the part is not written
  const auto document = gltf::to_document(c);
  ASSERT_FALSE(document.ok());
  EXPECT_NE(document.error().message().find("kinodynamics.muscles[0] 'both'"), std::string::npos)
      << document.error().message();
}

TEST(KinodynamicFiles, WhatIsMalformedIsNamed) {
  const auto good = gltf::to_document(test::kinodynamic_limb());
  const auto complaint = [&](const std::function<void(Json&)>& damage) {
    gltf::Document document = *good;
    damage(document.root["extensions"]["SUPPLE_deformers"]["kinodynamics"]);
    Warnings warnings;
    const auto read = gltf::to_character(document, &warnings);
    EXPECT_TRUE(read.ok() && !read->character.kinodynamics);
    EXPECT_FALSE(gltf::to_character(document, nullptr, {.strict = true}).ok());
    return warnings.empty() ? std::string() : warnings[0];
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << " lacks " << part;
  };
  has(complaint([](Json& k) { k = 3; }), "kinodynamics: must be a JSON object");
  has(complaint([](Json& k) { k["window"] = "long"; }), "kinodynamics.window");
  has(complaint([](Json& k) { k["window"] = 100; }), "window out of range");
  has(complaint([](Json& k) { k["field"]["source"] = "none"; }), "field.source");
  has(complaint([](Json& k) { k["field"]["step"] = 9; }), "steps out of range");
  has(complaint([](Json& k) { k["field"]["tissue"][0]["joint"] = 99; }), "tissue[0].joint");
  has(complaint([](Json& k) { k["field"]["tissue"][0]["radii"] = {1, 0, 1}; }), "tissue 'upper'");
  has(complaint([](Json& k) { k["field"]["tissue"][0].erase("radii"); }), "tissue[0].radii: is missing");
  has(complaint([](Json& k) { k["field"]["tissue"][2]["star"].push_back(1); }), "star shape of 65");
  has(complaint([](Json& k) { k["field"]["volume"][0]["keys"][1]["angle"] = -1; }), "angles do not rise");
  has(complaint([](Json& k) { k["field"]["volume"][0].erase("keys"); }), "volume[0].keys: is missing");
  has(complaint([](Json& k) { k["muscles"][0]["frequency"] = 0; }), "muscle 'calf'");
  has(complaint([](Json& k) { k["muscles"][0]["frequency"] = 1e300; }), "muscles[0].frequency");
  has(complaint([](Json& k) { k["muscles"][0]["orientation"] = {0, 0, 0, 0}; }), "unit quaternion");
  has(complaint([](Json& k) { k["muscles"][0]["skinJoints"][0] = -1; }), "skinJoints[0]");
  has(complaint([](Json& k) { k["muscles"][1]["surface"]["triangles"].erase(0); }), "not closed");
  has(complaint([](Json& k) { k["muscles"][1]["surface"]["triangles"][0][0] = 1e6; }), "muscle 'ball'");
  has(complaint([](Json& k) { k["muscles"][1]["target"].erase(0); }), "target of");
  has(complaint([](Json& k) { k["muscles"][1]["skinWeights"][0]["primitive"] = 3; }), "primitive 3");
  has(complaint([](Json& k) { k["muscles"][1]["skinWeights"][0]["vertices"][0] = 100000; }), "does not exist");
  has(complaint([](Json& k) { k["muscles"][1]["skinWeights"][0]["weights"][0] = 2; }), "outside 0 to 1");
}

}  // namespace
}  // namespace supple
