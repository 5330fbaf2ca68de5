// Morph drivers in files: they come back bit for bit, and what is wrong with them is named without losing the rest.
#include <gtest/gtest.h>

#include "supple/files/gltf/deformers.h"

#include <bit>
#include <functional>
#include <limits>

#include "files/gltf_support.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/deform/drive.h"
#include "supple/files/load.h"
#include "support/driven_character.h"

namespace supple::test {
namespace {

/// operator== takes -0 for 0.
void expect_same_bits(const std::vector<MorphDriver>& a, const std::vector<MorphDriver>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t d = 0; d < a.size(); ++d) {
    EXPECT_TRUE(a[d] == b[d]) << d;
    ASSERT_EQ(a[d].coefficients.size(), b[d].coefficients.size());
    for (std::size_t i = 0; i < a[d].coefficients.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a[d].coefficients[i]), std::bit_cast<std::uint64_t>(b[d].coefficients[i]));
  }
}

Json& drivers_of(gltf::Document& document) { return document.root["extensions"]["SUPPLE_deformers"]["drivers"]; }

TEST(Deformers, ComeBackBitForBit) {
  Character c = driven_strip();
  bake_drivers(c);
  Rng rng(3);
  // Numbers that text formats get wrong: thirds, the smallest and largest, huge coefficients that cancel, minus zero.
  c.drivers[0].coefficients[0] = 1.0 / 3;
  c.drivers[0].coefficients[1] = -123456789012345.67;
  c.drivers[0].coefficients[2] = std::numeric_limits<double>::denorm_min();
  c.drivers[0].coefficients[3] = std::numeric_limits<double>::max();
  c.drivers[0].coefficients[4] = -0.0;
  c.drivers[0].reference[0] = random_rotation(rng, 2);
  c.drivers[1].kernel = RbfKernel::linear;
  c.drivers[1].coefficients.resize(c.drivers[1].rows());
  c.drivers[1].radius = std::nextafter(1.0f, 2.0f);
  c.drivers[1].name.clear();
  c.drivers.push_back(random_driver(rng, {2, 0}, RbfKernel::cubic, 7, 1, true));
  const TemporaryFolder folder;
  for (const char* name : {"strip.glb", "strip.gltf"}) {
    const auto saved = save(folder / name, c);
    ASSERT_TRUE(saved) << saved.error().message();
    Warnings warnings;
    const auto loaded = load(folder / name, &warnings, {.strict = true});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_TRUE(warnings.empty()) << warnings[0];
    expect_same(c, loaded->character());
    expect_same_bits(c.drivers, loaded->character().drivers);
    EXPECT_EQ(loaded->document->root["extensionsUsed"], Json::array({"SUPPLE_deformers"}));
    EXPECT_FALSE(loaded->document->root.contains("extensionsRequired"));
  }
}

