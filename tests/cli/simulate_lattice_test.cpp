// supple simulate --deformer lattice: example poses of any rigged character, and a plain file after that.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/slurm_node.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

class SimulateLattice : public testing::Test {
 protected:
  ScratchFolder work_;
  const std::string limb_ = (work_ / "limb.glb").string(), set_ = (work_ / "set").string();
  void SetUp() override { ASSERT_EQ(supple("make limb --vertices 500 -o " + limb_).exit_code, 0); }
  CommandResult simulate(const std::string& more) const { return simulate(more, set_); }
  CommandResult simulate(const std::string& more, const std::string& folder) const {
    return supple("simulate " + limb_ + " -o " + folder + " --deformer lattice --cells 300 --no-pictures -q " + more);
  }
  /// The arrays and the index of an example set.
  static std::string bytes(const fs::path& folder) {
    std::string all;
    for (const char* name : {"examples.json", "positions.npy", "normals.npy", "rotations.npy", "lattice.json"}) {
      const std::string part = contents(folder / name);
      EXPECT_FALSE(part.empty()) << folder << "/" << name;
      all += part;
    }
    return all;
  }
};

TEST_F(SimulateLattice, WritesASetThatFitLearnsFrom) {
  const CommandResult result = simulate("--json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report["deformer"], "lattice");
  EXPECT_EQ(report["poses_missing"], 0);
  EXPECT_EQ(report["poses"].size(), report["poses_finished"].get<std::size_t>());
  const auto set = load_examples(set_);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(set->size(), report["poses_finished"].get<std::size_t>());
  EXPECT_TRUE(set->zero_at_bind);
  // Without options that choose poses there are frames of the clip, some held out, and poses beyond these.
  std::size_t clip = 0, mixed = 0, held_out = 0;
  for (const Example& e : set->examples) {
    clip += std::ranges::find(e.tags, "clip") != e.tags.end();
    mixed += std::ranges::find(e.tags, "mixed") != e.tags.end();
    held_out += e.role == Role::test;
  }
  EXPECT_GT(clip, 20u);
  EXPECT_GT(mixed, 20u);
  EXPECT_GT(held_out, 5u);
  const std::string skin = (work_ / "skin.glb").string();
  const CommandResult fitted = supple("fit " + limb_ + " --examples " + set_ + " -o " + skin);
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_FALSE(load(skin).value().character().parts[0].morphs.empty());
  EXPECT_TRUE(fs::exists(work_ / "set" / "report.html"));
}

TEST_F(SimulateLattice, TakesThePosesThatOptionsName) {
  const CommandResult result = simulate("--joints limb-1 --range 40 --per-dof 2 --random 0 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_GT(report["poses"].size(), 1u);
  for (const Json& pose : report["poses"]) EXPECT_NE(pose["sweep"], "mixed");
}

TEST_F(SimulateLattice, AFolderInUseIsGoneOnWithOrBegunAgain) {
  ASSERT_EQ(simulate("").exit_code, 0);
  const CommandResult refused = simulate("");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
  EXPECT_EQ(simulate("--resume").exit_code, 0);
  EXPECT_EQ(simulate("--force").exit_code, 0);
}

// Five batches.
const std::string few = "--joints limb-1 --range 40 --per-dof 20 --between 0 --random 0 --coupled 0 ";

TEST_F(SimulateLattice, TasksMayBeDoneByAnyone) {
  const std::string whole = (work_ / "whole").string();
  ASSERT_EQ(simulate(few, whole).exit_code, 0);
  const CommandResult task = simulate(few + "--task 1");
  ASSERT_EQ(task.exit_code, 0) << task.err;
  EXPECT_NE(task.out.find("batch 1"), std::string::npos) << task.out;
  EXPECT_FALSE(fs::exists(work_ / "set" / "examples.json"));
  const CommandResult none = simulate(few + "--task 77");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("task 77"), std::string::npos) << none.err;
  ASSERT_EQ(simulate(few + "--resume").exit_code, 0);
  EXPECT_EQ(bytes(set_), bytes(whole));
}

TEST_F(SimulateLattice, SlurmGivesTheSameBytes) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  const std::string whole = (work_ / "whole").string(), on_slurm = few + "--back-end slurm --slurm-poll 0.3 ";
  ASSERT_EQ(simulate(few, whole).exit_code, 0);
  // One batch is there; the others are refused by the cluster at first.
  ASSERT_EQ(simulate(few + "--task 1").exit_code, 0);
  const CommandResult failed = simulate(on_slurm + "--resume --slurm-option=--partition=nowhere");
  EXPECT_EQ(failed.exit_code, 3) << failed.out << failed.err;
  EXPECT_NE(failed.out.find("sbatch"), std::string::npos) << failed.out;
  EXPECT_NE(failed.out.find("16 of"), std::string::npos) << failed.out;
  const CommandResult rest = simulate(on_slurm + "--resume");
  ASSERT_EQ(rest.exit_code, 0) << rest.out << rest.err << node.log();
  EXPECT_EQ(bytes(set_), bytes(whole));
  EXPECT_FALSE(fs::exists(work_ / "set" / "work"));
  EXPECT_FALSE(contents(work_ / "set" / "log" / "job.sh").empty()) << "jobs did it";
}

TEST_F(SimulateLattice, OptionsOfTissueAreRefused) {
  const CommandResult result = simulate("--size 5");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not --deformer lattice"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace supple::test
