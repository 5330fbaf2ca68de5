// supple add wrinkles: folds in a plain file, with flesh or without, and what is wrong with a strip is said.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.h"
#include "support/engines.h"

namespace supple::test {
namespace {

const std::string inside = " --strip 0,0.1,0.05+0,0.3,0.05 --wavelength 0.04";

/// Along the clip: how far the strip on a skin that only plays tracks is from its length at rest, relative to that,
/// where the fold is neither flat nor at its highest.
double worst_stretch(const Character& c, int* folded) {
  auto skin = Skin::make(c, Blend::linear, Layers::as_given());
  EXPECT_TRUE(skin);
  const Wrinkle& w = c.wrinkles[0];
  double worst = 0;
  for (int i = 0; i <= 100; ++i) {
    const Clip& clip = c.clips[0];
    const Pose pose = c.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / 100);
    EXPECT_TRUE(skin->evaluate(pose));
    const float weight = pose.morph_weights[w.weight];
    if (!(weight > 0.05f && weight < 1)) continue;
    ++*folded;
    double length_now = 0;
    for (std::size_t k = 1; k < w.strip.size(); ++k)
      length_now += length(Vec3d(skin->positions()[w.strip[k]]) - Vec3d(skin->positions()[w.strip[k - 1]]));
    worst = std::max(worst, std::abs(length_now / double{w.rest_length} - 1));
  }
  return worst;
}

/// A limb of 4000 vertices; edges of 7 mm are short enough for waves of 4 cm.
fs::path make_limb(const ScratchFolder& work) {
  const fs::path file = work / "limb.glb";
  EXPECT_EQ(supple("make limb --vertices 4000 -o " + file.string()).exit_code, 0);
  return file;
}

TEST(AddWrinkles, AnyEngineShowsTheFolds) {
  const ScratchFolder work;
  const fs::path limb = make_limb(work), folds = work / "folds.glb";
  const CommandResult done =
      supple("add wrinkles --json " + limb.string() + inside + " --name elbow -o " + folds.string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Json report = Json::parse(done.out);
  ASSERT_EQ(report["wrinkles"].size(), 1u);
  EXPECT_EQ(report["wrinkles"][0]["name"], "elbow");
  EXPECT_EQ(report["wrinkles"][0]["clip"], "bend");
  EXPECT_NEAR(report["wrinkles"][0]["rest_length"].get<double>(), 0.2, 0.01);
  EXPECT_GT(report["wrinkles"][0]["most"], 0.3);

  Warnings warnings;
  const auto loaded = load(folds, &warnings, {.strict = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Character& c = loaded->character();
  ASSERT_EQ(c.wrinkles.size(), 1u);
  EXPECT_EQ(report["wrinkles"][0]["strip"], c.wrinkles[0].strip);
  EXPECT_EQ(c.parts[0].morphs.back().name, "elbow");
  int folded = 0;
  // Weights are within 5e-4 of what they should be; a wave of that height adds far less than this to a strip.
  EXPECT_LT(worst_stretch(c, &folded), 1e-3);
  EXPECT_GT(folded, 20);

  if (missing_package("gltf-validator").empty()) {
    const Json checked = validator_report({folds})[folds.string()];
    EXPECT_EQ(checked["errors"], 0) << checked;
    EXPECT_EQ(checked["warnings"], 0) << checked;
  }
  if (missing_package("ajv").empty()) {
    const fs::path schema = fs::path(SUPPLE_SOURCE_DIR) / "docs/schema/SUPPLE_deformers.schema.json";
    const CommandResult checked = run("node " + (node_folder / "check_schema.mjs").string() + " " + schema.string() +
                                      " SUPPLE_deformers " + folds.string());
    EXPECT_EQ(Json::parse(checked.out)[folds.string()]["valid"], true) << checked.out;
  }
  if (missing_engine(Engine::three).empty()) {
    EXPECT_LT(difference_from(Engine::three, folds, "0", {0, 0.5f, 1, 1.5f}), 1e-5);
  }
}

TEST(AddWrinkles, FleshBeforeOrAfterIsTheSame) {
  const ScratchFolder work;
  const fs::path limb = make_limb(work), folds = work / "folds.glb", soft = work / "soft.glb";
  const fs::path first = work / "first.glb", second = work / "second.glb", back = work / "back.glb";
  const std::string flesh = " --rate 30 --element name=forearm,driver=limb-1,ends=limb-2,preset=soft -o ";
  ASSERT_EQ(supple("add wrinkles " + limb.string() + inside + " -o " + folds.string()).exit_code, 0);
  ASSERT_EQ(supple("add flesh " + folds.string() + flesh + first.string()).exit_code, 0);
  ASSERT_EQ(supple("add flesh " + limb.string() + flesh + soft.string()).exit_code, 0);
  ASSERT_EQ(supple("add wrinkles " + soft.string() + inside + " -o " + second.string()).exit_code, 0);
  ASSERT_EQ(supple("remove flesh " + first.string() + " -o " + back.string()).exit_code, 0);
  const Character without = load(folds).value().character(), a = load(first).value().character(),
                  b = load(second).value().character(), removed = load(back).value().character();
  ASSERT_EQ(a.wrinkles.size(), 1u);
  EXPECT_EQ(a.wrinkles, b.wrinkles);
  EXPECT_EQ(a.wrinkles, removed.wrinkles);
  float differ = 0;
  for (int i = 0; i <= 60; ++i) {  // frames of the flesh
    const auto weight = [&](const Character& c) {
      return c.at(c.clips[0], static_cast<float>(i) / 30).morph_weights[c.wrinkles[0].weight];
    };
    EXPECT_NEAR(weight(a), weight(b), 2e-3f) << i;
    EXPECT_NEAR(weight(removed), weight(without), 2e-3f) << i;
    differ = std::max(differ, std::abs(weight(a) - weight(without)));
  }
  EXPECT_GT(differ, 0.02f) << "the folds see the flesh";
  int folded = 0;
  EXPECT_LT(worst_stretch(a, &folded), 1e-3);
  EXPECT_GT(folded, 20);
}

TEST(AddWrinkles, StripsAndCallsAddUp) {
  const ScratchFolder work;
  const fs::path limb = make_limb(work), once = work / "once.glb", twice = work / "twice.gltf";
  const std::string second = " --strip 0,0.3,0.05+0,0.5,0.05";
  ASSERT_EQ(supple("add wrinkles " + limb.string() + inside + second + " -o " + once.string()).exit_code, 0);
  ASSERT_EQ(supple("add wrinkles " + once.string() + inside + " --height 0.002 -o " + twice.string()).exit_code, 0);
  const Character c = load(twice).value().character();
  ASSERT_EQ(c.wrinkles.size(), 3u);
  ASSERT_EQ(c.parts[0].morphs.size(), 3u);
  const char* const names[]{"wrinkle", "wrinkle 2", "wrinkle 3"};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(c.wrinkles[k].name, names[k]);
    EXPECT_EQ(c.wrinkles[k].weight, k);
  }
  EXPECT_EQ(c.wrinkles[0].strip, c.wrinkles[2].strip);
}

TEST(AddWrinkles, SaysWhatIsWrong) {
  const ScratchFolder work;
  const fs::path limb = make_limb(work), out = work / "out.glb";
  const auto complaint = [&](const std::string& options, const std::string& output) {
    const CommandResult done = supple("add wrinkles " + limb.string() + " " + options + " -o " + output);
    EXPECT_EQ(done.exit_code, 2) << options;
    EXPECT_FALSE(fs::exists(output));
    return done.err;
  };
  const auto expect = [&](const std::string& options, const std::string& words) {
    const std::string said = complaint(options, out.string());
    EXPECT_NE(said.find(words), std::string::npos) << options << ": " << said;
  };
  expect("", "--strip is required");
  expect("--strip 12", "limb.glb, wrinkle 'wrinkle', strip: passes through 1 vertices (give two or more)");
  expect("--strip 12+x", "--strip 12+x: 'x' is no vertex (write numbers or places");
  expect("--strip 12+", "'' is no vertex");
  expect("--strip 12+1,2", "'1,2' is no vertex");
  expect("--strip 12+-4", "'-4' is no vertex");
  expect("--strip 12+900000", "strip, vertex 900000: does not exist among");
  expect("--strip 12+12", "strip, vertex 12: is where the one before it is (leave one out)");
  expect("--strip 0,0.1,0.05+0,0.3,0.05 --wavelength 0.004", "wavelength: is too short for edges of");
  expect("--strip 0,0.1,0.05+0,0.3,0.05 --wavelength 1", "wavelength: is longer than the strip");
  expect(inside + " --width 0", "width: is not a positive number");
  expect(inside + " --part arm", "'arm'");
  EXPECT_NE(complaint(inside, (work / "out.obj").string()).find("is no glTF file name"), std::string::npos);
}

}  // namespace
}  // namespace supple::test
