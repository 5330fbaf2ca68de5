// Jobs from one file to another, called as functions: what they return is what they wrote.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/author/learn/clip_modes.h"
#include "supple/base/file.h"
#include "supple/files/vertex_cache.h"
#include "supple/workflow/jobs/bake/bake_file.h"
#include "supple/workflow/jobs/bind_file.h"
#include "supple/workflow/jobs/convert_file.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/measure_file.h"
#include "supple/workflow/jobs/pose_file.h"
#include "supple/workflow/jobs/subdivide_file.h"
#include "support/example_sets.h"

namespace supple::test {
namespace {

using namespace workflow;

TEST(BakeFile, WritesEveryFrameOfTheClip) {
  const MadeLimb limb;
  Work work;
  const std::string cache = (limb.work / "bend.mdd").string();
  const auto baked = bake_file({.input = limb.file, .output = cache, .rate = 10.0}, work);
  ASSERT_TRUE(baked) << baked.error().message();
  const Character c = limb.before();
  EXPECT_EQ(baked->clip, "bend");
  EXPECT_EQ(baked->times.size(), static_cast<std::size_t>(c.clips[0].duration() * 10 + 1e-3f) + 1);
  EXPECT_EQ(baked->vertices, c.parts[0].mesh.positions.size());
  EXPECT_FALSE(baked->fit);
  EXPECT_TRUE(std::filesystem::exists(cache));
  const auto modes = bake_file({.input = limb.file, .output = limb.out, .blend = Blend::dual_quaternion}, work);
  ASSERT_TRUE(modes) << modes.error().message();
  ASSERT_TRUE(modes->fit);
  EXPECT_EQ(limb.after().parts[0].morphs.size(), modes->fit->modes);
  EXPECT_LT(modes->fit->error, modes->fit->blend_error);
  const auto format = bake_file({.input = limb.file, .output = "bend.abc"}, work);
  ASSERT_FALSE(format);
  EXPECT_TRUE(mentions(format.error(), "no vertex cache")) << format.error().message();
}

TEST(MeasureFile, FindsTheWorstFrame) {
  const MadeLimb limb;
  Work work;
  const auto measured = measure_file({.input = limb.file, .pose = {.clip = "bend"}, .rate = 10.0}, work);
  ASSERT_TRUE(measured) << measured.error().message();
  ASSERT_EQ(measured->parts.size(), 1u);
  const MeasuredPart& part = measured->parts[0];
  ASSERT_EQ(part.frames.size(), measured->times.size());
  double worst = 0;
  for (const MeasuredFrame& f : part.frames) worst = std::max(worst, std::abs(*f.volume_change));
  EXPECT_EQ(std::abs(part.volume.relative), worst);
  EXPECT_EQ(part.frames[part.volume_at.frame].time, part.volume_at.time);
  // A capped cylinder 60 cm long and 5 cm thick: 4.5 litres and a little for the caps.
  EXPECT_NEAR(part.volume.rest * 1000, 4.7, 0.4);
  const auto still = measure_file({.input = limb.file, .interior = 200}, work);
  ASSERT_TRUE(still) << still.error().message();
  EXPECT_FALSE(still->of_clip());
  ASSERT_TRUE(still->parts[0].interior);
  EXPECT_NEAR(still->parts[0].interior->jacobian.mean, 1, 1e-4);  // nothing moves in the rest pose
  const auto rate = measure_file({.input = limb.file, .rate = 10.0}, work);
  ASSERT_FALSE(rate);
  EXPECT_TRUE(mentions(rate.error(), "is for whole clips")) << rate.error().message();
}

TEST(Examples, AreCountedCheckedAndImported) {
  const ScratchFolder folder;
  Work work;
  const std::string set = (folder / "set").string();
  ASSERT_TRUE(save_examples(set, bar_examples()));
  const ExampleCounts counts = count_examples(bar_examples());
  EXPECT_EQ(counts.train, 3u);
  EXPECT_EQ(counts.test, 1u);
  EXPECT_EQ(counts.left_out, 1u);
  EXPECT_EQ(counts.sweeps.at("elbow"), 3u);
  EXPECT_EQ(counts.tags.at("single"), 2u);
  const auto checked = check_examples({.folder = set}, work);
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->examples, 4u);
  EXPECT_EQ(checked->vertices, 8u);

