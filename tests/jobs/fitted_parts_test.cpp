// A skin of several parts is learnt as the whole one is.
#include <gtest/gtest.h>

#include <map>

#include "jobs/made_limb.h"
#include "learn/sleeve.h"
#include "supple/files/example_set_file.h"
#include "supple/rig/joined_parts.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/fit/fit.h"
#include "supple/workflow/jobs/fit/pose_space.h"
#include "support/split_parts.h"

namespace supple::test {
namespace {

using namespace workflow;

/// Examples of the sleeve cut as `cut`, whose vertices are found again by where they rest.
ExampleSet cut_examples(const ExampleSet& whole, const Character& cut) {
  std::vector<std::uint32_t> from;
  std::vector<Triangle> triangles;
  ExampleSet set = whole;
  for (const Part& part : cut.parts) {
    const auto first = static_cast<std::uint32_t>(from.size());
    for (const Vec3f v : part.mesh.positions)
      from.push_back(static_cast<std::uint32_t>(std::find(whole.rest_positions.begin(), whole.rest_positions.end(), v) -
                                                whole.rest_positions.begin()));
    for (const Triangle& t : part.mesh.triangles) triangles.push_back({first + t[0], first + t[1], first + t[2]});
    set.parts.push_back({part.name, part.mesh.positions.size()});
  }
  const std::vector<ExamplePart> parts = set.parts;
  set = with_vertices(whole, from, std::move(triangles));
  set.part = parts[0].name;
  set.parts = parts;
  set.skeleton = cut.skeleton;
  if (cut.skeleton.size() == whole.skeleton.size()) return set;
  // Nodes that carry the pieces are joints too, and never move.
  std::vector<Quatf> rotations;
  for (std::size_t e = 0; e < whole.size(); ++e) {
    rotations.insert(rotations.end(), whole.rotations_of(e).begin(), whole.rotations_of(e).end());
    rotations.resize((e + 1) * cut.skeleton.size());
  }
  set.rotations = std::move(rotations);
  return set;
}

/// With a node of its own, by which files know surfaces of one mesh.
Character carried_sleeve() {
  Character c = sleeve();
  c.parts[0].node = c.skeleton.append("sleeve-node", no_joint);
  return c;
}

/// A sleeve whole, as three surfaces of one mesh, and as three meshes, each with its examples.
struct CutSleeve {
  ScratchFolder folder;
  std::vector<SleevePose> poses = sleeve_sweeps();
  Character whole = carried_sleeve(), surfaces = split_parts(whole, 0, 3, false),
            meshes = split_parts(whole, 0, 3, true);

