// supple bake of skin that flows over swinging muscles: exact in a cache, and near enough in a plain glTF file.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/deform/skin.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/files/vertex_cache.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

TEST(BakeKinodynamic, AGltfFilePlaysWhatTheCacheHolds) {
  const ScratchFolder work;
  const std::string limb = (work / "limb.glb").string(), strong = (work / "strong.glb").string(),
                    cache = (work / "bend.mdd").string(), plain = (work / "plain.glb").string();
  ASSERT_EQ(supple("make limb --vertices 800 -o " + limb).exit_code, 0);
  const CommandResult built =
      supple("add kinodynamics " + limb +
             " --auto --muscle name=calf,joint=limb-2,center=0+0.1+0,radii=0.03+0.08+0.03 -o " + strong);
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const std::string how = " --clip bend --rate 12 --blend kinodynamic --json -o ";
  ASSERT_EQ(supple("bake " + strong + how + cache).exit_code, 0);
  const CommandResult baked = supple("bake " + strong + " --modes 24" + how + plain);
  ASSERT_EQ(baked.exit_code, 0) << baked.err;
  const Json fit = Json::parse(baked.out)["fit"];
  EXPECT_EQ(fit["modes"], 24);
  EXPECT_LT(fit["error"].get<double>(), 0.1 * fit["linear_error"].get<double>());

  const Character played = load(plain).value().character();
  const VertexCache exact = VertexCache::open(cache).value();
  Skin skin = Skin::make(played, Blend::linear, Layers::as_given()).value();
  double worst = 0;
  for (std::size_t f = 0; f < exact.frames(); ++f) {
    ASSERT_TRUE(skin.evaluate(played.at(played.clips[0], static_cast<float>(exact.time(f)))));
    const Mesh frame = exact.read(f).value();
    for (std::size_t v = 0; v < frame.positions.size(); ++v)
      worst = std::max(worst, double{length(frame.positions[v] - skin.positions()[v])});
  }
  // What is said is what plays, but for the rounding of times and of what files store.
  EXPECT_NEAR(worst, fit["worst"].get<double>(), 2e-5);
}

TEST(BakeKinodynamic, AStillFrameAndNoFleshLeaveMusclesOut) {
  const ScratchFolder work;
  const std::string limb = (work / "limb.glb").string(), out = (work / "bend.mdd").string();
  ASSERT_EQ(supple("make limb --vertices 300 -o " + limb).exit_code, 0);
  const CommandResult done =
      supple("bake " + limb + " --clip bend --rate 5 --blend kinodynamic --no-flesh --json -o " + out);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out)["muscles"], 0);
}

}  // namespace
}  // namespace supple::test