  const MadeLimb limb;
  const std::string cache = (folder / "bend.mdd").string(), from_cache = (folder / "imported").string();
  ASSERT_TRUE(bake_file({.input = limb.file, .output = cache, .rate = 5.0}, work));
  const auto imported =
      import_examples({.output = from_cache, .model = limb.file, .cache = cache, .clip = "bend"}, work);
  ASSERT_TRUE(imported) << imported.error().message();
  EXPECT_EQ(imported->size(), VertexCache::open(cache).value().frames());
  const auto own = check_examples({.folder = from_cache, .model = limb.file}, work);
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_EQ(own->part, limb.before().parts[0].name);
  const auto nothing = import_examples({.output = from_cache, .model = limb.file}, work);
  ASSERT_FALSE(nothing);
  EXPECT_TRUE(mentions(nothing.error(), "are all missing")) << nothing.error().message();
}

TEST(BindFile, GivesASurfaceTheJointsOfAnother) {
  const MadeLimb limb;
  Work work;
  const std::string surface = (limb.work / "limb.obj").string();
  const auto made = convert_file({.input = limb.file, .output = surface}, work);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->model.character().parts.size(), 1u);
  EXPECT_FALSE(made->motion);
  const auto bound = bind_file({surface, limb.out, limb.file, {.max_influences = 2}}, work);
  ASSERT_TRUE(bound) << bound.error().message();
  EXPECT_EQ(bound->parts, 1u);
  EXPECT_EQ(bound->vertices, limb.after().parts[0].mesh.positions.size());
  EXPECT_EQ(bound->max_influences, 2u);
  EXPECT_EQ(limb.after().parts[0].weights.max_influences(), 2u);
  const auto no_rig = bind_file({surface, limb.out, {}, {}}, work);
  ASSERT_FALSE(no_rig);
  EXPECT_TRUE(mentions(no_rig.error(), "no joints to bind to")) << no_rig.error().message();
}

TEST(SubdivideFile, MakesFourTrianglesOfEach) {
  const MadeLimb limb;
  Work work;
  const auto fine = subdivide_file({.input = limb.file, .output = limb.out, .levels = 2}, work);
  ASSERT_TRUE(fine) << fine.error().message();
  EXPECT_EQ(fine->triangles, 16 * limb.before().parts[0].mesh.triangles.size());
  EXPECT_EQ(fine->vertices, limb.after().parts[0].mesh.positions.size());
  const auto other = subdivide_file({.input = limb.file, .output = limb.out, .parts = {"skim"}}, work);
  ASSERT_FALSE(other);
  EXPECT_TRUE(mentions(other.error(), "did you mean skin")) << other.error().message();
}

TEST(PoseFile, KeepsTheRigOrBakesTheSurface) {
  const MadeLimb limb;
  Work work;
  PoseFileOptions options{.input = limb.file, .output = limb.out};
  options.pose.turns = {"limb-1.x=40"};
  const auto posed = pose_file(options, work);
  ASSERT_TRUE(posed) << posed.error().message();
  EXPECT_FALSE(posed->baked);
  EXPECT_EQ(limb.after().skeleton.size(), limb.before().skeleton.size());
  const Character rigged = limb.after();
  auto skin = Skin::make(rigged);
  ASSERT_TRUE(skin);
  options.bake = true;
  const auto baked = pose_file(options, work);
  ASSERT_TRUE(baked) << baked.error().message();
  EXPECT_TRUE(baked->baked);
  const Character surface = limb.after();
  EXPECT_TRUE(surface.skins.empty());
  for (std::size_t v = 0; v < surface.parts[0].mesh.positions.size(); ++v)  // skinned in float, half a metre away
    ASSERT_LT(length(surface.parts[0].mesh.positions[v] - skin->positions()[v]), 1e-6f) << v;
  options.pose.turns = {"limb-9.x=40"};
  const auto unknown = pose_file(options, work);
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(mentions(unknown.error(), "limb-9")) << unknown.error().message();
}

TEST(ConvertFile, PutsAMotionIn) {
  const MadeLimb limb;
  Work work;
  const std::string motion = (limb.work / "move.bvh").string();
  ASSERT_TRUE(
      write_file(motion, std::string_view("HIERARCHY\nROOT limb-0\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
                                          "Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame "
                                          "Time: 0.5\n0 0 0\n0 30 0\n")));
  const auto moving = convert_file({.input = limb.file, .output = limb.out, .motion = motion, .influences = 1}, work);
  ASSERT_TRUE(moving) << moving.error().message();
  EXPECT_EQ(moving->model.character().clips.size(), 2u);
  EXPECT_EQ(moving->motion->match.matched(), 1u);
  EXPECT_EQ(limb.after().clips.size(), 2u);
  EXPECT_EQ(limb.after().parts[0].weights.max_influences(), 1u);
  const auto missing = convert_file({.input = (limb.work / "none.glb").string(), .output = limb.out}, work);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(mentions(missing.error(), "none.glb")) << missing.error().message();
}

}  // namespace
}  // namespace supple::test
