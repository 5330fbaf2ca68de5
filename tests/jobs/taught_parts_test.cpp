// A skin of several parts is taught, simulated, imported and improved as the whole one is.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/vertex_cache.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/improve/improve.h"
#include "supple/workflow/jobs/simulate/simulate.h"
#include "supple/workflow/jobs/simulate/teach.h"
#include "support/split_parts.h"

namespace supple::test {
namespace {

using namespace workflow;

/// A limb whole and cut into three meshes, on one plan.
struct CutMadeLimb {
  ScratchFolder folder;
  Character whole = *make::make_limb({.vertices = 400});

  CutMadeLimb() {
    EXPECT_TRUE(save(file("whole"), whole));
    EXPECT_TRUE(save(file("cut"), split_parts(whole, 0, 3, true)));
  }
  std::string file(const std::string& name) const { return (folder / (name + ".glb")).string(); }
  SimulateOptions options(const std::string& name) const {
    SimulateOptions o;
    o.input = file(name);
    o.output = (folder / name).string();
    o.plan.poses_per_dof = 2;
    o.plan.off_axis = false;
    o.plan.held_out_random = 2;
    o.plan.grips = o.plan.held_out_grips = 0;
    return o;
  }
  /// How far the first examples of the pieces are from those of the whole, metres.
  double distance(std::size_t count = std::size_t(-1)) const {
    const ExampleSet a = load_examples(folder / "whole").value(), b = load_examples(folder / "cut").value();
    EXPECT_EQ(b.parts.size(), 3u);
    EXPECT_EQ(a.size(), b.size());
    double apart = 0;
    for (std::size_t v = 0; v < b.vertices(); ++v) {
      const auto w = static_cast<std::size_t>(
          std::find(a.rest_positions.begin(), a.rest_positions.end(), b.rest_positions[v]) - a.rest_positions.begin());
      EXPECT_LT(w, a.vertices());
      for (std::size_t e = 0; e < std::min(b.size(), count) && w < a.vertices(); ++e)
        apart = std::max(apart, double{length(b.positions_of(e)[v] - a.positions_of(e)[w])});
    }
    return apart;
  }
};

TEST(TaughtParts, AreThoseOfTheWholeSkin) {
  const CutMadeLimb limb;
  for (const DeformerKind* kind : {&delta_mush_kind, &kinodynamic_kind}) {
    for (const char* name : {"whole", "cut"}) {
      SimulateOptions o = limb.options(name);
      o.deformer = kind;
      o.force = true;
      Work work;
      const auto taught = teach(o, work);
      ASSERT_TRUE(taught) << taught.error().message();
      EXPECT_EQ(taught->missing, 0u);
    }
    // Smoothing adds up neighbours in another order: rounding of a limb of 0.6 m, over ten rounds. A flow is of limbs
    // whose sizes are means over vertices, of which those at borders are there twice.
    EXPECT_LT(limb.distance(), kind == &delta_mush_kind ? 2e-6 : 2e-5) << kind->name;
  }
}

TEST(SimulatedParts, AreThoseOfTheWholeSkin) {
  const CutMadeLimb limb;
  std::size_t poses = 0;
  for (const char* name : {"whole", "cut"}) {
    SimulateOptions o = limb.options(name);
    o.size_mm = 40;
    o.step_degrees = 30;
    o.adaptive = 1;  // one pose more, of several that a skin learnt from the others lacks alike
    Work work;
    const auto simulated = workflow::simulate(o, work);
    ASSERT_TRUE(simulated) << simulated.error().message();
    EXPECT_EQ(simulated->gathered.missing, 0u);
    EXPECT_EQ(simulated->run.curve.size(), 2u);
    poses = simulated->gathered.poses.size();
  }
  // The same elements; each solve ends within the tolerance of 5e-3 mm.
  EXPECT_LT(limb.distance(poses - 1), 2e-5);
}

TEST(ImportedParts, AreThoseThatTheSourceShows) {
  const CutMadeLimb limb;
  const Character cut = load(limb.file("cut")).value().character();
  const Clip& clip = cut.clips[0];
  auto whole = Skin::make(limb.whole), pieces = Skin::make(cut);
  ASSERT_TRUE(whole && pieces);
  // A cache of the limb as it was before an exporter cut it, and one of the first piece alone.
  std::vector<double> times;
  std::vector<std::vector<Vec3f>> all, first;
  for (int f = 0; f < 12; ++f) {
    times.push_back(0.1 * f);
    ASSERT_TRUE(whole->evaluate(limb.whole.at(limb.whole.clips[0], static_cast<float>(times.back()))));
    ASSERT_TRUE(pieces->evaluate(cut.at(clip, static_cast<float>(times.back()))));
    all.emplace_back(whole->positions().begin(), whole->positions().end());
    first.emplace_back(pieces->positions(0).begin(), pieces->positions(0).end());
  }
  ASSERT_TRUE(write_mdd(limb.folder / "all.mdd", times, all));
  ASSERT_TRUE(write_mdd(limb.folder / "first.mdd", times, first));
  ImportExamplesOptions o;
  o.model = limb.file("cut");
  o.clip = "0";
  Work work;
  for (const auto& [cache, parts] : {std::pair{"all", 3u}, std::pair{"first", 0u}}) {
    o.cache = (limb.folder / (std::string(cache) + ".mdd")).string();
    o.output = (limb.folder / (std::string(cache) + "-set")).string();
    const auto set = import_examples(o, work);
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_EQ(set->parts.size(), parts) << cache;
    ASSERT_TRUE(pieces->evaluate(cut.at(clip, 0.5f)));
    for (std::size_t v = 0; v < first[0].size(); ++v)
      EXPECT_LT(length(set->positions_of(5)[v] - pieces->positions(0)[v]), 1e-6f) << cache << ", vertex " << v;
  }
}

TEST(ImprovedParts, AreAllButHardOnes) {
  // A limb in three pieces that bend, a buckle that follows one joint and touches none of them.
  const CutMadeLimb limb;
  Character c = load(limb.file("cut")).value().character();
  Part buckle = c.parts[0];
  buckle.name = "buckle";
  buckle.node = c.skeleton.append("buckle-node", no_joint);
  for (Vec3f& v : buckle.mesh.positions) v = v * 0.1f + Vec3f{0.3f, 0.11f, 0.13f};
  buckle.weights = {};
  const Influence one{1, 1.0f};
  for (std::size_t v = 0; v < buckle.mesh.positions.size(); ++v) buckle.weights.push_vertex(std::span(&one, 1));
  c.parts.push_back(buckle);
  ASSERT_TRUE(save(limb.file("buckled"), c));
  c = load(limb.file("buckled")).value().character();
  ImproveOptions o;
  o.input = limb.file("buckled");
  o.output = limb.file("better");
  o.effort = Effort::quick;
  Work work;
  const auto improved = improve(o, work);
  ASSERT_TRUE(improved) << improved.error().message();
  ASSERT_TRUE(improved->fit) << improved->reason;
  EXPECT_EQ(improved->fit->parts, (std::vector<std::size_t>{0, 1, 2}));
  ASSERT_FALSE(improved->choices.empty());
  const std::string told = improved->choices.back();
  EXPECT_NE(told.find("are improved, as one surface"), std::string::npos) << told;
  EXPECT_NE(told.find("a part that follows one joint everywhere stays hard"), std::string::npos) << told;
  const Character better = load(o.output).value().character();
  EXPECT_TRUE(better.parts[3].morphs.empty());
  EXPECT_EQ(better.parts[3].mesh.positions, c.parts[3].mesh.positions);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_FALSE(better.parts[p].morphs.empty()) << p;
}

}  // namespace
}  // namespace supple::test
