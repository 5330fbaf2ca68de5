// supple scan build on scans as they come: with the table under the hand, none cropped like another, few or useless.
#include <gtest/gtest.h>

#include "cli/scan_study.h"

namespace supple::test {
namespace {

bool has(const Json& warnings, const std::string& text) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Json& w) { return w.get<std::string>().find(text) != std::string::npos; });
}

TEST(ScanField, TableCropAndPoorTeachers) {
  const Study study("--table --crop 20");
  const auto edit = [&](const std::function<void(Json&)>& change) { study.edit(change); };
  const auto build = [&] { return study.build("--json"); };

  CommandResult built = build();
  ASSERT_EQ(built.exit_code, 0) << built.err;
  Json facts = Json::parse(built.out);
  ASSERT_EQ(facts["errors"].size(), 2u);
  for (const Json& scan : facts["errors"]) {
    // As without table and crop. Skin that the cropped grasp does not show would count by centimetres.
    EXPECT_LT(scan["wpsd"]["rms_mm"], scan["role"] == "test" ? 0.6 : 0.2) << scan.dump();
    EXPECT_LT(scan["ssd"]["rms_mm"], 1.0) << scan.dump();
    // 20 mm of a forearm that is cut 38 mm from the wrist anyway.
    EXPECT_GT(scan["share_left_out"], scan["scan"] == "grasp" ? 0.02 : -1.0) << scan.dump();
    EXPECT_LT(scan["share_left_out"], 0.25) << scan.dump();
  }
  // The modelled carpus is one block; nothing else is to be told.
  ASSERT_EQ(facts["warnings"].size(), 1u) << facts["warnings"].dump();
  EXPECT_TRUE(has(facts["warnings"], "pisiform do not come apart")) << facts["warnings"].dump();
  const Json project = *read_json(study.project);
  for (const auto& [name, thresholds] : project["decisions"]["thresholds"].members())
    EXPECT_NEAR(thresholds["skin"].get<double>(), -480, 10) << name;

  // The relaxed hand once more in place of the held-out one: a pose that is no other.
  edit([](Json& json) {
    json["scans"].erase(json["scans"].end() - 1);
    json["scans"].push_back({{"name", "again"}, {"volume", "relaxed.nrrd"}});
  });
  built = build();
  ASSERT_EQ(built.exit_code, 0) << built.err;
  facts = Json::parse(built.out);
  EXPECT_TRUE(has(facts["warnings"], "scan 'again': is the pose of the base")) << facts["warnings"].dump();
  EXPECT_FALSE(has(facts["warnings"], "poses in all"));

  edit([](Json& json) { json["scans"].erase(json["scans"].end() - 1); });
  built = build();
  ASSERT_EQ(built.exit_code, 0) << built.err;
  facts = Json::parse(built.out);
  EXPECT_TRUE(has(facts["warnings"], "only 2 poses in all")) << facts["warnings"].dump();

  edit([](Json& json) { json["scans"][0]["role"] = "test"; });
  built = build();
  EXPECT_NE(built.exit_code, 0);
  EXPECT_NE(built.err.find("is the base and cannot be held out"), std::string::npos) << built.err;
}

}  // namespace
}  // namespace supple::test
