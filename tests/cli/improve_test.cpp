// supple improve as people call it: files beside the output, exit codes, what it says.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

class ImproveCommand : public testing::Test {
 protected:
  ScratchFolder work_;
  const std::string limb_ = (work_ / "limb.glb").string(), out_ = (work_ / "out.glb").string();
  void SetUp() override { ASSERT_EQ(supple("make limb --vertices 600 -o " + limb_).exit_code, 0); }
};

TEST_F(ImproveCommand, WritesTheSkinItsReportAndWhatItMeasured) {
  const CommandResult result = supple("improve " + limb_ + " -o " + out_ + " --effort quick --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_NE(json["verdict"].get<std::string>(), "no help");
  EXPECT_LT(json["held_out_error"].get<double>(), 0.9);
  const Json& strain = json["skin"]["strain"];
  EXPECT_LT(strain["after"].get<double>(), strain["before"].get<double>());
  EXPECT_EQ(json["gain"]["strain"].get<double>(), 1 - strain["after"].get<double>() / strain["before"].get<double>());
  EXPECT_EQ(json["skin"]["clips"]["torn_edges"], 0);
  EXPECT_FALSE(json["skin"]["worst_places"].empty());
  EXPECT_GT(load(out_).value().character().parts[0].morphs.size(), 0u);
  const std::string page = contents(work_ / "out.html");
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

TEST_F(ImproveCommand, RefusesNamesOfOtherFormats) {
  const CommandResult result = supple("improve " + limb_ + " -o " + (work_ / "out.obj").string());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("write .glb or .gltf"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace supple::test
