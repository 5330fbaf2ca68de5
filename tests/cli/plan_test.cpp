// supple plan: the hand's default plan, choices, and clear refusals.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/files/pose_plan_file.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

class PlanCommand : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(supple("make hand --vertices 1500 -o " + hand_).exit_code, 0); }
  ScratchFolder work_;
  std::string hand_ = (work_ / "hand.glb").string(), plan_ = (work_ / "plan.json").string();
};

TEST_F(PlanCommand, HandHasAboutSixPosesPerDegreeOfFreedom) {
  const CommandResult made = supple("plan " + hand_ + " --json -o " + plan_);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["training_poses"], 181);  // 121 along axes, 36 across, 24 grips
  EXPECT_EQ(report["test_poses"], 40);       // one between for each of 24 degrees of freedom, ten random, six grips
  EXPECT_EQ(report["joints"].size(), 18u);
  EXPECT_TRUE(report["warnings"].empty());
  const auto plan = read_pose_plan(plan_);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->pose_count(), 221u);
  const auto character = load(hand_, nullptr, {});
  ASSERT_TRUE(character);
  Warnings warnings;
  EXPECT_TRUE(validate(*plan, character->character().skeleton, &warnings));
  EXPECT_TRUE(warnings.empty());
  const CommandResult text = supple("plan " + hand_ + " -o " + plan_);
  EXPECT_NE(text.out.find("181 training and 40 test poses"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("abduction -30..20, flexion -60..70"), std::string::npos) << text.out;
}

TEST_F(PlanCommand, OptionsChoose) {
  const CommandResult made = supple("plan " + hand_ + " --joints wrist,thumb-metacarpal --per-dof 2 --axes-only" +
                                    " --between 0 --random 3 --seed 9 --scale 0.5 --json -o " + plan_);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json report = Json::parse(made.out);
  EXPECT_EQ(report["training_poses"], 8);
  EXPECT_EQ(report["test_poses"], 3);
  ASSERT_EQ(report["joints"].size(), 2u);
  EXPECT_EQ(report["joints"][0]["axis"], 4);
  EXPECT_NE(contents(plan_).find("\"flexion\": 35}"), std::string::npos);  // half of the wrist's 70
}

TEST_F(PlanCommand, PosesOfAClip) {
  const CommandResult tested = supple("plan " + hand_ + " --clip fist --every .4 --json -o " + plan_);
  ASSERT_EQ(tested.exit_code, 0) << tested.err;
  const std::size_t frames = Json::parse(tested.out)["test_poses"].get<std::size_t>() - 40;  // besides those of limits
  EXPECT_GE(frames, 8u);
  EXPECT_EQ(Json::parse(tested.out)["training_poses"], 181);
  const CommandResult learnt =
      supple("plan " + hand_ + " --clip fist --every .4 --clip-only --test-every 2 --json -o " + plan_);
  ASSERT_EQ(learnt.exit_code, 0) << learnt.err;
  const Json counts = Json::parse(learnt.out);
  EXPECT_EQ(counts["test_poses"].get<std::size_t>() + counts["training_poses"].get<std::size_t>(), frames);
  EXPECT_GE(counts["training_poses"].get<std::size_t>(), frames / 3);
}

TEST_F(PlanCommand, SaysWhatIsWrong) {
  const auto expect = [&](const std::string& arguments, const std::string& words) {
    const CommandResult refused = supple("plan " + arguments + " -o " + plan_);
    EXPECT_EQ(refused.exit_code, 2) << arguments;
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(plan_)) << arguments;
  };
  expect(hand_ + " --joints wirst", "did you mean wrist?");
  expect(hand_ + " --joints thumb-tip", "--range");
  expect(hand_ + " --per-dof 0", "--per-dof");
  expect("/not/there.glb", "/not/there.glb");
  expect(hand_ + " --clip fst", "did you mean fist?");
  expect(hand_ + " --adaptive 5", "--examples");
  expect(hand_ + " --adaptive 5 --examples /not/there", "/not/there");
  const CommandResult ranged = supple("plan " + hand_ + " --joints thumb-tip --range 20 -o " + plan_);
  EXPECT_EQ(ranged.exit_code, 0) << ranged.err;
  EXPECT_NE(supple("plan --help").out.find("Example:\n  supple plan"), std::string::npos);
}

}  // namespace
}  // namespace supple::test
