// What is proposed automatically is never worse than linear blend, or it is said where it is.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_kinodynamics.h"
#include "supple/workflow/jobs/bind_file.h"
#include "supple/workflow/jobs/mend_flow.h"
#include "support/trait_rigs.h"

namespace supple::test {
namespace {

using namespace workflow;

/// A character in a file, for jobs.
struct FiledRig {
  ScratchFolder work;
  std::string file = (work / "rig.glb").string(), out = (work / "out.glb").string();
  explicit FiledRig(const Character& c) { EXPECT_TRUE(save(file, c)); }
};

TEST(NeverWorse, LegsInAWideTunicKeepTheirVolume) {
  const FiledRig rig(wide_tunic());
  Work work;
  const auto added = workflow::add_kinodynamics({.input = rig.file, .output = rig.out, .automatic = true}, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_TRUE(added->compared);
  EXPECT_TRUE(added->compared->worse().empty()) << (work.warnings.empty() ? "" : work.warnings[0]);
  EXPECT_TRUE(work.warnings.empty());
  const SkinComparison& c = *added->compared;
  for (std::size_t r = 0; r < c.regions.size(); ++r) {
    const std::string& joint = added->model.character().skeleton.name(c.regions[r].joint);
    // A leg of 4.5 cm and 45 cm is 2.8 litres; the cloth about it encloses twenty times as much.
    if (!joint.starts_with("shin") || c.regions[r].volume > 0.004) continue;
    EXPECT_LT(std::abs(c.worst_change(&ComparedPose::after, r)), 0.05) << joint;
  }
}

TEST(NeverWorse, FlowThatDoesHarmStepsBack) {
  // Tissue that ends in the middle of the limb tears what is beyond.
  Character plain = MadeLimb().before(), c = plain;
  c.kinodynamics.emplace();
  TissuePrimitive upper;
  upper.joint = 0;
  upper.center = {0, 0.1f, 0};
  upper.radii = {0.2f, 0.2f, 0.2f};
  c.kinodynamics->field.source = FieldSource::primitives;
  c.kinodynamics->field.primitives = {upper};
  Work work;
  const auto poses = comparison_poses(plain, c);
  ASSERT_TRUE(poses);
  const auto harm = compare_skins(plain, c, *poses, {.after = Blend::kinodynamic}, work);
  ASSERT_TRUE(harm);
  ASSERT_FALSE(harm->worse().empty());
  const auto mended = mend_flow(plain, c, work);
  ASSERT_TRUE(mended && *mended);
  EXPECT_TRUE((*mended)->comparison.worse().empty());
  ASSERT_FALSE((*mended)->told.empty());
  // The flow is faded where it tears, smoothly, and stays elsewhere.
  const Mesh& mesh = c.parts[0].mesh;
  std::vector<float> gone(mesh.positions.size());
  for (const SkinVertexWeight& w : c.kinodynamics->field.bound) gone[w.vertex] = w.weight;
  EXPECT_GT(std::ranges::count_if(gone, [](float g) { return g > 0.5f; }), 0);
  EXPECT_GT(std::ranges::count(gone, 0.0f), static_cast<std::ptrdiff_t>(gone.size() / 10));
  float jump = 0;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) jump = std::max(jump, std::abs(gone[t[k]] - gone[t[(k + 1) % 3]]));
  EXPECT_LT(jump, 0.5f);
}

TEST(NeverWorse, ASkinThatIsTornIsToldWithItsPlace) {
  const Character plain = MadeLimb().before();
  Character torn = plain;
  std::size_t top = 0;
  std::vector<Vec3f>& positions = torn.parts[0].mesh.positions;
  for (std::size_t v = 0; v < positions.size(); ++v)
    if (positions[v].y > positions[top].y) top = v;
  positions[top].x += 0.3f;  // half the limb's length
  Work work;
  const auto poses = comparison_poses(plain, torn);
  ASSERT_TRUE(poses);
  const auto same = compare_skins(plain, plain, *poses, {}, work);
  const auto compared = compare_skins(plain, torn, *poses, {}, work);
  ASSERT_TRUE(same && compared);
  EXPECT_FALSE(same->tears());
  EXPECT_TRUE(compared->tears());
  EXPECT_GE(compared->damage().torn, 3 * compared->poses.size()) << "a vertex has three edges at least";
  const std::vector<WorseSkin> worse = compared->worse();
  ASSERT_FALSE(worse.empty());
  EXPECT_EQ(worse[0].what, WorseSkin::What::torn);
  const JointIndex follows =
      torn.skins[*torn.parts[0].skin].joints[torn.parts[0].weights.of(static_cast<std::uint32_t>(top))[0].joint];
  EXPECT_EQ(worse[0].joint, follows);
  EXPECT_NE(sentence_of(worse[0], *compared, plain.skeleton, "it").find("is torn"), std::string::npos);
  const std::vector<JointIndex> joints = compared->worse_joints();
  EXPECT_TRUE(std::ranges::find(joints, follows) != joints.end());
}

TEST(NeverWorse, WithoutAnyFlowTheSkinIsLinearBlend) {
  Character c = wide_tunic();
  c.kinodynamics.emplace();
  for (JointIndex j = 0; j < c.skeleton.size(); ++j) c.kinodynamics->field.flow.push_back({j, 0});
  auto flow = Skin::make(c, Blend::kinodynamic), linear = Skin::make(c);
  ASSERT_TRUE(flow && linear);
  const Pose pose = c.at(c.clips[0], 0.3f);
  ASSERT_TRUE(flow->evaluate(pose) && linear->evaluate(pose));
  for (std::size_t v = 0; v < linear->positions().size(); ++v)
    ASSERT_LT(length(flow->positions()[v] - linear->positions()[v]), 1e-6f) << v;  // two roundings of a metre
}

TEST(NeverWorse, HardThingsAreNoWorseEither) {
  for (const Character& c : {limb_with(HardThing::buckle), limb_with(HardThing::plate), head_on_neck()}) {
    const FiledRig rig(c);
    Work work;
    const auto added = workflow::add_kinodynamics({.input = rig.file, .output = rig.out, .automatic = true}, work);
    ASSERT_TRUE(added && added->compared) << c.name;
    EXPECT_TRUE(added->compared->worse().empty()) << c.name << (work.warnings.empty() ? "" : work.warnings[0]);
  }
}

TEST(NeverWorse, FleshIsComparedAndSwingsLessFarWhereItWouldDoHarm) {
  const FiledRig rig(limb_with(HardThing::buckle));
  Work work;
  const auto added =
      workflow::add_flesh({.input = rig.file, .output = rig.out, .automatic = true, .preset = "jelly"}, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_TRUE(added->compared);
  EXPECT_EQ(added->compared->source, PoseSource::clips);
  EXPECT_TRUE(added->compared->worse().empty() || !work.warnings.empty()) << "what is worse is told";
  EXPECT_EQ(added->mended.empty(), added->recipe.elements[0].gain == 1);
}

TEST(NeverWorse, NewWeightsAreComparedWithTheFilesOwn) {
  // All of the limb follows one joint by weights that somebody made: any others bend it.
  Character c = MadeLimb().before();
  const FiledRig rig(c);
  Work work;
  BindFileOptions options{.input = rig.file, .output = rig.out};
  options.weights.smoothing = 0;
  options.weights.segment_power = 60;  // nearly rigid: the bend cuts into itself
  const auto bound = bind_file(options, work);
  ASSERT_TRUE(bound) << bound.error().message();
  ASSERT_TRUE(bound->compared);
  ASSERT_FALSE(bound->compared->worse().empty());
  ASSERT_FALSE(work.warnings.empty());
  EXPECT_NE(work.warnings.back().find("with the new weights"), std::string::npos) << work.warnings.back();
}

TEST(CompareSkins, TellsTheRegionThatLosesItsVolume) {
  Character before = wide_tunic(), after = before;
  // The left shin shrinks to two thirds of its width: the whole would hide it.
  Part& part = after.parts[0];
  const JointIndex shin = *after.skeleton.find("shin-left");
  for (std::uint32_t v = 0; v < part.weights.vertices(); ++v) {
    Vec3f& p = part.mesh.positions[v];
    if (part.weights.of(v)[0].joint != shin || p.y > 0.44f || std::abs(p.x - 0.1f) > 0.05f) continue;
    p.x = 0.1f + (p.x - 0.1f) * 0.667f;
    p.z *= 0.667f;
  }
  Work work;
  const auto poses = comparison_poses(before, after);
  ASSERT_TRUE(poses);
  const auto compared = compare_skins(before, after, *poses, {}, work);
  ASSERT_TRUE(compared);
  const std::vector<WorseSkin> worse = compared->worse();
  const auto region = std::ranges::find_if(worse, [](const WorseSkin& w) { return w.what == WorseSkin::What::region; });
  ASSERT_NE(region, worse.end()) << "beside the cloth that is torn in front of it";
  EXPECT_EQ(region->joint, shin);
  EXPECT_NEAR(region->after, -0.5, 0.1);  // (2/3)^2 - 1 = -0.56 of all but its upper end
}

}  // namespace
}  // namespace supple::test
