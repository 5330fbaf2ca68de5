// Characters of several skinned parts: what one body in three pieces gives is what the whole one does.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "learn/sleeve.h"
#include "supple/author/learn/clip_modes.h"
#include "supple/files/example_set_file.h"
#include "supple/make/figure.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/bake/bake_file.h"
#include "supple/workflow/jobs/bake/show_moment.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "supple/workflow/jobs/measure_file.h"
#include "support/kinodynamic_limb.h"
#include "support/split_parts.h"

namespace supple::test {
namespace {

using namespace workflow;

/// A limb whole, as three surfaces of one mesh, and as three meshes.
struct CutLimb {
  ScratchFolder work;
  std::string whole = (work / "whole.glb").string(), surfaces = (work / "surfaces.glb").string(),
              meshes = (work / "meshes.glb").string();
  explicit CutLimb(const Character& limb) {
    EXPECT_TRUE(save(whole, limb));
    EXPECT_TRUE(save(surfaces, split_parts(limb, 0, 3, false)));
    EXPECT_TRUE(save(meshes, split_parts(limb, 0, 3, true)));
  }
  std::string out(const std::string& name) const { return (work / name).string(); }
};

TEST(SeveralParts, MeasuredTogetherAreTheWholeSkin) {
  const CutLimb limb(*make::make_figure({.vertices = 1500}));
  Work work;
  const MeasureFileOptions run{.input = limb.whole, .pose = {.clip = "run"}, .rate = 10.0};
  const auto whole = measure_file(run, work);
  ASSERT_TRUE(whole) << whole.error().message();
  EXPECT_FALSE(whole->together);
  const MeasuredPart& one = whole->parts[0];
  ASSERT_FALSE(one.open);
  ASSERT_GT(one.crossings.new_triangles, 0u) << "there is something to count";
  for (const std::string& file : {limb.surfaces, limb.meshes}) {
    MeasureFileOptions options = run;
    options.input = file;
    const auto cut = measure_file(options, work);
    ASSERT_TRUE(cut) << cut.error().message();
    ASSERT_EQ(cut->parts.size(), 3u);
    for (const MeasuredPart& part : cut->parts) EXPECT_TRUE(part.open) << "a piece has borders";
    ASSERT_TRUE(cut->together);
    const MeasuredPart& all = *cut->together;
    ASSERT_FALSE(all.open) << all.open->message();
    // Triangles are in the same order, and borders weld to the same points: the same sums, to the last digit.
    EXPECT_EQ(all.volume.rest, one.volume.rest);
    EXPECT_EQ(all.volume.posed, one.volume.posed);
    EXPECT_EQ(all.crossings.triangles, one.crossings.triangles);
    EXPECT_EQ(all.crossings.new_pairs, one.crossings.new_pairs);
    EXPECT_EQ(all.crossings.length, one.crossings.length);
    EXPECT_EQ(all.volume_at.frame, one.volume_at.frame);
    EXPECT_EQ(all.seams.seam_gap, 0);
    ASSERT_EQ(all.frames.size(), one.frames.size());
    for (std::size_t f = 0; f < all.frames.size(); ++f)
      EXPECT_EQ(*all.frames[f].volume_change, *one.frames[f].volume_change);
    // A triangle of the whole is found again in its part.
    const JoinedParts::Place place = cut->joined->triangle(all.crossings.worst.first);
    const auto& parts = cut->model.character().parts;
    EXPECT_LT(place.number, parts[place.part].mesh.triangles.size());
  }
}

TEST(SeveralParts, SeamsThatRoundingMovedApartAreStillSeams) {
  // Every triangle with vertices of its own, each off by a few millionths of the size: no edge has a partner exactly.
  Character limb = *make::make_limb({.vertices = 800});
  Part& part = limb.parts[0];
  Part loose = part;
  loose.mesh = {};
  loose.weights = {};
  std::uint32_t next = 0;
  for (const Triangle& t : part.mesh.triangles) {
    for (const std::uint32_t v : t) {
      const float off = 1e-6f * static_cast<float>(static_cast<int>(next % 5) - 2);
      loose.mesh.positions.push_back(part.mesh.positions[v] + Vec3f{off, -off, off});
      loose.weights.push_vertex(part.weights.of(v));
      ++next;
    }
    loose.mesh.triangles.push_back({next - 3, next - 2, next - 1});
  }
  const ScratchFolder folder;
  const std::string exact = (folder / "exact.glb").string(), split = (folder / "split.glb").string();
  ASSERT_TRUE(save(exact, limb));
  part = loose;
  ASSERT_TRUE(save(split, limb));
  Work work;
  const auto before = measure_file({.input = exact, .pose = {.clip = "bend", .time = 1.0f}}, work);
  const auto after = measure_file({.input = split, .pose = {.clip = "bend", .time = 1.0f}}, work);
  ASSERT_TRUE(before) << before.error().message();
  ASSERT_TRUE(after) << after.error().message();
  ASSERT_FALSE(after->parts[0].open) << after->parts[0].open->message();
  // Points moved by 2 micrometres over some 0.2 square metres are a few tenths of a millilitre of 4.7 litres.
  EXPECT_NEAR(after->parts[0].volume.rest / before->parts[0].volume.rest, 1, 1e-4);
  EXPECT_NEAR(after->parts[0].volume.relative, before->parts[0].volume.relative, 1e-4);
}

TEST(SeveralParts, BakeAsTheWholeSkin) {
  const CutLimb limb(kinodynamic_limb());
  Work work;
  const BakeFileOptions flow{.input = limb.whole,
                             .output = limb.out("whole-baked.glb"),
                             .rate = 10.0,
                             .blend = Blend::kinodynamic,
                             .modes = 4};
  const auto whole = bake_file(flow, work);
  ASSERT_TRUE(whole) << whole.error().message();
  for (const std::string& file : {limb.surfaces, limb.meshes}) {
    BakeFileOptions options = flow;
    options.input = file;
    options.output = limb.out("cut-baked.glb");
    const auto cut = bake_file(options, work);
    ASSERT_TRUE(cut) << cut.error().message();
    EXPECT_EQ(cut->parts.size(), 3u);
    ASSERT_TRUE(cut->fit);
    EXPECT_EQ(cut->fit->modes, whole->fit->modes);
    // Vertices of borders count twice, which turns the modes a little.
    EXPECT_NEAR(cut->fit->error, whole->fit->error, 0.2 * whole->fit->error);
    EXPECT_LT(cut->fit->error, 0.5 * cut->fit->blend_error);
    // What was measured is what the file plays: the same flow, shown by plain skinning.
    const Character played = load(options.output).value().character(), source = load(file).value().character();
    auto plain = Skin::make(played, Blend::linear, Layers::as_given());
    auto flows = Skin::make(source, Blend::kinodynamic);
    ASSERT_TRUE(plain && flows);
    const float seconds = static_cast<float>(cut->times[cut->times.size() / 2]);
    ASSERT_TRUE(plain->evaluate(played.at(played.clips[0], seconds)));
    const PoseOptions moment{.clip = "0", .time = seconds};
    ASSERT_TRUE(show_moment(*flows, source, moment, source.at(source.clips[0], seconds), work));
    for (std::size_t p = 0; p < 3; ++p)
      for (std::size_t v = 0; v < plain->positions(p).size(); ++v)
        ASSERT_LT(double{length(plain->positions(p)[v] - flows->positions(p)[v])}, cut->fit->worst + 1e-5)
            << "part " << p << ", vertex " << v;
  }
}

TEST(ShowMoment, MusclesAreWhereBakeHasThem) {
  const ScratchFolder folder;
  const std::string file = (folder / "limb.glb").string(), out = (folder / "baked.glb").string();
  ASSERT_TRUE(save(file, kinodynamic_limb()));
  Work work;
  // With as many modes as frames the file plays the recording itself, to rounding.
  const auto baked = bake_file({.input = file, .output = out, .blend = Blend::kinodynamic, .modes = 1000}, work);
  ASSERT_TRUE(baked) << baked.error().message();
  ASSERT_GT(baked->muscles, 0u);
  const Character played = load(out).value().character(), source = load(file).value().character();
  auto plain = Skin::make(played, Blend::linear, Layers::as_given());
  auto flows = Skin::make(source, Blend::kinodynamic), hangs = Skin::make(source, Blend::kinodynamic);
  ASSERT_TRUE(plain && flows && hangs);
  double apart = 0, swing = 0;
  for (const std::size_t frame : {baked->times.size() / 4, baked->times.size() / 2}) {
    const auto seconds = static_cast<float>(baked->times[frame]);
    const Pose pose = source.at(source.clips[0], seconds);
    ASSERT_TRUE(plain->evaluate(played.at(played.clips[0], seconds)));
    ASSERT_TRUE(show_moment(*flows, source, {.clip = "0", .time = seconds}, pose, work));
    ASSERT_TRUE(hangs->evaluate(pose));
    for (std::size_t v = 0; v < plain->positions().size(); ++v) {
      apart = std::max(apart, double{length(plain->positions()[v] - flows->positions()[v])});
      swing = std::max(swing, double{length(hangs->positions()[v] - flows->positions()[v])});
    }
  }
  EXPECT_LT(apart, 1e-5);
  EXPECT_GT(swing, 3e-4) << "muscles that hang are elsewhere";
}

TEST(SeveralParts, CachesAreOneForEachPart) {
  const CutLimb limb(*make::make_limb({.vertices = 300}));
  Work work;
  const auto baked = bake_file({.input = limb.meshes, .output = limb.out("bend.mdd"), .rate = 5.0}, work);
  ASSERT_TRUE(baked) << baked.error().message();
  ASSERT_EQ(baked->files.size(), 3u);
  const Character c = load(limb.meshes).value().character();
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(baked->files[p], limb.out("bend-" + c.parts[p].name + ".mdd"));
    // The number of frames and of points, the times, and three numbers a point.
    EXPECT_EQ(std::filesystem::file_size(baked->files[p]),
              8 + baked->times.size() * (4 + 12 * c.parts[p].mesh.positions.size()));
  }
  EXPECT_FALSE(std::filesystem::exists(limb.out("bend.mdd")));
  const auto one = bake_file({.input = limb.meshes, .output = limb.out("bend.pc2"), .part = c.parts[1].name}, work);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->files, std::vector{limb.out("bend.pc2")});
}

