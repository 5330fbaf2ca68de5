// Flesh in files: elements come back to the bit, recipes read as written, files give flesh up again.
#include "supple/files/gltf/flesh.h"

#include <gtest/gtest.h>

#include "../support/fleshy_limb.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/files/flesh_recipe.h"
#include "supple/files/load.h"

namespace supple {
namespace {

FleshRecipe full_recipe() {
  FleshRecipe recipe = test::limb_recipe();
  ElementRecipe& e = recipe.elements[0];
  e.springs = {{4.0, 0.2, {}, {}, {1, 2, 0.5}, 0.75}, {9.0, 0.1, {}, {}, {1, 1, 1}, 0.25}};
  e.torsion = FleshTorsion{2, 0.5f, 0.25f};
  e.air_friction = 0.1;
  e.gain = 1.5;
  e.attenuation = *Attenuation::hermite({{-1, 0, 0}, {0.25, 1, 0}, {1, 0, 0}});
  ElementRecipe second;
  second.name = "shin";
  second.driver = "limb-1";
  second.ends = {"limb-2"};
  second.mass = 2;
  second.springs[0] = {{}, {}, 800.0, 12.0};
  second.attenuation = Attenuation::parabola();
  recipe.elements.push_back(second);
  recipe.colliders.push_back({"ball", "limb-2", {0, 0.1, 0}, {0, 0.2, 0}, 0.03, {"calf"}});
  recipe.contacts = {{"calf", "shin"}};
  return recipe;
}

Character round_trip(const Character& character) {
  const auto document = gltf::to_document(character);
  EXPECT_TRUE(document.ok());
  const auto back = gltf::to_character(*document);
  EXPECT_TRUE(back.ok()) << back.error().message();
  return back->character;
}

TEST(FleshFiles, ElementsComeBackToTheBit) {
  Character limb = test::fleshy_limb(full_recipe());
  for (Clip& clip : limb.clips) ASSERT_TRUE(bake_flesh(limb, clip).ok());
  const Character back = round_trip(limb);
  EXPECT_EQ(back.flesh, limb.flesh);
  ASSERT_EQ(back.clips.size(), limb.clips.size());
  EXPECT_EQ(back.clips[0].tracks.size(), limb.clips[0].tracks.size());
  ASSERT_TRUE(validate(back).ok());
}

TEST(FleshFiles, AFileGivesItsFleshUpAgain) {
  const auto plain = make::make_limb({});
  auto before = gltf::to_document(*plain);
  ASSERT_TRUE(before.ok());
  gltf::Document document = *before;
  auto imported = gltf::to_character(document);
  ASSERT_TRUE(attach_flesh(imported->character, full_recipe()).ok());
  for (Clip& clip : imported->character.clips) ASSERT_TRUE(bake_flesh(imported->character, clip).ok());
  ASSERT_TRUE(gltf::put_fleshed(document, *imported).ok());
  ASSERT_TRUE(gltf::check(document).ok());
  EXPECT_GT(document.root["nodes"].size(), before->root["nodes"].size());
  auto again = gltf::to_character(document);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->character.flesh, imported->character.flesh);

  Warnings warnings;
  ASSERT_TRUE(gltf::take_out_flesh(document, *again, &warnings).ok());
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(document.root["nodes"], before->root["nodes"]);
  EXPECT_FALSE(document.root.contains("extensions"));
  const auto without = gltf::to_character(document);
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without->character.flesh.empty());
  EXPECT_EQ(without->character.skeleton.size(), gltf::to_character(*before)->character.skeleton.size());
  EXPECT_EQ(without->character.clips[0].tracks.size(), plain->clips[0].tracks.size());
  const SkinWeights &a = without->character.parts[0].weights, &b = plain->parts[0].weights;
  ASSERT_EQ(a.entries.size(), b.entries.size());
  for (std::size_t i = 0; i < a.entries.size(); ++i) EXPECT_NEAR(a.entries[i].weight, b.entries[i].weight, 1e-6);
}

