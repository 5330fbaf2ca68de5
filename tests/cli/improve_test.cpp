// supple improve as people call it: files beside the output, exit codes, what it says.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/made_once.h"
#include "support/slurm_node.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

class ImproveCommand : public testing::Test {
 protected:
  ScratchFolder work_;
  const std::string limb_ = (work_ / "limb.glb").string(), out_ = (work_ / "out.glb").string();
  void SetUp() override { ASSERT_EQ(supple("make limb --vertices 600 -o " + limb_).exit_code, 0); }
  /// The limb improved on this machine: out.glb, what belongs to it, and what was printed in out.json.
  static fs::path improved() {
    return made_once("improved_limb", cli, [](const fs::path& folder) {
      const std::string limb = (folder / "limb.glb").string(), out = (folder / "out").string();
      EXPECT_EQ(supple("make limb --vertices 600 -o " + limb).exit_code, 0);
      const CommandResult result =
          supple("improve " + limb + " -o " + out + ".glb --effort quick --json > " + out + ".json");
      EXPECT_EQ(result.exit_code, 0) << result.err;
    });
  }
};

TEST_F(ImproveCommand, WritesTheSkinItsReportAndWhatItMeasured) {
  const fs::path made = improved();
  const Json json = Json::parse(contents(made / "out.json"));
  EXPECT_NE(json["verdict"].get<std::string>(), "no help");
  EXPECT_LT(json["held_out_error"].get<double>(), 0.9);
  const Json& strain = json["skin"]["strain"];
  EXPECT_LT(strain["after"].get<double>(), strain["before"].get<double>());
  EXPECT_EQ(json["gain"]["strain"].get<double>(), 1 - strain["after"].get<double>() / strain["before"].get<double>());
  EXPECT_EQ(json["skin"]["clips"]["torn_edges"], 0);
  EXPECT_FALSE(json["skin"]["worst_places"].empty());
  EXPECT_GT(load((made / "out.glb").string()).value().character().parts[0].morphs.size(), 0u);
  const std::string page = contents(made / "out.html");
  EXPECT_NE(page.find("Better"), std::string::npos);
  // The verdict comes first, then what it looks like, then numbers.
  EXPECT_LT(page.find("stretching of the skin"), page.find("In numbers"));
  EXPECT_LT(page.find("In numbers"), page.find("Joint by joint"));
}

TEST_F(ImproveCommand, WhatCannotBeImprovedEndsWithOneAndWritesNothing) {
  Character rigid = load(limb_).value().character();
  for (Part& part : rigid.parts) part.weights = top_influences(part.weights, 1);
  ASSERT_TRUE(save(limb_, rigid));
  const CommandResult result = supple("improve " + limb_ + " -o " + out_);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("nothing to improve"), std::string::npos) << result.out;
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ImproveCommand, SlurmGivesTheSameBytes) {
  SUPPLE_REQUIRE_SLURM();
  const SlurmNode node;
  ASSERT_TRUE(node.ready()) << node.log();
  const std::string how = " --effort quick --no-pictures --no-report -q ",
                    on_slurm = "--back-end slurm --slurm-poll 0.3";
  const fs::path local = improved();
  const CommandResult refused =
      supple("improve " + limb_ + " -o " + out_ + how + on_slurm + " --slurm-option=--partition=nowhere");
  EXPECT_EQ(refused.exit_code, 3) << refused.out << refused.err;
  EXPECT_NE(refused.out.find("sbatch"), std::string::npos) << refused.out;
  EXPECT_FALSE(fs::exists(out_)) << "a cluster that fails is no verdict";
  const CommandResult done = supple("improve " + limb_ + " -o " + out_ + how + on_slurm);
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err << node.log();
  EXPECT_EQ(contents(out_), contents(local / "out.glb"));
  EXPECT_EQ(contents(work_ / "out-work" / "lattice" / "positions.npy"),
            contents(local / "out-work" / "lattice" / "positions.npy"));
  EXPECT_FALSE(contents(work_ / "out-work" / "lattice" / "log" / "job.sh").empty()) << "jobs did it";
}

TEST_F(ImproveCommand, AClusterIsForFleshAlone) {
  const CommandResult result = supple("improve " + limb_ + " -o " + out_ + " --teacher delta-mush --back-end slurm");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not --teacher delta-mush"), std::string::npos) << result.err;
}

TEST_F(ImproveCommand, RefusesNamesOfOtherFormats) {
  const CommandResult result = supple("improve " + limb_ + " -o " + (work_ / "out.obj").string());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("write .glb or .gltf"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace supple::test