TEST(SeveralParts, FleshIsThatOfTheWholeSkin) {
  const Character figure = *make::make_figure({.vertices = 1500});
  const CutLimb cut(figure);
  Work work;
  const auto add = [&](const std::string& file) {
    return add_flesh({.input = file, .output = cut.out("flesh.glb"), .automatic = true}, work);
  };
  const auto whole = add(cut.whole);
  ASSERT_TRUE(whole) << whole.error().message();
  for (const std::string& file : {cut.surfaces, cut.meshes}) {
    const auto pieces = add(file);
    ASSERT_TRUE(pieces) << pieces.error().message();
    ASSERT_EQ(pieces->clips.size(), whole->clips.size());
    for (std::size_t i = 0; i < whole->clips.size(); ++i) {
      EXPECT_NEAR(pieces->clips[i].peak, whole->clips[i].peak, 1e-5) << whole->clips[i].clip;
      EXPECT_EQ(pieces->clips[i].element, whole->clips[i].element);
    }
    const Flesh &a = whole->model.character().flesh, &b = pieces->model.character().flesh;
    ASSERT_EQ(a.elements.size(), b.elements.size());
    for (std::size_t e = 0; e < a.elements.size(); ++e) {
      EXPECT_EQ(a.elements[e].name, b.elements[e].name);
      EXPECT_NEAR(a.elements[e].mass, b.elements[e].mass, 1e-3f * a.elements[e].mass);
    }
  }
}