TEST(FleshFiles, WhatIsMalformedIsNamed) {
  const Character limb = test::fleshy_limb(full_recipe());
  const auto good = gltf::to_document(limb);
  const auto complaint = [&](auto damage) {
    gltf::Document document = *good;
    damage(document.root["extensions"]["SUPPLE_deformers"]["flesh"]["elements"][0]);
    Warnings warnings;
    const auto read = gltf::to_character(document, &warnings);
    EXPECT_TRUE(read.ok() && read->character.flesh.empty());
    EXPECT_FALSE(gltf::to_character(document, nullptr, {.strict = true}).ok());
    return warnings.empty() ? std::string() : warnings[0];
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(complaint([](Json& e) { e.erase("mass"); }), "elements[0].mass: is missing"));
  EXPECT_TRUE(has(complaint([](Json& e) { e["driver"] = 99; }), "elements[0].driver"));
  EXPECT_TRUE(has(complaint([](Json& e) { e["ends"] = {0}; }), "not below its driver"));
  EXPECT_TRUE(has(complaint([](Json& e) { e["springs"][0]["frequency"] = -1; }), "frequency"));
  EXPECT_TRUE(has(complaint([](Json& e) { e["twins"] = {0}; }), "twins"));
  EXPECT_TRUE(has(complaint([](Json& e) { e["orientation"] = {0, 0, 0}; }), "orientation"));
}

TEST(FleshRecipes, ReadAsWritten) {
  const FleshRecipe recipe = full_recipe();
  const auto back = flesh_recipe_of(to_json(recipe), "recipe");
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(to_json(*back), to_json(recipe));
  // And it makes the same flesh; the angle is written in degrees.
  const Character a = test::fleshy_limb(recipe), b = test::fleshy_limb(*back);
  EXPECT_NEAR(a.flesh.elements[0].torsion->max_angle, b.flesh.elements[0].torsion->max_angle, 1e-6);
  EXPECT_EQ(a.flesh.elements[1], b.flesh.elements[1]);
}

TEST(FleshRecipes, OneElementOnTheCommandLine) {
  const auto e = parse_flesh_element("name=belly,driver=hips,ends=spine+chest,preset=jelly,gravity=2,mass=4");
  ASSERT_TRUE(e.ok()) << e.error().message();
  EXPECT_EQ(e->ends, (std::vector<std::string>{"spine", "chest"}));
  EXPECT_EQ(e->springs[0].frequency, spring_preset("jelly")->frequency);
  EXPECT_NEAR(e->gravity.y, -2 * 9.81, 1e-12);
  EXPECT_EQ(e->mass, 4);
  const auto numbers = parse_flesh_element("name=a,driver=b,axes=1+2+0.5,gravity=0+-5+0,share=0.5");
  ASSERT_TRUE(numbers.ok()) << numbers.error().message();
  EXPECT_EQ(numbers->springs[0].axes, (Vec3d{1, 2, 0.5}));
  EXPECT_EQ(numbers->gravity, (Vec3d{0, -5, 0}));
  FleshRecipe shared = test::limb_recipe();
  shared.elements[0].springs[0].share = 0.5;
  EXPECT_TRUE(flesh_recipe_of(to_json(shared), "r").ok());
  EXPECT_FALSE(parse_flesh_element("belly").ok());
  EXPECT_FALSE(parse_flesh_element("name=belly,driver=hips,freqency=3").ok());
  EXPECT_FALSE(parse_flesh_element("driver=hips").ok());
}

TEST(FleshRecipes, WhatIsWrongIsNamed) {
  const auto complaint = [](const char* text) {
    const auto recipe = flesh_recipe_of(Json::parse(text), "r.json");
    EXPECT_FALSE(recipe.ok()) << text;
    return recipe.ok() ? std::string() : recipe.error().message();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(complaint("{}"), "not a flesh recipe"));
  EXPECT_TRUE(has(complaint(R"({"flesh_recipe": 1, "element": []})"), "did you mean"));
  EXPECT_TRUE(has(complaint(R"({"flesh_recipe": 1, "elements": [{"name": "a"}]})"), "elements[0].driver"));
  EXPECT_TRUE(has(complaint(R"({"flesh_recipe": 1, "elements": [{"name": "a", "driver": "b", "preset": "wet"}]})"),
                  "choose soft, firm, jelly"));
  EXPECT_TRUE(has(complaint(R"({"flesh_recipe": 1, "elements": [{"name": "a", "driver": "b", "attenuation": "x"}]})"),
                  "attenuation"));
  EXPECT_TRUE(has(complaint(R"({"flesh_recipe": 1,
                                "elements": [{"name": "a", "driver": "b", "frequency": 1, "stiffness": 2}]})"),
                  "stiffness"));
}

}  // namespace
}  // namespace supple