TEST(Deformers, LimitsComeBackAndFilesWithoutThemHaveNone) {
  Character c = limited_strip();
  c.drivers[0].most[0] = std::nextafter(1.0f, 2.0f);
  const TemporaryFolder folder;
  ASSERT_TRUE(save(folder / "strip.glb", c));
  const auto loaded = load(folder / "strip.glb", nullptr, {.strict = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  expect_same_bits(c.drivers, loaded->character().drivers);
  const gltf::Document plain = *gltf::to_document(driven_strip());
  for (const Json& driver : plain.root["extensions"]["SUPPLE_deformers"]["drivers"])
    EXPECT_FALSE(driver.contains("least") || driver.contains("most"));
  const auto again = gltf::to_character(plain);
  ASSERT_TRUE(again);
  for (const MorphDriver& driver : again->character.drivers) EXPECT_FALSE(driver.is_limited());
}

TEST(Deformers, NodesAndTargetsAreNumberedAsInTheFile) {
  Character c = driven_strip();
  c.parts[0].node = no_joint;  // the writer gives it a node of its own, after the joints
  std::swap(c.parts[0], c.parts[1]);
  const auto document = gltf::to_document(c);
  ASSERT_TRUE(document) << document.error().message();
  const Json& driver = document->root["extensions"]["SUPPLE_deformers"]["drivers"][2];
  EXPECT_EQ(driver["node"], c.skeleton.size());
  EXPECT_EQ(driver["firstTarget"], 5);
  EXPECT_EQ(driver["joints"], Json::array({c.drivers[2].joints[0]}));
  const auto again = gltf::to_character(*document);
  ASSERT_TRUE(again) << again.error().message();
  ASSERT_EQ(again->morphs.size(), 2u);
  EXPECT_EQ(again->morphs[0].count, 1u) << "the flag comes first now";
  for (std::size_t d = 0; d < c.drivers.size(); ++d) {
    MorphDriver wanted = c.drivers[d];
    wanted.first_weight += 1;
    EXPECT_TRUE(again->character.drivers[d] == wanted);
  }
}

TEST(Deformers, PartsThatShareWeightsEachGetTheDriver) {
  Character c = driven_strip();
  Part copy = c.parts[0];
  c.skins.push_back(c.skins[0]);
  copy.skin = 1;  // another skin: another node
  copy.node = no_joint;
  c.parts.push_back(copy);
  const auto document = gltf::to_document(c);
  ASSERT_TRUE(document) << document.error().message();
  const auto again = gltf::to_character(*document);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->character.drivers.size(), 2 * c.drivers.size());
}

struct Breakage {
  const char* place;  // that the message must name
  std::function<void(Json& extension)> spoil;
};

TEST(Deformers, WhatIsMalformedIsNamed) {
  const auto driver = [](std::size_t d, auto spoil) {
    return [=](Json& extension) { spoil(extension["drivers"][d]); };
  };
  const std::string at = "extensions.SUPPLE_deformers";
  const std::vector<Breakage> breakages{
      {".version", [](Json& e) { e.erase("version"); }},
      {".version", [](Json& e) { e["version"] = 2; }},
      {".version", [](Json& e) { e["version"] = 0; }},
      {".version", [](Json& e) { e["version"] = "1"; }},
      {".drivers", [](Json& e) { e["drivers"] = Json::object(); }},
      {".drivers[0]", [](Json& e) { e["drivers"][0] = 5; }},
      {".drivers[1].node", driver(1, [](Json& d) { d.erase("node"); })},
      {".drivers[1].node", driver(1, [](Json& d) { d["node"] = 77; })},
      {".drivers[1].node", driver(1, [](Json& d) { d["node"] = 0; })},  // it has no mesh
      {".drivers[1].firstTarget", driver(1, [](Json& d) { d["firstTarget"] = 7; })},
      {".drivers[1].firstTarget", driver(1, [](Json& d) { d["firstTarget"] = -1; })},
      {".drivers[2].restWeights", driver(2, [](Json& d) { d["firstTarget"] = 6; })},
      {".drivers[2].restWeights", driver(2, [](Json& d) { d.erase("restWeights"); })},
      {".drivers[2].restWeights", driver(2, [](Json& d) { d["restWeights"] = Json::array(); })},
      {".drivers[2].least", driver(2, [](Json& d) { d["least"] = {-9}; })},  // there are two targets
      {".drivers[2].most", driver(2, [](Json& d) { d["most"] = Json::array(); })},
      {".drivers[0].most[0]", driver(0, [](Json& d) { d["most"] = {"high"}; })},
      {".drivers[0].most[0]", driver(0, [](Json& d) { d["most"] = {1e300}; })},
      {".drivers[0]", driver(0, [](Json& d) { d["least"] = {0.9}; })},  // the rest weight is below
      {".drivers[0]", driver(0, [](Json& d) { d["most"] = {0.1}; })},
      {".drivers[1].joints[1]", driver(1, [](Json& d) { d["joints"][1] = 99; })},
      {".drivers[1].joints[0]", driver(1, [](Json& d) { d["joints"][0] = "elbow"; })},
      {".drivers[1].reference", driver(1, [](Json& d) { d["joints"].push_back(0); })},
      {".drivers[3].radii", driver(3, [](Json& d) { d.erase("radii"); })},
      {".drivers[3]", driver(3, [](Json& d) { d["radii"][0] = 0; })},
      {".drivers[3].radii[1]", driver(3, [](Json& d) { d["radii"][1] = "wide"; })},
      {".drivers[3].pairs[0]", driver(3,
                                      [](Json& d) {
                                        d["pairs"][0] = {0, 2};
                                      })},
      {".drivers[3].pairs[0]", driver(3,
                                      [](Json& d) {
                                        d["pairs"][0] = {0.5, 1};
                                      })},
      {".drivers[3]", driver(3,
                             [](Json& d) {
                               d["pairs"][0] = {1, 1};
                             })},
      {".drivers[3].pairWeight", driver(3, [](Json& d) { d.erase("pairWeight"); })},
      {".drivers[3].kernel", driver(3, [](Json& d) { d["kernel"] = "poses"; })},
      {".drivers[1].joints", driver(1, [](Json& d) { d["joints"] = Json::array(); })},
      {".drivers[1]", driver(1,
                             [](Json& d) {
                               d["joints"] = {1, 1};
                             })},
      {".drivers[0].reference[0]", driver(0,
                                          [](Json& d) {
                                            d["reference"][0] = {0, 0, 1};
                                          })},
      {".drivers[0]", driver(0,
                             [](Json& d) {
                               d["reference"][0] = {0, 0, 0, 2};
                             })},
      {".drivers[0].reference", driver(0, [](Json& d) { d["reference"] = Json::array(); })},
      {".drivers[0].reference", driver(0, [](Json& d) { d.erase("reference"); })},
      {".drivers[0].kernel", driver(0, [](Json& d) { d["kernel"] = "multiquadric"; })},
      {".drivers[0].kernel", driver(0, [](Json& d) { d.erase("kernel"); })},
      {".drivers[0].radius", driver(0, [](Json& d) { d["radius"] = "wide"; })},
      {".drivers[0].radius", driver(0, [](Json& d) { d["radius"] = 1e300; })},
      {".drivers[0]", driver(0, [](Json& d) { d["radius"] = 0; })},
      {".drivers[2].twistAxes[0]", driver(2,
                                          [](Json& d) {
                                            d["twistAxes"][0] = {0, 1};
                                          })},
      {".drivers[2]", driver(2,
                             [](Json& d) {
                               d["twistAxes"][0] = {0, 2, 0};
                             })},
      {".drivers[2].twistAxes", driver(2, [](Json& d) { d["twistAxes"] = Json::array(); })},
      {".drivers[2]", driver(2, [](Json& d) { d["twistWeight"] = -1; })},
      {".drivers[1].centres[3]", driver(1, [](Json& d) { d["centres"][3].erase(0); })},
      {".drivers[1]", driver(1, [](Json& d) { d["centres"][3][0] = 9; })},
      {".drivers[1].coefficients[4]", driver(1, [](Json& d) { d["coefficients"][4][0] = nullptr; })},
      {".drivers[0].coefficients[2]", driver(0, [](Json& d) { d["coefficients"][2].push_back(1); })},
      {".drivers[0]", driver(0, [](Json& d) { d["coefficients"].erase(0); })},
      {".drivers[0].coefficients", driver(0, [](Json& d) { d.erase("coefficients"); })},
      {".drivers[1]", driver(1, [](Json& d) { d["firstTarget"] = 2; })},  // driver 0 moves it
  };
  const Character c = driven_strip();
  const gltf::Document good = *gltf::to_document(c);
  for (std::size_t b = 0; b < breakages.size(); ++b) {
    gltf::Document broken = good;
    breakages[b].spoil(broken.root["extensions"]["SUPPLE_deformers"]);
    const std::string place = at + breakages[b].place + ":";
    Warnings warnings;
    const auto read = gltf::to_character(broken, &warnings);
    ASSERT_TRUE(read) << b << read.error().message();
    EXPECT_TRUE(read->character.drivers.empty()) << b;
    EXPECT_EQ(read->character.parts[0].morphs.size(), c.parts[0].morphs.size());
    ASSERT_EQ(warnings.size(), 1u) << b;
    EXPECT_TRUE(warnings[0].starts_with(place)) << b << " " << place << " " << warnings[0];
    EXPECT_NE(warnings[0].find("without its deformers"), std::string::npos);
    const auto strict = gltf::to_character(broken, nullptr, {.strict = true});
    ASSERT_FALSE(strict) << b;
    EXPECT_NE((strict.error().item + ":").find(place), std::string::npos) << b << " " << strict.error().message();
  }
}

Result<void> put_drivers(gltf::Document& document, gltf::Imported& imported, std::vector<MorphDriver> drivers) {
  imported.character.drivers = std::move(drivers);
  return gltf::put_deformer(document, driver_kind, imported);
}

TEST(Deformers, PutReplacesDriversAndNothingElse) {
  gltf::Document d = *gltf::to_document(driven_strip());
  d.root["extensions"]["SUPPLE_deformers"]["later"] = {{"kept", true}};
  d.root["extensions"]["EXT_unknown"] = 1;
  d.root["extensionsUsed"] = {"EXT_unknown", "SUPPLE_deformers", "XYZ_later"};
  auto imported = *gltf::to_character(d);
  const std::vector<MorphDriver> all = imported.character.drivers;
  ASSERT_TRUE(put_drivers(d, imported, {all[0]}));
  EXPECT_EQ(drivers_of(d).size(), 1u);
  EXPECT_EQ(d.root["extensionsUsed"].size(), 3u);
  ASSERT_TRUE(put_drivers(d, imported, {}));
  EXPECT_EQ(d.root["extensions"]["SUPPLE_deformers"], (Json{{"version", 1}, {"later", {{"kept", true}}}}));
  d.root["extensions"]["SUPPLE_deformers"].erase("later");
  ASSERT_TRUE(put_drivers(d, imported, {}));
  EXPECT_EQ(d.root["extensions"], (Json{{"EXT_unknown", 1}}));
  EXPECT_EQ(d.root["extensionsUsed"], Json::array({"EXT_unknown", "XYZ_later"}));
  ASSERT_TRUE(put_drivers(d, imported, all));
  EXPECT_EQ(d.root["extensionsUsed"], Json::array({"EXT_unknown", "SUPPLE_deformers", "XYZ_later"})) << "sorted";
  expect_same_bits(gltf::to_character(d)->character.drivers, imported.character.drivers);

  gltf::Document plain = *gltf::to_document(small_character());
  ASSERT_TRUE(gltf::put_deformer(plain, driver_kind, Character(), {}, {}));
  EXPECT_FALSE(plain.root.contains("extensions"));
  EXPECT_FALSE(plain.root.contains("extensionsUsed"));
}

TEST(Deformers, PutRefusesWhatTheFileLacks) {
  gltf::Document d = *gltf::to_document(driven_strip());
  auto imported = *gltf::to_character(d);
  const std::vector<MorphDriver> all = imported.character.drivers;
  std::vector<MorphDriver> drivers = all;
  drivers[2].first_weight = 6;  // one target of the strip and one of the flag
  auto put = put_drivers(d, imported, drivers);
  ASSERT_FALSE(put);
  EXPECT_NE(put.error().item.find(drivers[2].name), std::string::npos);
  drivers = all;
  drivers[1].joints[0] = 50;
  EXPECT_FALSE(put_drivers(d, imported, drivers));
  EXPECT_EQ(drivers_of(d).size(), 4u) << "nothing was changed";
}

TEST(Deformers, NumbersOfDriversKeepNoAccessorAlive) {
  Character c = driven_strip();
  for (int i = 0; i < 20; ++i) {  // until node and target numbers are numbers of accessors too
    c.clips.push_back(c.clips[0]);
    c.clips.back().name += std::to_string(i);
  }
  gltf::Document d = *gltf::to_document(c);
  const auto imported = *gltf::to_character(d);
  const std::size_t accessors = d.root["accessors"].size();
  for (int i = 0; i < 3; ++i)
    gltf::put_part(d, imported.sources[0], imported.character.parts[0],
                   std::span(imported.character.morph_weights).first(7));
  EXPECT_EQ(d.root["accessors"].size(), accessors);
  expect_same_bits(gltf::to_character(d)->character.drivers, c.drivers);
}

TEST(Deformers, TheExampleOfTheSpecificationDoesWhatItSays) {
  const std::string page = *read_text(std::filesystem::path(SUPPLE_SOURCE_DIR) / "docs/SUPPLE_deformers.md");
  const std::size_t begin = page.find("```json\n") + 8, end = page.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  const std::string json = page.substr(begin, end - begin);
  const auto document = gltf::parse_document(std::as_bytes(std::span(json)), "example.gltf");
  ASSERT_TRUE(document) << document.error().message();
  Warnings warnings;
  const auto read = gltf::to_character(*document, &warnings, {.strict = true});
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(warnings.empty());
  const Character& c = read->character;
  Pose pose = c.rest();
  const JointIndex elbow = *c.skeleton.find("elbow");
  for (const auto& [degrees, weight] : {std::pair{0.0f, 0.0}, {45.0f, 0.3774699}, {90.0f, 1.0}}) {
    pose.local[elbow].rotation = from_axis_angle(Vec3f{1, 0, 0}, degrees * 3.14159265f / 180);
    drive(c.drivers, pose);
    EXPECT_NEAR(pose.morph_weights[0], weight, 1e-6) << degrees;
  }
}

TEST(Deformers, ExtensionsThatAreNoObject) {
  gltf::Document d = *gltf::to_document(driven_strip());
  d.root["extensions"] = 7;
  Warnings warnings;
  EXPECT_TRUE(gltf::to_character(d, &warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("extensions:")) << warnings[0];
}

}  // namespace
}  // namespace supple::test
