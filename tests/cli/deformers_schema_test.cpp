// The published JSON schema of SUPPLE_deformers accepts what we write and the page's example, and refuses damage.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/driven_character.h"
#include "support/engines.h"
#include "support/pose_space_arm.h"

namespace supple::test {
namespace {

/// Files that the schema accepts.
std::set<std::string> accepted(const std::vector<fs::path>& files) {
  const fs::path schema = fs::path(SUPPLE_SOURCE_DIR) / "docs/schema/SUPPLE_deformers.schema.json";
  std::string command =
      "node " + (node_folder / "check_schema.mjs").string() + " " + schema.string() + " SUPPLE_deformers";
  for (const fs::path& f : files) command += " " + f.string();
  const CommandResult result = run(command);
  EXPECT_LE(result.exit_code, 1) << result.err;
  std::set<std::string> names;
  const Json reports = Json::parse(result.out);
  for (const auto& [file, report] : reports.members()) {
    if (report["valid"] == true) names.insert(fs::path(file).filename().string());
  }
  return names;
}

TEST(DeformersSchema, AcceptsWhatWeWriteAndRefusesDamage) {
  SUPPLE_REQUIRE_NODE_PACKAGE("ajv");
  const ScratchFolder work;
  std::vector<fs::path> files{work / "strip.glb", work / "strip.gltf", work / "example.gltf"};
  Character c = limited_strip();
  Rng rng(1);
  c.drivers.push_back(random_driver(rng, {1, 2}, RbfKernel::linear, 7, 1, true));
  for (const std::size_t f : {0u, 1u}) ASSERT_TRUE(save(files[f], c));
  const std::string page = contents(fs::path(SUPPLE_SOURCE_DIR) / "docs/SUPPLE_deformers.md");
  const std::size_t begin = page.find("```json\n") + 8;
  ASSERT_TRUE(write_file(files[2], std::string_view(page).substr(begin, page.find("```", begin) - begin)));

  const Json good = Json::parse(contents(files[1]));
  const std::vector<std::function<void(Json&)>> damages{
      [](Json& e) { e.erase("version"); },
      [](Json& e) { e["version"] = 2; },
      [](Json& e) { e["drivers"] = Json::array(); },
      [](Json& e) { e["drivers"][0].erase("node"); },
      [](Json& e) { e["drivers"][0]["node"] = -1; },
      [](Json& e) { e["drivers"][0]["firstTarget"] = 0.5; },
      [](Json& e) { e["drivers"][0]["joints"] = Json::array(); },
      [](Json& e) {
        e["drivers"][1]["joints"] = {1, 1};
      },
      [](Json& e) { e["drivers"][1]["joints"] = Json::array({1}); },  // the centres are of two
      [](Json& e) {
        e["drivers"][0]["joints"] = {1, 2};
      },
      [](Json& e) {
        e["drivers"][0]["reference"][0] = {0, 0, 1};
      },
      [](Json& e) { e["drivers"][0]["reference"][0][1] = 1.5; },
      [](Json& e) { e["drivers"][0]["kernel"] = "thin plate"; },
      [](Json& e) { e["drivers"][0]["radius"] = 0; },
      [](Json& e) {
        e["drivers"][2]["twistAxes"][0] = {0, 1, 0, 0};
      },
      [](Json& e) { e["drivers"][2]["twistWeight"] = -0.5; },
      [](Json& e) { e["drivers"][0]["centres"][2].push_back(0); },
      [](Json& e) { e["drivers"][0]["coefficients"][1] = 3; },
      [](Json& e) {
        e["drivers"][1]["coefficients"] = Json::array({{1}, {2}});
      },  // cubic has four at least
      [](Json& e) { e["drivers"][0]["restWeights"] = Json::array(); },
      [](Json& e) { e["drivers"][0]["least"] = Json::array(); },
      [](Json& e) { e["drivers"][0]["most"] = {"high"}; },
      [](Json& e) {
        e["drivers"][0]["twistAxis"] = {0, 1, 0};
      },  // a slip
  };
  for (std::size_t d = 0; d < damages.size(); ++d) {
    Json broken = good;
    damages[d](broken["extensions"]["SUPPLE_deformers"]);
    files.push_back(work / ("damage" + std::to_string(d) + ".gltf"));
    ASSERT_TRUE(write_file(files.back(), broken.dump()));
  }
  EXPECT_EQ(accepted(files), (std::set<std::string>{"strip.glb", "strip.gltf", "example.gltf"}));
}

TEST(DeformersSchema, KnowsPoseSpaces) {
  SUPPLE_REQUIRE_NODE_PACKAGE("ajv");
  const ScratchFolder work;
  std::vector<fs::path> files{work / "arm.gltf"};
  ASSERT_TRUE(save(files[0], pose_space_arm()));
  const Json good = Json::parse(contents(files[0]));
  const std::vector<std::function<void(Json&)>> damages{
      [](Json& s) { s.erase("node"); },
      [](Json& s) { s["influence"] = "some"; },
      [](Json& s) { s["floor"] = 0; },
      [](Json& s) { s["radius"] = -1; },
      [](Json& s) { s["joints"] = Json::array(); },
      [](Json& s) { s["joints"][1] = Json(s["joints"][0]); },
      [](Json& s) { s["reference"][0].push_back(0); },
      [](Json& s) { s["settings"] = Json::array(); },
      [](Json& s) { s["settings"][0][0] = 2; },
      [](Json& s) { s["width"] = 2; },  // a slip
  };
  for (std::size_t d = 0; d < damages.size(); ++d) {
    Json broken = good;
    damages[d](broken["extensions"]["SUPPLE_deformers"]["poseSpace"]);
    files.push_back(work / ("damage" + std::to_string(d) + ".gltf"));
    ASSERT_TRUE(write_file(files.back(), broken.dump()));
  }
  EXPECT_EQ(accepted(files), (std::set<std::string>{"arm.gltf"}));
}

}  // namespace
}  // namespace supple::test