  CutSleeve() {
    for (const auto& [name, c] :
         {std::pair{"whole", &whole}, std::pair{"surfaces", &surfaces}, std::pair{"meshes", &meshes}}) {
      EXPECT_TRUE(save(file(name), *c));
      *c = load(file(name)).value().character();
      const ExampleSet set = sleeve_examples(whole, poses, 0.5f);
      EXPECT_TRUE(save_examples(folder / name, c == &whole ? set : cut_examples(set, *c)));
    }
  }
  std::string file(const std::string& name) const { return (folder / (name + ".glb")).string(); }
  FitOptions options(const std::string& name) const {
    FitOptions o;
    o.model = file(name);
    o.examples = (folder / name).string();
    o.output = file(name + "-skin");
    return o;
  }
};

/// Pairs of vertices of different parts that rest in one place.
std::vector<std::array<JoinedParts::Place, 2>> seams_of(const Character& c) {
  std::vector<std::array<JoinedParts::Place, 2>> seams;
  for (std::size_t p = 0; p < c.parts.size(); ++p)
    for (std::size_t q = p + 1; q < c.parts.size(); ++q)
      for (std::uint32_t v = 0; v < c.parts[p].mesh.positions.size(); ++v)
        for (std::uint32_t w = 0; w < c.parts[q].mesh.positions.size(); ++w)
          if (c.parts[p].mesh.positions[v] == c.parts[q].mesh.positions[w])
            seams.push_back({JoinedParts::Place{p, v}, JoinedParts::Place{q, w}});
  return seams;
}

/// Offsets of a vertex that are not 0, by the names of their targets, with the rest position as "".
std::map<std::string, std::array<float, 3>> offsets_at(const Character& c, JoinedParts::Place at) {
  const Part& part = c.parts[at.part];
  const Vec3f rest = part.mesh.positions[at.number];
  std::map<std::string, std::array<float, 3>> offsets{{"", {rest.x, rest.y, rest.z}}};
  for (const MorphTarget& target : part.morphs)
    for (std::size_t i = 0; i < target.positions.size(); ++i) {
      const Vec3f u = target.positions[i];
      if ((target.vertices.empty() ? i : target.vertices[i]) == at.number && !(u == Vec3f{}))
        offsets[target.name] = {u.x, u.y, u.z};
    }
  return offsets;
}

Pose posed(const Character& c, const Character& rig, const SleevePose& p) {
  Pose pose = c.rest();
  const Pose bent = pose_of(rig, p);
  std::copy(bent.local.begin(), bent.local.end(), pose.local.begin());
  return pose;
}

TEST(FittedParts, AreLearntAsTheWholeSkin) {
  const CutSleeve cut;
  for (const FitMethod method : {FitMethod::kernel, FitMethod::eigenskin})
    for (const bool refine : {false, true}) {
      SCOPED_TRACE((method == FitMethod::kernel ? "kernel" : "eigenskin") + std::string(refine ? ", refined" : ""));
      const auto fit = [&](const std::string& name) {
        FitOptions o = cut.options(name);
        o.method = method;
        o.refine_weights = refine;
        Work work;
        auto job = fit_modes(o, work);
        EXPECT_TRUE(job) << job.error().message();
        EXPECT_TRUE(work.warnings.empty()) << work.warnings[0];
        EXPECT_TRUE(save_model(o.output, job->model, work));
        return std::move(*job);
      };
      const FitJob whole = fit("whole");
      ASSERT_LT(whole.errors[0].relative, 0.5) << "something is learnt";
      const Character one = load(cut.file("whole-skin")).value().character();
      auto shown_whole = Skin::make(one);
      ASSERT_TRUE(shown_whole);
      for (const std::string name : {"surfaces", "meshes"}) {
        SCOPED_TRACE(name);
        const FitJob pieces = fit(name);
        EXPECT_EQ(pieces.meshes.size(), name == "meshes" ? 3u : 1u);
        EXPECT_EQ(pieces.parts.size(), 3u);
        EXPECT_EQ(pieces.attached.targets.size(), whole.attached.targets.size());
        // The same vertices in another order: sums round otherwise, and nothing else.
        for (std::size_t g = 0; g < 3; ++g)
          EXPECT_NEAR(pieces.errors[g].relative, whole.errors[g].relative, 1e-4) << learn::group_names[g];
        const Character read = load(cut.file(name + "-skin")).value().character();
        auto shown = Skin::make(read);
        ASSERT_TRUE(shown) << shown.error().message();
        const Character& before = name == "meshes" ? cut.meshes : cut.surfaces;
        const auto seams = seams_of(before);
        ASSERT_GE(seams.size(), 24u) << "two rings of twelve at least";
        double apart = 0, open = 0;
        for (const SleevePose& p : cut.poses) {
          ASSERT_TRUE(shown->evaluate(posed(read, cut.whole, p)));
          ASSERT_TRUE(shown_whole->evaluate(posed(one, cut.whole, p)));
          for (std::size_t i = 0; i < before.parts.size(); ++i)
            for (std::size_t v = 0; v < before.parts[i].mesh.positions.size(); ++v) {
              const auto& rest = cut.whole.parts[0].mesh.positions;
              const auto w = static_cast<std::size_t>(
                  std::find(rest.begin(), rest.end(), before.parts[i].mesh.positions[v]) - rest.begin());
              apart = std::max(apart, double{length(shown->positions(i)[v] - shown_whole->positions(0)[w])});
            }
          for (const auto& [a, b] : seams)
            open =
                std::max(open, double{length(shown->positions(a.part)[a.number] - shown->positions(b.part)[b.number])});
        }
        // Tables of the run time hold offsets to 4e-7 of a part's size, here of a sleeve of 1 m, each target of a few.
        EXPECT_LT(apart, 3e-6);
        EXPECT_LT(open, 2e-6);
        // What the file holds is the same at both sides of a seam, to the last bit.
        for (const auto& [a, b] : seams) {
          EXPECT_EQ(offsets_at(read, a), offsets_at(read, b)) << "part " << a.part << ", vertex " << a.number;
        }
      }
    }
}

TEST(FittedParts, AreChosenByName) {
  const CutSleeve cut;
  FitOptions o = cut.options("meshes");
  o.part = cut.meshes.parts[1].name;
  Work work;
  const auto job = fit_modes(o, work);
  ASSERT_TRUE(job) << job.error().message();
  EXPECT_EQ(job->parts, std::vector<std::size_t>{1});
  EXPECT_EQ(job->set.vertices(), cut.meshes.parts[1].mesh.positions.size());
  ASSERT_EQ(work.warnings.size(), 1u);
  EXPECT_NE(work.warnings[0].find("borders"), std::string::npos) << work.warnings[0];
  const Character& learnt = job->model.character();
  EXPECT_FALSE(learnt.parts[1].morphs.empty());
  EXPECT_TRUE(learnt.parts[0].morphs.empty());
  EXPECT_EQ(learnt.parts[0].mesh.positions, cut.meshes.parts[0].mesh.positions);
  o.part = "nothing";
  EXPECT_FALSE(fit_modes(o, work));
}

TEST(FittedParts, OneThatTheExamplesLackIsToldAndLeft) {
  const CutSleeve cut;
  // Examples of the first and the last piece alone.
  const ExampleSet all = load_examples(cut.folder / "meshes").value();
  std::vector<std::uint32_t> from;
  std::vector<Triangle> triangles;
  std::uint32_t first = 0, removed = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    const auto count = static_cast<std::uint32_t>(all.parts[p].vertices);
    for (std::uint32_t v = first; p != 1 && v < first + count; ++v) from.push_back(v);
    for (const Triangle& t : all.triangles)
      if (p != 1 && t[0] >= first && t[0] < first + count)
        triangles.push_back({t[0] - removed, t[1] - removed, t[2] - removed});
    first += count;
    if (p == 1) removed = count;
  }
  ExampleSet some = with_vertices(all, from, std::move(triangles));
  some.parts = {all.parts[0], all.parts[2]};
  ASSERT_TRUE(save_examples(cut.folder / "some", some));
  FitOptions o = cut.options("meshes");
  o.examples = (cut.folder / "some").string();
  Work work;
  const auto job = fit_modes(o, work);
  ASSERT_TRUE(job) << job.error().message();
  EXPECT_EQ(job->parts, (std::vector<std::size_t>{0, 2}));
  ASSERT_EQ(work.warnings.size(), 1u);
  EXPECT_NE(work.warnings[0].find("'" + cut.meshes.parts[1].name + "', which is left as it is"), std::string::npos)
      << work.warnings[0];
  EXPECT_TRUE(job->model.character().parts[1].morphs.empty());
  EXPECT_FALSE(job->model.character().parts[2].morphs.empty());
  const auto checked = check_examples({.folder = o.examples, .model = o.model}, work);
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->part, all.parts[0].name + ", " + all.parts[2].name);
}

