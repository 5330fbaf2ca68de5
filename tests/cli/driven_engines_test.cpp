// A character with drivers plays in engines that know none: three.js, Babylon.js and Blender follow its weight tracks.
#include <gtest/gtest.h>

#include <cmath>

#include "supple/author/bake/bake_drivers.h"
#include "support/driven_character.h"
#include "support/engines.h"

namespace supple::test {
namespace {

/// Bulges about points of the limb, each moving a few vertices.
MorphTarget bulge(const Mesh& mesh, const std::string& name, Vec3f centre, float radius, float height) {
  MorphTarget morph{name, {}, {}, {}, {}};
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
    const float distance = length(mesh.positions[v] - centre) / radius;
    if (distance >= 1) continue;
    const float fade = (1 - distance * distance) * (1 - distance * distance);
    morph.vertices.push_back(v);
    morph.positions.push_back(mesh.normals[v] * (height * fade));
    morph.normals.push_back(Vec3f{0.1f, -0.2f, 0.1f} * fade);
  }
  return morph;
}

/// The limb of `supple make limb` with five driven morph targets and one that nothing drives; its own clip, and a
/// snapshot, both baked.
Character driven_limb(const fs::path& limb_file) {
  EXPECT_EQ(run(std::string(SUPPLE_CLI) + " make limb --joints 3 --vertices 600 -o " + limb_file.string()).exit_code,
            0);
  Character c = load(limb_file)->character();
  Part& part = c.parts[0];
  for (int m = 0; m < 6; ++m) {
    const Vec3f centre{m % 2 == 0 ? 0.05f : -0.05f, 0.1f + 0.08f * static_cast<float>(m), 0};
    part.morphs.push_back(bulge(part.mesh, "bulge " + std::to_string(m), centre, 0.15f, 0.02f));
  }
  part.first_morph_weight = 0;
  c.morph_weights.assign(6, 0.25f);
  Rng rng(5);
  const JointIndex one = *c.skeleton.find("limb-1"), two = *c.skeleton.find("limb-2");
  c.drivers = {random_driver(rng, {one}, RbfKernel::exponential, 0, 2),
               random_driver(rng, {two}, RbfKernel::gaussian, 2, 2, true),
               random_driver(rng, {one, two}, RbfKernel::cubic, 5, 1)};
  for (double& coefficient : c.drivers.back().coefficients) coefficient *= 0.2;  // r^3 grows: stay within [0, 1]
  for (const MorphDriver& d : c.drivers)
    std::copy(d.rest_weights.begin(), d.rest_weights.end(), c.morph_weights.begin() + d.first_weight);
  c.clips.push_back(snapshot_clip(c, c.at(c.clips[0], 1.1f), "snapshot"));
  bake_drivers(c);
  return c;
}

class DrivenEngines : public testing::TestWithParam<Engine> {};

TEST_P(DrivenEngines, PlayTheSameSkin) {
  SUPPLE_REQUIRE_ENGINE(GetParam());
  const ScratchFolder work;
  const fs::path file = work / "driven.glb";
  const Character c = driven_limb(work / "limb.glb");
  const auto saved = save(file, c);
  ASSERT_TRUE(saved) << saved.error().message();
  for (const float t : {0.5f, 1.0f, 3.0f}) {
    const Pose posed = c.at(c.clips[0], t);
    for (std::size_t w = 0; w < posed.morph_weights.size(); ++w) {
      EXPECT_GE(posed.morph_weights[w], 0) << "Blender clamps weights";
      EXPECT_LE(posed.morph_weights[w], 1);
    }
    EXPECT_NE(posed.morph_weights, c.morph_weights) << "there must be something to see";
  }
  // At keys of the clip, 30 a second: between them Blender does not follow the arc that glTF prescribes for rotations.
  const bool at_keys = GetParam() == Engine::blender;
  const std::vector<float> times =
      at_keys ? std::vector<float>{0, 0.4f, 1, 1.7f, 3.1f} : std::vector<float>{0, 0.41f, 1, 1.713f, 2.5f, 3.127f};
  EXPECT_LE(difference_from(GetParam(), file, "0", times), 1e-5);
  EXPECT_LE(difference_from(GetParam(), file, "1", {0, 0.5f}), 1e-5) << "the snapshot";
}

INSTANTIATE_TEST_SUITE_P(All, DrivenEngines, testing::Values(Engine::three, Engine::babylon, Engine::blender),
                         [](const auto& engine) {
                           return engine.param == Engine::three     ? "ThreeJs"
                                  : engine.param == Engine::babylon ? "BabylonJs"
                                                                    : "Blender";
                         });

TEST(DrivenFiles, ValidatorFindsNothing) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const ScratchFolder work;
  const Character c = driven_limb(work / "limb.glb");
  const std::vector<fs::path> files{work / "driven.glb", work / "driven.gltf", work / "bound.glb", work / "baked.glb"};
  for (const std::size_t f : {0u, 1u}) ASSERT_TRUE(save(files[f], c));
  // Commands that keep the rig keep the drivers; those that bake it leave none behind.
  const std::string cli = SUPPLE_CLI, in = files[0].string();
  ASSERT_EQ(run(cli + " bind " + in + " -o " + files[2].string()).exit_code, 0);
  ASSERT_EQ(run(cli + " pose " + in + " --clip bend --time 1 --bake -o " + files[3].string()).exit_code, 0);
  EXPECT_EQ(load(files[2])->character().drivers, load(files[0])->character().drivers);
  EXPECT_TRUE(load(files[3])->character().drivers.empty());
  const Json report = validator_report(files);
  for (const fs::path& f : files) {
    EXPECT_EQ(report[f.string()]["errors"], 0) << report[f.string()].dump(1);
    EXPECT_EQ(report[f.string()]["warnings"], 0) << report[f.string()].dump(1);
  }
}

}  // namespace
}  // namespace supple::test
