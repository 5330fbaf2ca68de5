// Files whose joints have no names, or all the same one: every job works on them and does what it does to the same rig
// with names, and the names that files have stay as they are.
#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/files/example_set_file.h"
#include "supple/make/figure.h"
#include "supple/rig/pose_plan.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_kinodynamics.h"
#include "supple/workflow/jobs/convert_file.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/simulate/simulate.h"

namespace supple::test {
namespace {

using namespace workflow;

enum class Names { none, doubled };

/// The file again, its nodes without names or all called "Bone".
std::string with_names(const std::string& file, Names names) {
  auto document = gltf::read_document(file);
  EXPECT_TRUE(document) << document.error().message();
  for (Json& node : document->root["nodes"]) {
    if (names == Names::none) node.erase("name");
    if (names == Names::doubled) node["name"] = "Bone";
  }
  const std::string path = file + (names == Names::none ? ".nameless.glb" : ".doubled.glb");
  EXPECT_TRUE(gltf::write_document(path, *document));
  return path;
}

Json nodes_of(const std::string& file) { return gltf::read_document(file).value().root["nodes"]; }

class JointNames : public testing::TestWithParam<Names> {};
INSTANTIATE_TEST_SUITE_P(Kinds, JointNames, testing::Values(Names::none, Names::doubled),
                         [](const auto& kind) { return kind.param == Names::none ? "Nameless" : "Doubled"; });

TEST_P(JointNames, AreUniqueAndFilesKeepTheirOwn) {
  const MadeLimb limb;
  const std::string file = with_names(limb.file, GetParam());
  const Character c = load(file).value().character();
  EXPECT_EQ(c.skeleton.name(0), GetParam() == Names::none ? "#0" : "Bone");
  EXPECT_EQ(c.skeleton.name(2), GetParam() == Names::none ? "#2" : "Bone#2");
  Work work;
  ASSERT_TRUE(convert_file({.input = file, .output = limb.out}, work));
  EXPECT_EQ(nodes_of(limb.out), nodes_of(file));
  ASSERT_TRUE(save(limb.out, c));  // without the document that it came from
  const Json written = nodes_of(limb.out);
  for (std::size_t n = 0; n < c.skeleton.size(); ++n)
    EXPECT_EQ(written[n].value("name", std::string()), GetParam() == Names::none ? "" : "Bone");
}

TEST_P(JointNames, PlansAreThoseOfTheRigWithNames) {
  const MadeLimb limb;
  const Skeleton named = limb.before().skeleton;
  const Skeleton other = load(with_names(limb.file, GetParam())).value().character().skeleton;
  const auto expected = make_plan(named, {}), plan = make_plan(other, {});
  ASSERT_TRUE(expected && plan) << plan.error().message();
  ASSERT_EQ(plan->sweeps.size(), expected->sweeps.size());
  for (std::size_t s = 0; s < plan->sweeps.size(); ++s) {
    ASSERT_EQ(plan->sweeps[s].poses.size(), expected->sweeps[s].poses.size());
    for (std::size_t p = 0; p < plan->sweeps[s].poses.size(); ++p)
      EXPECT_EQ(pose_of(plan->sweeps[s].poses[p], other).local, pose_of(expected->sweeps[s].poses[p], named).local);
  }
  Pose by_name = rest_pose(other), by_limb = rest_pose(named);
  ASSERT_TRUE(apply_turn(by_name, other, other.name(1) + ".flexion=30"));
  ASSERT_TRUE(apply_turn(by_limb, named, "limb-1.flexion=30"));
  EXPECT_EQ(by_name.local, by_limb.local);
}

TEST_P(JointNames, ProposedFleshIsThatOfTheRigWithNames) {
  const ScratchFolder folder;
  const std::string file = (folder / "figure.glb").string(), out = (folder / "out.glb").string();
  ASSERT_TRUE(save(file, make::make_figure({.vertices = 1500}).value()));
  const std::string recipe = (folder / "recipe.json").string(), again = (folder / "again.glb").string();
  Work work;
  const auto expected = workflow::add_flesh({.input = file, .output = out, .automatic = true}, work);
  ASSERT_TRUE(expected) << expected.error().message();
  const std::string stripped = with_names(file, GetParam());
  const auto added =
      workflow::add_flesh({.input = stripped, .output = out, .automatic = true, .save_recipe = recipe}, work);
  ASSERT_TRUE(added) << added.error().message();
  ASSERT_EQ(added->regions.size(), expected->regions.size());
  for (std::size_t e = 0; e < added->regions.size(); ++e) {
    EXPECT_EQ(added->regions[e].vertices, expected->regions[e].vertices);
    EXPECT_EQ(added->model.character().flesh.elements[e].driver, expected->model.character().flesh.elements[e].driver);
  }
  // The recipe that was written is read again, and is of the same joints.
  const auto used = workflow::add_flesh({.input = stripped, .output = again, .recipe = recipe}, work);
  ASSERT_TRUE(used) << used.error().message();
  EXPECT_EQ(load(again).value().character().flesh, load(out).value().character().flesh);
}

TEST_P(JointNames, ProposedKinodynamicsAreThoseOfTheRigWithNames) {
  const MadeLimb limb(2000);
  Work work;
  AddKinodynamicsOptions options{.input = limb.file, .output = limb.out, .automatic = true, .ellipsoids = true};
  options.compare = false;
  options.save_recipe = (limb.work / "recipe.json").string();
  const auto expected = workflow::add_kinodynamics(options, work);
  ASSERT_TRUE(expected) << expected.error().message();
  options.input = with_names(limb.file, GetParam());
  const auto added = workflow::add_kinodynamics(options, work);
  ASSERT_TRUE(added) << added.error().message();
  const Kinodynamics a = *added->model.character().kinodynamics, b = *expected->model.character().kinodynamics;
  ASSERT_EQ(a.muscles.size(), b.muscles.size());
  ASSERT_FALSE(a.muscles.empty());
  for (std::size_t m = 0; m < a.muscles.size(); ++m) {
    EXPECT_EQ(a.muscles[m].joint, b.muscles[m].joint);
    EXPECT_EQ(a.muscles[m].center, b.muscles[m].center);
    EXPECT_EQ(a.muscles[m].skin_joints, b.muscles[m].skin_joints);
  }
  AddKinodynamicsOptions by_recipe{.input = options.input, .output = limb.out, .recipe = options.save_recipe};
  by_recipe.compare = false;
  const auto used = workflow::add_kinodynamics(by_recipe, work);
  ASSERT_TRUE(used) << used.error().message();
  ASSERT_EQ(used->model.character().kinodynamics->field.primitives.size(), a.field.primitives.size());
  for (std::size_t p = 0; p < a.field.primitives.size(); ++p)
    EXPECT_EQ(used->model.character().kinodynamics->field.primitives[p].joint, a.field.primitives[p].joint);
}

TEST_P(JointNames, FleshIsSimulatedOverThem) {
  const MadeLimb limb;
  SimulateOptions options;
  options.input = with_names(limb.file, GetParam());
  options.output = (limb.work / "examples").string();
  options.plan.joints = {GetParam() == Names::none ? "#1" : "Bone#1"};
  options.plan.poses_per_dof = 1;
  options.plan.held_out_random = options.plan.held_out_between = 0;
  options.plan.grips = options.plan.held_out_grips = 0;
  options.plan.off_axis = false;
  options.plan.range_scale = 0.1;  // the first few degrees take as much as names can spoil
  options.size_mm = 30;
  Work work;
  const auto simulated = workflow::simulate(options, work);
  ASSERT_TRUE(simulated) << simulated.error().message();
  EXPECT_TRUE(simulated->run.failures.empty());
  EXPECT_EQ(simulated->gathered.missing, 0u);
  const auto set = load_examples(options.output);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_GT(set->size(), 0u);
  EXPECT_TRUE(check_matches(*set, load(options.input).value().character(), 0));
}

TEST(UniqueJointNames, SkinJointsKeepTheirNamesBeforeOthers) {
  const std::vector<RawJoint> joints{{"Body", std::nullopt, {}, {}, false},
                                     {"Body", 0, {}, {}, true},
                                     {"", 1, {}, {}, true},
                                     {"#2", 1, {}, {}, false},
                                     {"Body", 1, {}, {}, true},
                                     {"Body#4", 1, {}, {}, true}};
  EXPECT_EQ(unique_joint_names(joints),
            (std::vector<std::string>{"Body#0", "Body", "#2#2", "#2", "Body#4#4", "Body#4"}));
  Skeleton skeleton = build_skeleton(joints)->skeleton;
  EXPECT_EQ(skeleton.given_name(2), "");
  EXPECT_EQ(skeleton.name(skeleton.append("Body", 1)), "Body#6");
  EXPECT_EQ(skeleton.find("Body"), JointIndex{1});
}

}  // namespace
}  // namespace supple::test
