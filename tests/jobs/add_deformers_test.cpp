// Deformers added to a file by calling the library: the figures that come back are those of the file that was written.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/workflow/jobs/add_delta_mush.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_kinodynamics.h"
#include "supple/workflow/jobs/add_wrinkles.h"

namespace supple::test {
namespace {

using namespace workflow;

double worst_volume(const SkinComparison& c, SkinComparison::Side side) {
  return (c.worst_volume(side)->*side).volume_change.value();
}

TEST(AddFlesh, TellsElementsAndWhatTheyDoInEachClip) {
  const MadeLimb limb;
  Work work;
  AddFleshOptions options{.input = limb.file, .output = limb.out};
  options.elements = {"name=calf,driver=limb-1,ends=limb-2,preset=jelly"};
  const auto added = workflow::add_flesh(options, work);
  ASSERT_TRUE(added) << added.error().message();
  const Character c = limb.after();
  EXPECT_EQ(added->model.character().flesh, c.flesh);
  ASSERT_EQ(added->regions.size(), 1u);
  EXPECT_EQ(added->regions[0].name, "calf");
  EXPECT_GT(added->regions[0].vertices, 0u);
  EXPECT_EQ(added->twins, c.skeleton.size() - limb.before().skeleton.size());
  ASSERT_EQ(added->clips.size(), 1u);
  EXPECT_EQ(added->clips[0].clip, "bend");
  EXPECT_EQ(added->clips[0].element, "calf");
  // The clip bends and comes back within seconds: jelly trails by millimetres, and stays within its limit.
  EXPECT_GT(added->clips[0].peak, 1e-3);
  EXPECT_LE(added->clips[0].peak, double{c.flesh.elements[0].max_elongation});
}

TEST(AddFlesh, WithoutAnOutputOnlyTheRecipeIsMade) {
  const MadeLimb limb(2000);
  Work work;
  const std::string recipe = (limb.work / "recipe.json").string();
  const auto added = workflow::add_flesh({.input = limb.file, .automatic = true, .save_recipe = recipe}, work);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_FALSE(added->recipe.elements.empty());
  EXPECT_TRUE(added->regions.empty() && added->clips.empty());
  const auto used = workflow::add_flesh({.input = limb.file, .output = limb.out, .recipe = recipe}, work);
  ASSERT_TRUE(used) << used.error().message();
  EXPECT_EQ(used->regions.size(), added->recipe.elements.size());
}

TEST(AddFlesh, APresetForAllIsToldWhereItReplacesOthers) {
  const MadeLimb limb;
  Work work;
  AddFleshOptions options{.input = limb.file, .output = limb.out, .preset = "firm"};
  options.elements = {"name=calf,driver=limb-1,ends=limb-2,preset=jelly", "name=thigh,driver=limb-0,ends=limb-1"};
  const auto added = workflow::add_flesh(options, work);
  ASSERT_TRUE(added) << added.error().message();
  std::size_t told = 0;
  for (const std::string& w : work.warnings)
    told += w.find("springs that the recipe has for 'calf'") != std::string::npos;
  EXPECT_EQ(told, 1u);
  for (const FleshElement& e : limb.after().flesh.elements) EXPECT_EQ(e.springs[0].frequency, 7);
}

TEST(AddFlesh, SingleClipsLoopAsTold) {
  const MadeLimb limb;
  Character c = limb.before();
  c.clips.push_back(c.clips[0]);
  c.clips[1].name = "once";
  ASSERT_TRUE(save(limb.file, c));
  Work work;
  AddFleshOptions options{.input = limb.file, .output = limb.out};
  options.elements = {"name=calf,driver=limb-1,ends=limb-2"};
  options.clip_loops = {"once=off"};
  const auto added = workflow::add_flesh(options, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_EQ(added->clips.size(), 2u);
  EXPECT_TRUE(added->clips[0].loops);  // it ends as it begins
  EXPECT_FALSE(added->clips[1].loops);
  for (const std::string wrong : {"once", "once=maybe", "never=on"}) {
    options.clip_loops = {wrong};
    EXPECT_FALSE(workflow::add_flesh(options, work)) << wrong;
  }
}

TEST(AddFlesh, TheRecipeOfAFileMakesTheSameFleshAgain) {
  const MadeLimb limb(2000);
  Work work;
  AddFleshOptions options{.input = limb.file, .output = limb.out, .automatic = true};
  options.elements = {"name=wrap,driver=limb-0,ends=limb-2,frequency=5,gain=0.5,air_friction=0.1,gravity=2"};
  options.influences = 0;  // all that overlapping elements need
  ASSERT_TRUE(workflow::add_flesh(options, work));
  work.warnings.clear();
  const std::string recipe = (limb.work / "carried.json").string(), again = (limb.work / "again.glb").string();
  const auto told = workflow::add_flesh({.input = limb.out, .save_recipe = recipe}, work);
  ASSERT_TRUE(told) << told.error().message();
  EXPECT_TRUE(work.warnings.empty()) << work.warnings[0];
  const auto used = workflow::add_flesh({.input = limb.file, .output = again, .recipe = recipe}, work);
  ASSERT_TRUE(used) << used.error().message();
  const Flesh before = limb.after().flesh, after = load(again).value().character().flesh;
  ASSERT_EQ(after.elements.size(), before.elements.size());
  for (std::size_t e = 0; e < after.elements.size(); ++e) {
    EXPECT_EQ(after.elements[e].springs, before.elements[e].springs);
    EXPECT_EQ(after.elements[e].mass, before.elements[e].mass);
    EXPECT_EQ(after.elements[e].gain, before.elements[e].gain);
    EXPECT_EQ(after.elements[e].max_elongation, before.elements[e].max_elongation);
    EXPECT_LT(length(after.elements[e].gravity - before.elements[e].gravity), 1e-5f);
    EXPECT_EQ(after.elements[e].twins, before.elements[e].twins);
  }
  // What a file does not keep is told.
  options.automatic = false;
  options.elements = {"name=round,driver=limb-0,ends=limb-1,attenuation=parabola"};
  ASSERT_TRUE(workflow::add_flesh(options, work));
  work.warnings.clear();
  ASSERT_TRUE(workflow::add_flesh({.input = limb.out, .save_recipe = recipe}, work));
  ASSERT_EQ(work.warnings.size(), 1u);
  EXPECT_NE(work.warnings[0].find("other regions for 'round'"), std::string::npos) << work.warnings[0];
  const auto none = workflow::add_flesh({.input = limb.file, .save_recipe = recipe}, work);
  ASSERT_FALSE(none);
  EXPECT_TRUE(mentions(none.error(), "has no flesh to write a recipe of")) << none.error().message();
}

TEST(AddFlesh, NeedsElements) {
  const MadeLimb limb;
  Work work;
  const auto none = workflow::add_flesh({.input = limb.file, .output = limb.out}, work);
  ASSERT_FALSE(none);
  EXPECT_TRUE(mentions(none.error(), "not told which elements")) << none.error().message();
}

TEST(AddKinodynamics, KeepsVolumeWhereLinearBlendLosesIt) {
  const MadeLimb limb;
  Work work;
  const auto added = workflow::add_kinodynamics({.input = limb.file, .output = limb.out, .painted = true}, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_TRUE(limb.after().kinodynamics);
  EXPECT_EQ(limb.after().kinodynamics->field.source, FieldSource::painted);
  ASSERT_TRUE(added->compared);
  EXPECT_EQ(added->compared->source, PoseSource::clips);
  // The limb's clip bends it by a right angle twice over: linear blend loses some 8 % there, the flow nearly nothing.
  EXPECT_LT(worst_volume(*added->compared, &ComparedPose::before), -0.05);
  EXPECT_LT(std::abs(worst_volume(*added->compared, &ComparedPose::after)), 0.02);
  EXPECT_FALSE(added->compared->changes_volume_more());
  EXPECT_TRUE(work.warnings.empty()) << work.warnings[0];
}

TEST(AddKinodynamics, SkinThatNoTissueReachesIsTold) {
  const MadeLimb limb;
  Work work;
  AddKinodynamicsOptions options{.input = limb.file, .output = limb.out};
  options.tissue = {"name=upper,joint=limb-0,center=0+0.1+0,radii=0.2+0.2+0.2"};
  options.compare = false;
  const auto added = workflow::add_kinodynamics(options, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_EQ(added->uncovered.size(), 1u);
  // A ball of 20 cm about a point 10 cm up the limb: what lies 40 cm up is outside.
  const Character c = limb.after();
  std::size_t far = 0;
  for (const Vec3f p : c.parts[0].mesh.positions) far += length(p - Vec3f{0, 0.1f, 0}) >= 0.2f ? 1 : 0;
  EXPECT_EQ(added->uncovered[0].vertices.size(), far);
  EXPECT_FALSE(added->compared);
  const auto both =
      workflow::add_kinodynamics({.input = limb.file, .output = limb.out, .ellipsoids = true, .painted = true}, work);
  ASSERT_FALSE(both);
  EXPECT_TRUE(mentions(both.error(), "excludes tissue")) << both.error().message();
}

TEST(AddWrinkles, TellsHowDeepTheClipsFoldThem) {
  const MadeLimb limb(4000);  // edges of 7 mm are short enough for waves of 4 cm
  Work work;
  AddWrinklesOptions options{.input = limb.file, .output = limb.out, .wavelength = 0.04};
  options.strips = {"0,0.1,0.05+0,0.3,0.05"};
  const auto added = workflow::add_wrinkles(options, work);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_EQ(added->first, 0u);
  ASSERT_EQ(added->deepest.size(), 1u);
  EXPECT_EQ(added->deepest[0].clip, "bend");
  const Character c = limb.after();
  ASSERT_EQ(c.wrinkles.size(), 1u);
  float most = 0;
  for (int i = 0; i <= 400; ++i) {
    const float seconds = c.clips[0].start() + c.clips[0].duration() * static_cast<float>(i) / 400;
    most = std::max(most, c.at(c.clips[0], seconds).morph_weights[c.wrinkles[0].weight]);
  }
  EXPECT_NEAR(added->deepest[0].weight, most, 0.01f);  // the highest key may lie between two of the moments
  options.strips = {"12+x"};
  const auto wrong = workflow::add_wrinkles(options, work);
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(mentions(wrong.error(), "'x' is no vertex")) << wrong.error().message();
}

TEST(AddDeltaMush, ComparesWithLinearBlendAndWarnsWhereItIsWorse) {
  const MadeLimb limb;
  Work work;
  const auto added =
      workflow::add_delta_mush({.input = limb.file, .output = limb.out, .iterations = 20, .strength = 0.25}, work);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_EQ(limb.after().delta_mush, (std::vector<DeltaMush>{{.iterations = 20, .strength = 0.25f}}));
  ASSERT_TRUE(added->compared);
  // Smoothing flattens the bend: the limb loses more there than by linear blend alone, and that is said.
  EXPECT_GT(std::abs(worst_volume(*added->compared, &ComparedPose::after)),
            std::abs(worst_volume(*added->compared, &ComparedPose::before)) + 1e-3);
  ASSERT_TRUE(added->compared->changes_volume_more());
  ASSERT_FALSE(work.warnings.empty());
  EXPECT_NE(work.warnings[0].find("with delta mush the volume changes by"), std::string::npos) << work.warnings[0];
  const auto no_part = workflow::add_delta_mush({.input = limb.file, .output = limb.out, .part = "arm"}, work);
  ASSERT_FALSE(no_part);
  EXPECT_TRUE(mentions(no_part.error(), "arm")) << no_part.error().message();
}

TEST(CompareDeformer, JointLimitsStandInForClips) {
  Character c = MadeLimb().before();
  c.clips.clear();
  c.delta_mush = {{.iterations = 5}};
  Work work;
  const auto by_limits = compare_deformer(c, delta_mush_kind, {}, "", work);
  ASSERT_TRUE(by_limits) << by_limits.error().message();
  ASSERT_TRUE(*by_limits);
  EXPECT_EQ((*by_limits)->source, PoseSource::limits);
  EXPECT_GT((*by_limits)->poses.size(), 10u);
  EXPECT_LT(worst_volume(**by_limits, &ComparedPose::before), -0.01);  // bends do that
}

TEST(CompareDeformer, LimitsAreGuessedWhereThereAreNone) {
  Character c = MadeLimb().before();
  c.clips.clear();
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) c.skeleton.set_dofs(j, {});
  c.delta_mush = {{.iterations = 5}};
  Work work;
  const auto guessed = compare_deformer(c, delta_mush_kind, {}, "", work);
  ASSERT_TRUE(guessed && *guessed);
  EXPECT_EQ((*guessed)->source, PoseSource::shape);
}

TEST(CompareDeformer, IsLeftOutWhereNoJointBendsAnySkin) {
  Character c = MadeLimb().before();
  c.clips.clear();
  SkinWeights rigid;
  for (std::size_t v = 0; v < c.parts[0].weights.vertices(); ++v) rigid.push_vertex(std::vector<Influence>{{0, 1.0f}});
  c.parts[0].weights = rigid;
  c.delta_mush = {{}};
  Work work;
  const auto nothing = compare_deformer(c, delta_mush_kind, {}, "", work);
  ASSERT_TRUE(nothing) << nothing.error().message();
  EXPECT_FALSE(*nothing);
  ASSERT_EQ(work.warnings.size(), 1u);
  EXPECT_NE(work.warnings[0].find("no joint of it bends any skin"), std::string::npos) << work.warnings[0];
}

}  // namespace
}  // namespace supple::test
