// Pose plans on disk: exact there and back, readable between, and clear about mistakes of a hand that edits.
#include "supple/files/pose_plan_file.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/base/rng.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

PosePlan small() {
  const auto degrees = [](double d) { return static_cast<float>(d * std::numbers::pi / 180); };
  PosePlan plan;
  plan.sweeps.push_back({"wrist.flexion+",
                         {{"a", {{"wrist", "flexion", degrees(40)}}},
                          {"b",
                           {{"wrist", "abduction", degrees(-7.5)}, {"wrist", "flexion", degrees(26.67)}},
                           Role::test,
                           2.5f,
                           {"axis", "a \"quoted\" one"}}}});
  plan.sweeps.push_back({"rest", {{"c", {}}}});
  return plan;
}

TEST(PosePlanFile, IsReadableWithOneLinePerPose) {
  EXPECT_EQ(to_json(small()), R"({
  "pose_plan": 1,
  "sweeps": [
    {"name": "wrist.flexion+", "poses": [
      {"name": "a", "angles": {"wrist": {"flexion": 40}}},
      {"name": "b", "angles": {"wrist": {"abduction": -7.5, "flexion": 26.67}}, "role": "test", "weight": 2.5, "tags": ["axis", "a \"quoted\" one"]}
    ]},
    {"name": "rest", "poses": [
      {"name": "c", "angles": {}}
    ]}
  ]
}
)");
}

TEST(PosePlanFile, ComesBackExactly) {
  PosePlan plan = small();
  Rng rng(5);
  Sweep any{"any floats", {}};
  for (int i = 0; i < 500; ++i) {
    const auto angle = static_cast<float>(rng.uniform(-7, 7) * std::pow(10.0, -rng.uniform(0, 12)));
    const auto weight = static_cast<float>(rng.uniform() * std::pow(10.0, rng.uniform(-9, 9)));
    any.poses.push_back({"p" + std::to_string(i), {{"j", "x", angle}}, Role::train, weight, {}});
  }
  plan.sweeps.push_back(any);
  const ScratchFolder work;
  ASSERT_TRUE(write_pose_plan(work / "plan.json", plan));
  const auto back = read_pose_plan(work / "plan.json");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, plan);
  EXPECT_EQ(to_json(*back), to_json(plan));
}

std::string problem(const std::string& text) {
  const auto plan = parse_pose_plan(text, "plan.json");
  return plan ? "" : plan.error().message();
}

/// The small plan with one piece of text replaced.
std::string edited(const std::string& from, const std::string& to) {
  std::string text = to_json(small());
  text.replace(text.find(from), from.size(), to);
  return problem(text);
}

TEST(PosePlanFile, NamesLineSweepAndPoseOfAMistake) {
  const std::string b = "plan.json:6, sweep 'wrist.flexion+', pose 'b'";
  EXPECT_EQ(edited("\"role\": \"test\"", "\"role\": \"tset\""), b + ": has an unknown role (train or test)");
  EXPECT_EQ(edited("\"weight\"", "\"wieght\""), b + ": has an entry 'wieght' that is not known (did you mean weight?)");
  EXPECT_EQ(edited("26.67", "\"much\""), b + ", joint 'wrist': has no number for 'flexion' "
                                             "(\"angles\": {\"joint\": {\"flexion\": 40}}, in degrees)");
  EXPECT_NE(edited("26.67", "1e300").find("out of range"), std::string::npos);
  EXPECT_EQ(edited("{\"flexion\": 40}", "40").find("plan.json:5, sweep 'wrist.flexion+', pose 'a', joint 'wrist'"), 0u);
  EXPECT_EQ(edited("{\"name\": \"c\", ", "{").find("plan.json:9, sweep 'rest', pose 0: has no \"name\""), 0u);
  EXPECT_EQ(edited("\"name\": \"rest\", ", "").find("plan.json:8, sweep 1: has no \"name\""), 0u);
  EXPECT_EQ(edited("}}},\n", "}}}\n").find("plan.json:6: is not JSON from here on"), 0u);
  EXPECT_EQ(edited("\"angles\": {}", "\"angles\": 3").find("plan.json:9, sweep 'rest', pose 'c'"), 0u);
}

TEST(PosePlanFile, ToleratesCommentsAndRefusesOtherFiles) {
  EXPECT_EQ(edited("\"sweeps\"", "// by hand\n\"sweeps\""), "");
  EXPECT_NE(problem(""), "");
  EXPECT_NE(problem("[]"), "");
  EXPECT_NE(problem("{}"), "");
  EXPECT_NE(problem(R"({"pose_plan": 2, "sweeps": []})"), "");
  EXPECT_NE(problem(R"({"pose_plan": 1, "sweeps": [3]})"), "");
  EXPECT_NE(problem(R"({"pose_plan": 1, "sweeps": [{"name": "s", "poses": [null]}]})"), "");
  EXPECT_NE(problem("{\"pose_plan\": 1, \"sweeps\": [{\"name\": \"\xff\"}]}"), "");
  EXPECT_NE(problem(std::string(100000, '[')), "");
  EXPECT_FALSE(read_pose_plan("/not/there.json"));
}

}  // namespace
}  // namespace supple::test
