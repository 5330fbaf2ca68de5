// supple simulate --deformer lattice: example poses of any rigged character, and a plain file after that.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

class SimulateLattice : public testing::Test {
 protected:
  ScratchFolder work_;
  const std::string limb_ = (work_ / "limb.glb").string(), set_ = (work_ / "set").string();
  void SetUp() override { ASSERT_EQ(supple("make limb --vertices 500 -o " + limb_).exit_code, 0); }
  CommandResult simulate(const std::string& more) const {
    return supple("simulate " + limb_ + " -o " + set_ + " --deformer lattice --cells 300 --no-pictures " + more);
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

TEST_F(SimulateLattice, OptionsOfTissueAreRefused) {
  const CommandResult result = simulate("--size 5");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not --deformer lattice"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace supple::test
