// Any kind of deformer comes out of a file with all that it brought along, and the others stay.
#include "supple/workflow/jobs/remove_deformers.h"

#include <gtest/gtest.h>

#include <set>

#include "jobs/made_limb.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/deform/skin.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_wrinkles.h"
#include "support/driven_character.h"
#include "support/pose_space_arm.h"

namespace supple::test {
namespace {

using namespace workflow;

std::string written(const ScratchFolder& work, const Character& character) {
  const std::string file = (work / "before.glb").string();
  const auto saved = save(file, character);
  EXPECT_TRUE(saved) << saved.error().message();
  return file;
}

TEST(RemoveDeformers, DriversGoWithTheirTargetsAndTheRestPoseStays) {
  const ScratchFolder work;
  Character c = driven_strip();
  bake_drivers(c);
  const std::string file = written(work, c), out = (work / "out.glb").string();
  Work job;
  const auto removed = remove_deformers({file, out, {&driver_kind}}, job);
  ASSERT_TRUE(removed) << removed.error().message();
  ASSERT_EQ(removed->kinds.size(), 1u);
  EXPECT_EQ(removed->kinds[0].kind, &driver_kind);
  EXPECT_EQ(removed->kinds[0].count, 4u);
  EXPECT_EQ(removed->morph_targets, 5u);
  Warnings warnings;
  const Character plain = load(out, &warnings, {.strict = true}).value().character();
  EXPECT_TRUE(plain.drivers.empty());
  EXPECT_EQ(plain.parts[0].morphs.size(), 2u);
  EXPECT_EQ(plain.parts[1].morphs.size(), 1u);
  EXPECT_EQ(plain.morph_weights, (std::vector<float>{c.morph_weights[0], c.morph_weights[1], c.morph_weights[7]}));
  ASSERT_EQ(plain.clips.size(), 1u);
  auto before = Skin::make(c), after = Skin::make(plain);
  ASSERT_TRUE(before && after);
  for (std::size_t v = 0; v < 8; ++v)  // sums of offsets up to .1 m in another order
    EXPECT_LT(length(before->positions()[v] - after->positions()[v]), 1e-6f) << v;
}

TEST(RemoveDeformers, AClipThatMovedNothingElseIsGone) {
  const ScratchFolder work;
  Character c = driven_strip();
  const MorphDriver& driver = c.drivers[0];
  c.drivers = {driver};
  Clip still{"still", {{Channel::morph_weights, Interpolation::linear, 0, 7, {0}, std::vector<float>(7, 0.5f)}}};
  c.parts[0].morphs.erase(c.parts[0].morphs.begin(), c.parts[0].morphs.begin() + 2);  // what nothing drives
  c.parts[0].morphs.resize(1);
  c.parts[1].first_morph_weight = 1;
  c.morph_weights = {c.drivers[0].rest_weights[0], 0.25f};
  c.drivers[0].first_weight = 0;
  still.tracks[0].width = 1;
  still.tracks[0].values.resize(1);
  c.clips.insert(c.clips.begin(), still);
  ASSERT_TRUE(validate(c)) << validate(c).error().message();
  const std::string file = written(work, c), out = (work / "out.glb").string();
  Work job;
  const auto removed = remove_deformers({file, out, {}}, job);
  ASSERT_TRUE(removed) << removed.error().message();
  const auto plain = load(out, nullptr, {.strict = true});
  ASSERT_TRUE(plain) << plain.error().message();
  ASSERT_EQ(plain->character().clips.size(), 1u);
  EXPECT_EQ(plain->character().clips[0].name, "wave");
  EXPECT_EQ(plain->character().clips[0].tracks.size(), 2u);
}

TEST(RemoveDeformers, APoseSpaceGoesWithItsExamples) {
  const ScratchFolder work;
  const Character c = pose_space_arm();
  const std::string file = written(work, c), out = (work / "out.glb").string();
  Work job;
  const auto removed = remove_deformers({file, out, {&pose_space_kind}}, job);
  ASSERT_TRUE(removed) << removed.error().message();
  EXPECT_EQ(removed->morph_targets, c.pose_space->targets());
  const Character plain = load(out).value().character();
  EXPECT_FALSE(plain.pose_space);
  ASSERT_EQ(plain.parts[0].morphs.size(), 1u);
  EXPECT_EQ(plain.parts[0].morphs[0].name, "bulge");
  EXPECT_EQ(plain.parts[0].mesh.positions, load(file).value().character().parts[0].mesh.positions);
}

TEST(RemoveDeformers, AllOfThemLeaveThePlainLimb) {
  const MadeLimb limb(4000);
  Work job;
  AddFleshOptions flesh{.input = limb.file, .output = limb.out};
  flesh.elements = {"name=forearm,driver=limb-1,ends=limb-2,preset=soft"};
  ASSERT_TRUE(workflow::add_flesh(flesh, job));
  AddWrinklesOptions folds{.input = limb.out, .output = limb.out, .wavelength = 0.04};
  folds.strips = {"0,0.1,0.05+0,0.3,0.05", "0,0.3,0.05+0,0.5,0.05"};
  ASSERT_TRUE(workflow::add_wrinkles(folds, job));
  Character c = limb.after();
  c.delta_mush = {{}};
  c.kinodynamics.emplace();
  ASSERT_TRUE(save(limb.out, c));

  const std::string without_folds = (limb.work / "no_folds.glb").string(), bare = (limb.work / "bare.glb").string();
  const auto some = remove_deformers({limb.out, without_folds, {&wrinkle_kind, &delta_mush_kind}}, job);
  ASSERT_TRUE(some) << some.error().message();
  ASSERT_EQ(some->kinds.size(), 2u);
  EXPECT_EQ(some->kinds[0].count, 2u);
  EXPECT_EQ(some->morph_targets, 2u);
  EXPECT_EQ(some->joints, 0u);
  const Character fleshy = load(without_folds).value().character();
  EXPECT_TRUE(fleshy.wrinkles.empty() && fleshy.delta_mush.empty() && fleshy.morph_weights.empty());
  EXPECT_EQ(fleshy.flesh, c.flesh);
  EXPECT_TRUE(fleshy.kinodynamics);

  const auto all = remove_deformers({limb.out, bare, {}}, job);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->kinds.size(), 4u);
  EXPECT_EQ(all->joints, c.skeleton.size() - limb.before().skeleton.size());
  const Character before = limb.before(), after = load(bare).value().character();
  for (const DeformerKind* kind : deformers()) EXPECT_EQ(kind->count(after), 0u) << kind->name;
  EXPECT_EQ(after.skeleton.size(), before.skeleton.size());
  EXPECT_EQ(after.parts[0].mesh.positions, before.parts[0].mesh.positions);
  EXPECT_TRUE(after.parts[0].morphs.empty());
  ASSERT_EQ(after.clips.size(), 1u);
  EXPECT_EQ(after.clips[0].tracks.size(), before.clips[0].tracks.size());
}

/// Accessors that no mesh, skin or animation names.
std::size_t orphans(const std::string& file) {
  const gltf::Document document = gltf::read_document(file).value();
  std::set<std::size_t> used;
  for (const Json& mesh : document.root["meshes"]) {
    for (const Json& primitive : mesh["primitives"]) {
      used.insert(primitive["indices"].get<std::size_t>());
      for (const Json& attribute : primitive["attributes"]) used.insert(attribute.get<std::size_t>());
      for (const Json& target : primitive.value("targets", Json::array()))
        for (const Json& attribute : target) used.insert(attribute.get<std::size_t>());
    }
  }
  for (const Json& skin : document.root["skins"]) used.insert(skin["inverseBindMatrices"].get<std::size_t>());
  for (const Json& animation : document.root["animations"])
    for (const Json& sampler : animation["samplers"])
      for (const char* key : {"input", "output"}) used.insert(sampler[key].get<std::size_t>());
  return document.root["accessors"].size() - used.size();
}

TEST(RemoveDeformers, NothingIsLeftBehind) {
  const MadeLimb limb(4000);
  Work job;
  AddFleshOptions flesh{.input = limb.file, .output = limb.out};
  flesh.elements = {"name=forearm,driver=limb-1,ends=limb-2,preset=soft"};
  ASSERT_TRUE(workflow::add_flesh(flesh, job));
  EXPECT_EQ(orphans(limb.out), 0u);
  AddWrinklesOptions folds{.input = limb.out, .output = limb.out, .wavelength = 0.04};
  folds.strips = {"0,0.1,0.05+0,0.3,0.05"};
  ASSERT_TRUE(workflow::add_wrinkles(folds, job));
  EXPECT_EQ(orphans(limb.out), 0u);
  const std::string bare = (limb.work / "bare.glb").string();
  ASSERT_TRUE(remove_deformers({limb.out, bare, {}}, job));
  EXPECT_EQ(orphans(bare), 0u);
  const auto before = std::filesystem::file_size(limb.file), after = std::filesystem::file_size(bare);
  // Keys of clips may be written in another way; the skin's data, a hundred times as much, are there once.
  EXPECT_NEAR(static_cast<double>(after), static_cast<double>(before), 0.02 * static_cast<double>(before));
}

TEST(RemoveDeformers, NumbersThatOthersMayMeanKeepTheirAccessors) {
  const MadeLimb limb;
  auto document = gltf::read_document(limb.file).value();
  const Json positions = document.root["meshes"][0]["primitives"][0]["attributes"]["POSITION"];
  document.root["extensions"]["VENDOR_points"] = {{"points", positions}};
  ASSERT_TRUE(gltf::write_document(limb.file, document));
  const auto layout = [](const std::string& file, const Json& number) {
    return gltf::read_document(file).value().root["accessors"][number.get<std::size_t>()];
  };
  Work job;
  AddFleshOptions flesh{.input = limb.file, .output = limb.out};
  flesh.elements = {"name=forearm,driver=limb-1,ends=limb-2,preset=soft"};
  ASSERT_TRUE(workflow::add_flesh(flesh, job));
  ASSERT_TRUE(remove_deformers({limb.out, limb.out, {}}, job));
  const Json kept = gltf::read_document(limb.out).value().root["extensions"]["VENDOR_points"]["points"];
  EXPECT_EQ(kept, positions);
  EXPECT_EQ(layout(limb.out, kept)["count"], layout(limb.file, positions)["count"]);
  EXPECT_EQ(layout(limb.out, kept)["max"], layout(limb.file, positions)["max"]);
}

TEST(RemoveDeformers, SaysWhatTheFileHasInstead) {
  const MadeLimb limb;
  Work job;
  const auto none = remove_deformers({limb.file, limb.out, {}}, job);
  ASSERT_FALSE(none);
  EXPECT_TRUE(mentions(none.error(), "has no deformers")) << none.error().message();
  Character c = limb.before();
  c.delta_mush = {{}};
  c.kinodynamics.emplace();
  ASSERT_TRUE(save(limb.file, c));
  const auto other = remove_deformers({limb.file, limb.out, {&flesh_kind}}, job);
  ASSERT_FALSE(other);
  EXPECT_TRUE(mentions(other.error(), "has no flesh (it has delta-mush, kinodynamics)")) << other.error().message();
  EXPECT_FALSE(std::filesystem::exists(limb.out));
}

}  // namespace
}  // namespace supple::test
