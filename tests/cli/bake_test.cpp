// supple bake: what a cache says is what the skin does at those times.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/author/bake/play_flesh.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/base/file.h"
#include "supple/deform/skin.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/files/vertex_cache.h"
#include "support/driven_character.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// Largest distance of a cache's frames from the skin at their times. Times go through 32-bit numbers in the files, so
/// the poses differ by the motion of some 1e-7 seconds.
constexpr float rounding = 2e-6f;
float largest_distance(const VertexCache& cache, Skin& skin, const Character& character, std::size_t part,
                       std::span<const std::vector<FleshMotion>> flesh = {}) {
  float largest = 0;
  for (std::size_t f = 0; f < cache.frames(); ++f) {
    if (!flesh.empty()) {
      EXPECT_TRUE(skin.set_flesh(flesh[f]));
    }
    EXPECT_TRUE(skin.evaluate(character.at(character.clips[0], static_cast<float>(cache.time(f)))).ok());
    const Mesh frame = cache.read(f).value();
    EXPECT_EQ(frame.positions.size(), skin.positions(part).size());
    for (std::size_t v = 0; v < std::min(frame.positions.size(), skin.positions(part).size()); ++v)
      largest = std::max(largest, length(frame.positions[v] - skin.positions(part)[v]));
  }
  return largest;
}

TEST(Bake, EveryFormatHoldsTheSkinAtItsTimes) {
  const ScratchFolder work;
  const fs::path file = work / "strip.glb";
  ASSERT_TRUE(save(file, driven_strip()));
  const Character strip = load(file).value().character();
  const std::string start = "bake " + file.string() + " --clip wave --rate 10 --json -o ";
  for (const Blend blend : {Blend::linear, Blend::dual_quaternion}) {
    Skin skin = Skin::make(strip, blend).value();
    for (const char* name : {"wave.mdd", "wave.pc2", "wave"}) {
      const fs::path output = work / name;
      const std::string how = blend == Blend::linear ? "" : " --blend dual";
      const std::string part = output.has_extension() ? "" : " --part strip";  // of several, files of objects hold all
      const CommandResult done = supple(start + output.string() + how + part);
      ASSERT_EQ(done.exit_code, 0) << done.err;
      const Json report = Json::parse(done.out);
      EXPECT_EQ(report["parts"], Json::array({"strip"})) << "the only skinned part";
      EXPECT_EQ(report["flesh_elements"], 0);
      const VertexCache cache = VertexCache::open(output, 10).value();
      // 1.6 seconds, both ends.
      ASSERT_EQ(cache.frames(), 17u) << name;
      EXPECT_EQ(report["frames"], cache.frames());
      EXPECT_NEAR(cache.time(0), 0, 1e-6) << name;
      EXPECT_NEAR(cache.time(16), 1.6, 1e-6) << name;
      EXPECT_LT(largest_distance(cache, skin, strip, 0), rounding) << name;
    }
  }
  const Mesh last = read_surface(work / "wave" / "frame_0016.obj").value();
  EXPECT_EQ(last.triangles.size(), strip.parts[0].mesh.triangles.size());
  EXPECT_EQ(last.normals.size(), last.positions.size());
}

