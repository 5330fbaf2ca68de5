// supple add flesh as users run it: proposals, recipes, files that play elsewhere, clear refusals.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/author/bake/play_flesh.h"
#include "support/engines.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

/// A limb on disk whose clip bends and twists it.
struct SoftLimb {
  ScratchFolder work;
  fs::path plain = work / "limb.glb", out = work / "soft.glb";
  SoftLimb() { EXPECT_EQ(run(cli + " make limb --joints 3 --vertices 600 -o " + plain.string()).exit_code, 0); }
  CommandResult flesh(const std::string& options) const {
    return run(cli + " add flesh " + plain.string() + " " + options + " -o " + out.string());
  }
};

const std::string two_elements =
    "--element name=calf,driver=limb-0,ends=limb-1,preset=jelly --element "
    "name=shin,driver=limb-1,ends=limb-2,frequency=3";

TEST(AddFlesh, WhatItBakesIsWhatTheSpringsDo) {
  const SoftLimb limb;
  const CommandResult made = limb.flesh(two_elements + " --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  EXPECT_EQ(facts["elements"].size(), 2u);
  EXPECT_GT(facts["clips"][0]["peak"], 0.001);
  const Character c = load(limb.out)->character();
  ASSERT_EQ(c.flesh.elements.size(), 2u);
  Clip clip = c.clips[0];
  ASSERT_TRUE(bake_flesh(c, clip).ok());
  ASSERT_EQ(clip.tracks.size(), c.clips[0].tracks.size());
  for (const Track& wanted : clip.tracks) {
    const auto same = std::find_if(c.clips[0].tracks.begin(), c.clips[0].tracks.end(), [&](const Track& t) {
      return t.target == wanted.target && t.channel == wanted.channel;
    });
    ASSERT_NE(same, c.clips[0].tracks.end());
    EXPECT_EQ(same->values, wanted.values);  // bit by bit
  }
}

class FleshEngines : public testing::TestWithParam<Engine> {};

TEST_P(FleshEngines, PlayTheSameSkin) {
  SUPPLE_REQUIRE_ENGINE(GetParam());
  const SoftLimb limb;
  ASSERT_EQ(limb.flesh(two_elements).exit_code, 0);
  // At keys of the clip, 30 a second: between them Blender does not follow the arc that glTF prescribes for rotations.
  const bool at_keys = GetParam() == Engine::blender;
  const std::vector<float> times =
      at_keys ? std::vector<float>{0, 0.4f, 1, 1.7f, 3.1f} : std::vector<float>{0, 0.41f, 1, 1.713f, 2.5f, 3.127f};
  const double worst = difference_from(GetParam(), limb.out, "0", times);
  RecordProperty("worst_of_a_million", std::to_string(worst * 1e6));
  EXPECT_LE(worst, 1e-5);
  // There is something to see: the same file without its flesh looks different.
  const fs::path still = limb.work / "still.glb";
  ASSERT_EQ(run(cli + " remove flesh " + limb.out.string() + " -o " + still.string()).exit_code, 0);
  const Character a = load(limb.out)->character(), b = load(still)->character();
  auto soft = Skin::make(a, Blend::linear, Layers::as_given()), plain = Skin::make(b);
  ASSERT_TRUE(soft.ok() && plain.ok());
  ASSERT_TRUE(soft->evaluate(a.at(a.clips[0], 1.7f)).ok() && plain->evaluate(b.at(b.clips[0], 1.7f)).ok());
  float most = 0;
  for (std::size_t v = 0; v < soft->positions().size(); ++v)
    most = std::max(most, length(soft->positions()[v] - plain->positions()[v]));
  EXPECT_GT(most, 0.002f);
}

TEST_P(FleshEngines, PlayTheSameBody) {
  SUPPLE_REQUIRE_ENGINE(GetParam());
  const ScratchFolder work;
  const std::string figure = (work / "figure.glb").string(), soft = (work / "soft.glb").string();
  ASSERT_EQ(run(cli + " make figure --vertices 1500 -o " + figure).exit_code, 0);
  ASSERT_EQ(run(cli + " add flesh " + figure + " --auto --influences 4 -o " + soft).exit_code, 0);
  const double worst = difference_from(GetParam(), soft, "1", {0, 0.1f, 0.3f, 0.6f});  // the run, at keys
  RecordProperty("worst_of_a_million", std::to_string(worst * 1e6));
  EXPECT_LE(worst, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, FleshEngines, testing::Values(Engine::three, Engine::babylon, Engine::blender),
                         [](const auto& engine) {
                           return engine.param == Engine::three     ? "ThreeJs"
                                  : engine.param == Engine::babylon ? "BabylonJs"
                                                                    : "Blender";
                         });

TEST(AddFlesh, InspectNamesIt) {
  const SoftLimb limb;
  ASSERT_EQ(limb.flesh(two_elements).exit_code, 0);
  const Json report = Json::parse(run(cli + " inspect --json " + limb.out.string()).out);
  ASSERT_EQ(report["deformers"].size(), 1u);
  EXPECT_EQ(report["deformers"][0]["name"], "flesh");
  EXPECT_EQ(report["deformers"][0]["count"], 2);
  EXPECT_NE(run(cli + " inspect " + limb.out.string()).out.find("without Supple: the same along the file's clips"),
            std::string::npos);
}

TEST(AddFlesh, ValidatorFindsNothing) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const SoftLimb limb;
  ASSERT_EQ(limb.flesh(two_elements).exit_code, 0);
  const fs::path removed = limb.work / "removed.glb", figure = limb.work / "figure.glb", soft = limb.work / "body.glb";
  ASSERT_EQ(run(cli + " remove flesh " + limb.out.string() + " -o " + removed.string()).exit_code, 0);
  ASSERT_EQ(run(cli + " make figure --vertices 1500 -o " + figure.string()).exit_code, 0);
  ASSERT_EQ(run(cli + " add flesh " + figure.string() + " --auto -o " + soft.string()).exit_code, 0);
  const std::vector<fs::path> files{limb.out, removed, soft};
  const Json report = validator_report(files);
  for (const fs::path& f : files) {
    EXPECT_EQ(report[f.string()]["errors"], 0) << report[f.string()].dump(1);
    EXPECT_EQ(report[f.string()]["warnings"], 0) << report[f.string()].dump(1);
  }
  EXPECT_EQ(load(soft)->character().parts[0].weights.max_influences(), 4u) << "three before, and one for flesh";
}

TEST(AddFlesh, ProposesPartsOfABody) {
  const ScratchFolder work;
  const std::string figure = (work / "figure.glb").string(), recipe = (work / "recipe.json").string(),
                    soft = (work / "soft.glb").string();
  ASSERT_EQ(run(cli + " make figure --vertices 1500 -o " + figure).exit_code, 0);
  const CommandResult printed = run(cli + " add flesh " + figure + " --auto");
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const Json json = Json::parse(printed.out);
  std::vector<std::string> drivers;
  for (const Json& e : json["elements"]) drivers.push_back(e["driver"]);
  for (const char* expected : {"hips", "chest", "thigh-left", "thigh-right", "upper-arm-left", "upper-arm-right"})
    EXPECT_NE(std::find(drivers.begin(), drivers.end(), expected), drivers.end()) << expected;
  for (const char* not_flesh : {"root", "head", "hand-left", "foot-right"})
    EXPECT_EQ(std::find(drivers.begin(), drivers.end(), not_flesh), drivers.end()) << not_flesh;
  // Saved, edited, used.
  ASSERT_EQ(run(cli + " add flesh " + figure + " --auto --preset firm --save-recipe " + recipe).exit_code, 0);
  ASSERT_EQ(run(cli + " add flesh " + figure + " --recipe " + recipe + " -o " + soft).exit_code, 0);
  const Character c = load(soft)->character();
  EXPECT_EQ(c.flesh.elements.size(), json["elements"].size());
  // Again on the result: it starts from the plain skin.
  ASSERT_EQ(run(cli + " add flesh " + soft + " --recipe " + recipe + " -o " + soft).exit_code, 0);
  const Character again = load(soft)->character();
  EXPECT_EQ(again.skeleton.size(), c.skeleton.size());
}

TEST(AddFlesh, TheFoxsBelly) {
  const fs::path source = shared_data("gltf_khronos/Fox.glb");
  SUPPLE_REQUIRE_DATA(source);
  const ScratchFolder work;
  const std::string fox = source.string(), soft = (work / "fox.glb").string();
  const CommandResult made =
      run(cli + " add flesh " + fox +
          " --element name=belly,driver=b_Hip_01,ends=b_Spine02_03,frequency=3 --unit 0.01 --json -o " + soft);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  ASSERT_EQ(facts["clips"].size(), 3u);
  for (const Json& clip : facts["clips"]) EXPECT_TRUE(clip["loops"]) << clip.dump();
  EXPECT_GT(facts["clips"][2]["peak"], 0.2) << "centimetres, in the run";
}

TEST(AddFlesh, SaysWhatIsWrong) {
  const SoftLimb limb;
  const auto complaint = [&](const std::string& options) {
    const CommandResult result = limb.flesh(options);
    EXPECT_EQ(result.exit_code, 2) << options;
    EXPECT_FALSE(fs::exists(limb.out));
    return result.err;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(complaint(""), "--auto, --recipe FILE or --element"));
  EXPECT_TRUE(has(complaint("--element name=a,driver=limb-0,ends=limb-0"), "not below its driver"));
  EXPECT_TRUE(has(complaint("--element name=a,driver=limb-7"), "limb-7"));
  EXPECT_TRUE(has(complaint("--element name=a,driver=limb-0,mass=0"), "mass"));
  EXPECT_TRUE(has(complaint("--element name=a,driver=limb-0,stiffness=-1"), "stiffness"));
  EXPECT_TRUE(has(complaint("--element name=a,driver=limb-0,thickness=9"), "has no vertices"));
  EXPECT_TRUE(has(complaint("--auto --preset wobbly"), "wobbly"));
}

}  // namespace
}  // namespace supple::test