TEST(SeveralParts, AreFittedOneAfterTheOther) {
  // Two sleeves of one skin, as meshes of their own, and examples of each.
  Character c = sleeve();
  c.parts.push_back(c.parts[0]);
  for (std::size_t p = 0; p < 2; ++p) {
    c.parts[p].name = p == 0 ? "inner" : "outer";
    c.parts[p].node = c.skeleton.append(c.parts[p].name + "-node", no_joint);
  }
  const std::vector<SleevePose> poses = sleeve_sweeps();
  const ScratchFolder folder;
  const std::string file = (folder / "two.glb").string(), first = (folder / "first.glb").string(),
                    second = (folder / "second.glb").string();
  ASSERT_TRUE(save(file, c));
  c = load(file).value().character();
  for (const char* name : {"inner", "outer"}) {
    ExampleSet set = sleeve_examples(c, poses);
    set.part = name;
    ASSERT_TRUE(save_examples(folder / name, set));
  }
  const auto fit = [&](const std::string& model, const std::string& part, const std::string& output) {
    FitOptions options;
    options.model = model;
    options.examples = (folder / part).string();
    Work work;
    auto job = fit_modes(options, work);
    EXPECT_TRUE(job) << job.error().message();
    EXPECT_TRUE(job && save_model(output, job->model, work));
    return work.warnings;
  };
  fit(file, "inner", first);
  const Character one = load(first).value().character();
  ASSERT_FALSE(one.drivers.empty());
  // Nothing of the other part is replaced; that it is left is told.
  const Warnings left = fit(first, "outer", second);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_NE(left[0].find("'inner', which is left as it is"), std::string::npos) << left[0];
  const Character both = load(second).value().character();
  EXPECT_EQ(both.drivers.size(), 2 * one.drivers.size());
  ASSERT_EQ(both.parts[0].morphs.size(), one.parts[0].morphs.size());
  // Both sleeves are bent alike, and learnt from the same examples.
  auto skin = Skin::make(both);
  ASSERT_TRUE(skin);
  Pose pose = both.rest();
  const Pose bent = pose_of(c, poses[12]);
  std::copy(bent.local.begin(), bent.local.end(), pose.local.begin());
  ASSERT_TRUE(skin->evaluate(pose));
  double apart = 0, learnt = 0;
  auto linear = Skin::make(c);
  ASSERT_TRUE(linear && linear->evaluate(bent));
  for (std::size_t v = 0; v < skin->positions(0).size(); ++v) {
    apart = std::max(apart, double{length(skin->positions(0)[v] - skin->positions(1)[v])});
    learnt = std::max(learnt, double{length(skin->positions(0)[v] - linear->positions(0)[v])});
  }
  EXPECT_GT(learnt, 1e-3);
  EXPECT_LT(apart, 1e-5);
  // Learning one of them again replaces that one only.
  const Warnings again = fit(second, "inner", first);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_NE(again[0].find("drivers"), std::string::npos);
  EXPECT_NE(again[1].find("'outer', which is left as it is"), std::string::npos) << again[1];
  EXPECT_EQ(load(first).value().character().drivers.size(), both.drivers.size());
}

TEST(SeveralParts, MorphsThatTheFlowHidesAreTold) {
  Character limb = kinodynamic_limb();
  limb.parts[0].morphs.push_back({"smile", {0}, {{0, 0, 0.01f}}, {}, {}});
  limb.morph_weights.push_back(0.5f);
  Warnings warnings;
  ASSERT_TRUE(Skin::make(limb, Blend::kinodynamic, {}, &warnings));
  ASSERT_FALSE(warnings.empty());
  EXPECT_NE(warnings.back().find("1 morph targets do not show"), std::string::npos) << warnings.back();
  Warnings none;
  ASSERT_TRUE(Skin::make(limb, Blend::linear, {}, &none));
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace supple::test
