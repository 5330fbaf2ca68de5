// supple simulate --deformer kinodynamics: what the flow does becomes an ordinary example set, and a plain file after
// that.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

/// A limb with two joints to bend, at 20 and 40 cm.
class Distillation : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(supple("make limb --vertices 800 -o " + limb_).exit_code, 0);
    std::ofstream(plan_) << R"({"pose_plan": 1, "sweeps": [
      {"name": "one", "poses": [
        {"name": "one30", "angles": {"limb-1": {"x": 30}}},
        {"name": "one60", "angles": {"limb-1": {"x": 60}}},
        {"name": "one75", "angles": {"limb-1": {"x": 75}}, "role": "test"},
        {"name": "one90", "angles": {"limb-1": {"x": 90}}, "weight": 2}]},
      {"name": "two", "poses": [
        {"name": "two45", "angles": {"limb-2": {"x": 45}}},
        {"name": "two90", "angles": {"limb-2": {"x": 90}}}]},
      {"name": "both", "poses": [
        {"name": "both", "angles": {"limb-1": {"x": 40}, "limb-2": {"x": 50}}, "role": "test"}]}]})";
  }
  std::string command(const std::string& folder, const std::string& more = "") const {
    return "simulate " + limb_ + " --deformer kinodynamics --plan " + plan_ + " -o " + (work_ / folder).string() + " " +
           more;
  }
  ScratchFolder work_;
  std::string limb_ = (work_ / "limb.glb").string(), plan_ = (work_ / "plan.json").string();
};

TEST_F(Distillation, IsAnExampleSetOfWhatTheFlowDoes) {
  const CommandResult made = supple(command("set", "--json --no-pictures"));
  ASSERT_EQ(made.exit_code, 0) << made.err << made.out;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["poses_finished"], 7);
  EXPECT_EQ(report["poses_missing"], 0);
  EXPECT_EQ(report["deformer_summary"], "kinodynamics: automatic field, 0 muscles");
  ASSERT_EQ(report["warnings"].size(), 1u) << report["warnings"];
  EXPECT_NE(report["warnings"][0].get<std::string>().find("usual values are used"), std::string::npos);
  // The flow keeps its volume and does not cut through itself; linear blending loses whole percents at 90 degrees.
  EXPECT_LT(std::abs(report["worst_volume_change"].get<double>()), 5e-3);
  EXPECT_EQ(report["intersecting_poses"], 0);
  EXPECT_FALSE(fs::exists(work_ / "set" / "work"));
  EXPECT_NE(contents(work_ / "set" / "report.html").find("one75"), std::string::npos);

  const auto set = load_examples(work_ / "set");
  ASSERT_TRUE(set) << set.error().message();
  ASSERT_TRUE(validate(*set));
  ASSERT_EQ(set->size(), 7u);
  EXPECT_EQ(set->examples[2].role, Role::test);
  EXPECT_EQ(set->examples[3].weight, 2.0f);
  EXPECT_EQ(supple("examples check " + (work_ / "set").string() + " --model " + limb_).exit_code, 0);
  const Character limb = load(limb_).value().character();
  auto skin = Skin::make(limb, Blend::kinodynamic);
  ASSERT_TRUE(skin) << skin.error().message();
  for (std::size_t i = 0; i < set->size(); ++i) {
    ASSERT_TRUE(skin->evaluate(set->pose(i)));
    for (std::size_t v = 0; v < set->vertices(); ++v)
      ASSERT_LT(length(set->positions_of(i)[v] - skin->positions()[v]), 1e-6f) << i << " " << v;
  }
}

TEST_F(Distillation, BecomesAPlainFileCloseToIt) {
  const CommandResult made = supple(command("set", "--no-pictures"));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("supple fit " + limb_ + " --examples " + (work_ / "set").string()), std::string::npos)
      << made.out;
  const std::string skin = (work_ / "skin.glb").string();
  const CommandResult fitted =
      supple("fit " + limb_ + " --examples " + (work_ / "set").string() + " --json -o " + skin);
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json errors = Json::parse(fitted.out)["errors"];
  // What linear blending is off by is gone where it was learnt, and mostly in poses between.
  EXPECT_LT(errors["train"]["relative"].get<double>(), 0.1);
  EXPECT_EQ(errors["held_out_single"]["examples"], 1);
  EXPECT_EQ(errors["held_out_several"]["examples"], 1);
  EXPECT_LT(errors["held_out_single"]["relative"].get<double>(), 0.35);
  EXPECT_LT(errors["held_out_several"]["relative"].get<double>(), 0.6);
  // A fitted file teaches the same again: what was learnt is left out.
  const CommandResult again = supple("simulate " + skin + " --deformer kinodynamics --plan " + plan_ +
                                     " --no-pictures --json -o " + (work_ / "again").string());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto first = load_examples(work_ / "set").value(), second = load_examples(work_ / "again").value();
  for (std::size_t v = 0; v < first.vertices(); ++v)
    ASSERT_LT(length(first.positions_of(3)[v] - second.positions_of(3)[v]), 1e-5f) << v;
}

TEST_F(Distillation, PoseSheetAndSecondCalls) {
  ASSERT_EQ(supple(command("set", "-q")).exit_code, 0);
  EXPECT_EQ(contents(work_ / "set" / "sheet.png").substr(1, 3), "PNG");
  const std::string before = contents(work_ / "set" / "positions.npy");
  const CommandResult again = supple(command("set"));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("--force"), std::string::npos) << again.err;
  ASSERT_EQ(supple(command("set", "--force --threads 1 --no-pictures -q")).exit_code, 0);
  EXPECT_EQ(contents(work_ / "set" / "positions.npy"), before);
}

TEST_F(Distillation, SaysWhatIsWrong) {
  const auto expect = [&](const std::string& more, const std::string& words) {
    const CommandResult refused = supple(command("refused", more));
    EXPECT_EQ(refused.exit_code, 2) << more;
    EXPECT_NE(refused.err.find(words), std::string::npos) << more << ": " << refused.err;
    EXPECT_FALSE(fs::exists(work_ / "refused")) << more;
  };
  expect("--size 4", "--size: is about simulated tissue");
  expect("--back-end slurm", "--back-end: is about simulated flesh");
  expect("--resume", "--resume: is about simulated flesh");
  expect("--close", "use --deformer tissue");
  expect("--part limp", "it has skin");
  expect("--deformer kinetic", "kinetic");
  const std::string mesh = (work_ / "mesh.obj").string();
  ASSERT_EQ(supple("convert " + limb_ + " -o " + mesh).exit_code, 0);
  const CommandResult unbound =
      supple("simulate " + mesh + " --deformer kinodynamics -o " + (work_ / "refused").string());
  EXPECT_EQ(unbound.exit_code, 2);
  EXPECT_NE(unbound.err.find("supple bind"), std::string::npos) << unbound.err;
}

}  // namespace
}  // namespace supple::test