TEST(Bake, AFolderHoldsAllPartsUnlessOneIsNamed) {
  const ScratchFolder work;
  const fs::path file = work / "strip.glb";
  ASSERT_TRUE(save(file, driven_strip()));
  const CommandResult done = supple("bake " + file.string() + " -o " + (work / "all").string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const VertexCache cache = VertexCache::open(work / "all").value();
  EXPECT_EQ(cache.read(0).value().positions.size(), 8u + 3u);
  // Keys are 0.3 and 0.4 seconds apart: the rate stays within 24 to 120.
  EXPECT_EQ(cache.frames(), 1u + static_cast<std::size_t>(1.6 * 24));
  ASSERT_EQ(supple("bake " + file.string() + " --part flag -o " + (work / "flag.mdd").string()).exit_code, 0);
  EXPECT_EQ(VertexCache::open(work / "flag.mdd").value().read(0).value().positions.size(), 3u);
}

TEST(Bake, FleshSwingsInTheCacheAsTheSpringsSay) {
  const ScratchFolder work;
  const fs::path plain = work / "limb.glb", file = work / "flesh.glb";
  ASSERT_EQ(supple("make limb --vertices 300 -o " + plain.string()).exit_code, 0);
  Character limb = load(plain).value().character();
  FleshRecipe recipe;
  ElementRecipe& element = recipe.elements.emplace_back();
  element.name = "calf";
  element.driver = "limb-1";
  element.ends = {"limb-2"};
  const auto attached = attach_flesh(limb, recipe);
  ASSERT_TRUE(attached.ok()) << attached.error().item << " " << attached.error().problem;
  ASSERT_TRUE(save(file, limb));
  const Character swinging = load(file).value().character();
  ASSERT_EQ(swinging.flesh.elements.size(), 1u);

  const fs::path with = work / "with.mdd", without = work / "without.mdd";
  const CommandResult done = supple("bake --json --rate 60 " + file.string() + " -o " + with.string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out)["flesh_elements"], 1);
  ASSERT_EQ(supple("bake --no-flesh --rate 60 " + file.string() + " -o " + without.string()).exit_code, 0);
  FleshPlayOptions options;
  options.rate = 60;
  const FleshTake take = play_flesh(swinging, swinging.clips[0], options).value();
  const VertexCache cache = VertexCache::open(with).value(), stiff = VertexCache::open(without).value();
  ASSERT_EQ(cache.frames(), take.times.size());
  Skin skin = Skin::make(swinging).value();
  EXPECT_LT(largest_distance(cache, skin, swinging, 0, take.motions), rounding);
  EXPECT_TRUE(skin.set_flesh({}));
  EXPECT_LT(largest_distance(stiff, skin, swinging, 0), rounding);
  const float swing = largest_distance(cache, skin, swinging, 0);
  std::printf("flesh moves vertices by %.2f mm at most\n", 1e3 * double{swing});
  EXPECT_GT(swing, 1e-4f) << "nothing swings";

  // At a rate that does not divide the clip, frames lie between steps of the springs, and still at their own times.
  ASSERT_EQ(supple("bake --rate 37.3 " + file.string() + " -o " + with.string()).exit_code, 0);
  const VertexCache odd = VertexCache::open(with).value();
  EXPECT_NEAR(odd.time(1) - odd.time(0), 1 / 37.3, 1e-6);
  options.rate = 2000;
  const FleshTake fine = play_flesh(swinging, swinging.clips[0], options).value();
  std::vector<std::vector<FleshMotion>> near;
  for (std::size_t f = 0; f < odd.frames(); ++f) {
    const auto at = std::lower_bound(fine.times.begin(), fine.times.end(), static_cast<float>(odd.time(f)) - 2.5e-4f);
    near.push_back(fine.motions[static_cast<std::size_t>(at - fine.times.begin())]);
  }
  // A spring of 3 Hz bends by (2 pi 3 / 37.3)^2 / 8, a thirtieth of its swing, between two frames.
  EXPECT_LT(largest_distance(odd, skin, swinging, 0, near), swing / 20);
}

TEST(Bake, WhatIsWrongIsNamedAndNothingIsWritten) {
  const ScratchFolder work;
  const fs::path file = work / "strip.glb", two = work / "two.glb", none = work / "none.glb";
  Character strip = driven_strip();
  ASSERT_TRUE(save(file, strip));
  strip.parts[1].node = no_joint;
  strip.parts[1].skin = 0;
  strip.parts[1].weights = {};
  for (int v = 0; v < 3; ++v) strip.parts[1].weights.push_vertex(std::vector<Influence>{{0, 1}});
  strip.clips.push_back(strip.clips[0]);
  strip.clips[1].name = "again";
  ASSERT_TRUE(save(two, strip));
  strip.clips.clear();
  ASSERT_TRUE(save(none, strip));
  fs::create_directory(work / "old");
  ASSERT_TRUE(write_file(work / "old" / "frame_9999.obj", std::string_view("v 0 0 0\n")));
  const std::size_t before = work.entries();
  const auto says = [&](const std::string& arguments, const std::string& words) {
    const CommandResult refused = supple("bake " + arguments);
    EXPECT_EQ(refused.exit_code, 2) << arguments;
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
  };
  says(file.string() + " -o " + (work / "wave.abc").string(), "use .mdd, .pc2, .glb or a folder");
  says(file.string() + " -o " + (work / "wave.glb").string(), "morph targets that move in clip 'wave'");
  says(file.string() + " --clip wvae -o " + (work / "wave.mdd").string(), "did you mean wave?");
  says(file.string() + " --part strp -o " + (work / "wave.mdd").string(), "did you mean strip?");
  says(file.string() + " --rate 0 -o " + (work / "wave.mdd").string(), "--rate");
  says(two.string() + " -o " + (work / "wave.mdd").string(), "choose with --clip: wave, again");
  says(none.string() + " -o " + (work / "wave.mdd").string(), "has no clip to bake");
  says(file.string() + " -o " + (work / "old").string(), "frame_9999.obj");
  EXPECT_EQ(work.entries(), before) << "something was written";
  EXPECT_NE(supple("bake --help").out.find("Example:\n  supple bake"), std::string::npos);
}

}  // namespace
}  // namespace supple::test