TEST(FittedParts, APoseSpaceTakesOne) {
  const CutSleeve cut;
  FitOptions o = cut.options("meshes");
  o.method = FitMethod::psd;
  Work work;
  const auto refused = fit_pose_space(o, work);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().remedy.find("--part"), std::string::npos) << refused.error().message();
  o.part = cut.meshes.parts[1].name;
  const auto one = fit_pose_space(o, work);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->space.part, 1u);
}

TEST(FittedParts, KeepTheMorphTargetsTheyHave) {
  // A smile at one piece, with a rest weight of its own; the other meshes have none.
  CutSleeve cut;
  Character& c = cut.meshes;
  c.parts[1].morphs.push_back({"smile", {5, 6}, {{0, 0, 0.01f}, {0, 0.01f, 0}}, {{0, 0.1f, 0}, {0, 0, 0.1f}}, {}});
  c.morph_weights = {0.5f};
  ASSERT_TRUE(save(cut.file("smile"), c));
  FitOptions o = cut.options("meshes");
  o.model = cut.file("smile");
  Work work;
  const auto job = fit_modes(o, work);
  ASSERT_TRUE(job) << job.error().message();
  const Character& learnt = job->model.character();
  ASSERT_TRUE(validate(learnt)) << validate(learnt).error().message();
  ASSERT_GT(learnt.parts[1].morphs.size(), 1u);
  EXPECT_EQ(learnt.parts[1].morphs[0].name, "smile");
  EXPECT_EQ(learnt.morph_weights[learnt.parts[1].first_morph_weight], 0.5f);
  // What was measured is what the file shows, with the smile.
  auto measured = Skin::make(job->learnt), written = Skin::make(learnt);
  ASSERT_TRUE(measured && written);
  ASSERT_TRUE(measured->evaluate(posed(job->learnt, cut.whole, cut.poses[3])));
  ASSERT_TRUE(written->evaluate(posed(learnt, cut.whole, cut.poses[3])));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t v = 0; v < learnt.parts[i].mesh.positions.size(); ++v)
      EXPECT_LT(length(written->positions(i)[v] - measured->positions(0)[job->merged->vertices[i][v]]), 2e-6f);
}

TEST(ImportedParts, OfMorphTargetsAreAllSurfacesOfTheMesh) {
  CutSleeve cut;
  Character& c = cut.surfaces;
  for (std::size_t p = 0; p < 3; ++p) {
    MorphTarget sculpt{"elbow.flexion=60", {}, {}, {}, {}};
    for (std::uint32_t v = 0; v < c.parts[p].mesh.positions.size(); ++v) {
      sculpt.vertices.push_back(v);
      sculpt.positions.push_back(Vec3f{0, 0, 0.02f} * c.parts[p].mesh.positions[v].y);
    }
    c.parts[p].morphs.push_back(sculpt);
    c.parts[p].first_morph_weight = 0;
  }
  c.morph_weights = {0};
  ASSERT_TRUE(save(cut.file("sculpted"), c));
  ImportExamplesOptions o;
  o.model = cut.file("sculpted");
  o.output = (cut.folder / "sculpts").string();
  o.morphs = true;
  Work work;
  const auto set = import_examples(o, work);
  ASSERT_TRUE(set) << set.error().message();
  ASSERT_EQ(set->size(), 1u);
  EXPECT_EQ(set->parts.size(), 3u);
  auto skin = Skin::make(c);
  ASSERT_TRUE(skin);
  Pose pose = c.rest();
  const float bend = 60 * std::numbers::pi_v<float> / 180;
  set_angles(pose, c.skeleton, 1, std::span(&bend, 1));
  pose.morph_weights = {1};
  ASSERT_TRUE(skin->evaluate(pose));
  const std::size_t last = set->vertices() - 1;
  EXPECT_LT(length(set->positions_of(0)[last] - skin->positions(2).back()), 1e-6f);
}

TEST(MergedParts, AreOneSurface) {
  const Character whole = sleeve(), cut = split_parts(whole, 0, 3, true);
  const MergedParts merged = merge_parts(cut, {0, 1, 2}, Seams::merged),
                    kept = merge_parts(cut, {0, 1, 2}, Seams::kept);
  ASSERT_TRUE(validate(merged.character)) << validate(merged.character).error().message();
  EXPECT_EQ(merged.part().mesh.positions.size(), whole.parts[0].mesh.positions.size());
  EXPECT_GT(kept.part().mesh.positions.size(), whole.parts[0].mesh.positions.size());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t v = 0; v < cut.parts[i].mesh.positions.size(); ++v) {
      EXPECT_EQ(merged.part().mesh.positions[merged.vertices[i][v]], cut.parts[i].mesh.positions[v]);
      EXPECT_TRUE(std::ranges::equal(merged.part().weights.of(merged.vertices[i][v]), cut.parts[i].weights.of(v)));
    }
  // Vertices that differ in a normal are not the same.
  Character creased = cut;
  for (Vec3f& n : creased.parts[1].mesh.normals) n = {0, 1, 0};
  EXPECT_GT(merge_parts(creased, {0, 1, 2}, Seams::merged).part().mesh.positions.size(),
            whole.parts[0].mesh.positions.size());
  const std::size_t all[]{0, 1, 2}, ends[]{0, 2};
  EXPECT_EQ(joined_surfaces(cut, all), (std::vector<std::vector<std::size_t>>{{0, 1, 2}}));
  EXPECT_EQ(joined_surfaces(cut, ends), (std::vector<std::vector<std::size_t>>{{0}, {2}}));
  EXPECT_EQ(bordering_parts(cut, std::span(&all[0], 1), std::span(&all[1], 2)), std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace supple::test
