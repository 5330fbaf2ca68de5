// A body in several meshes, taught and fitted by the program: other engines play it like us, with closed borders.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/example_set_file.h"
#include "supple/make/limb.h"
#include "support/engines.h"
#include "support/split_parts.h"

namespace supple::test {
namespace {

/// Largest distance of vertices of two meshes that are at one place at the first time, at the others; by three.js.
double widest_seam(const fs::path& file, const std::string& clip, const std::string& times) {
  const Json theirs = positions_from(Engine::three, file, clip, times);
  std::vector<std::vector<std::vector<Vec3d>>> at;  // #meshes by #times by #V
  for (const Json& mesh : theirs["meshes"]) {
    auto& moments = at.emplace_back();
    for (const Json& numbers : mesh["positions"]) {
      auto& positions = moments.emplace_back();
      for (std::size_t v = 0; v < numbers.size() / 3; ++v)
        positions.push_back(
            {numbers[3 * v].get<double>(), numbers[3 * v + 1].get<double>(), numbers[3 * v + 2].get<double>()});
    }
  }
  double widest = 0;
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < at.size(); ++a)
    for (std::size_t b = a + 1; b < at.size(); ++b)
      for (std::size_t v = 0; v < at[a][0].size(); ++v)
        for (std::size_t w = 0; w < at[b][0].size(); ++w) {
          if (length(at[a][0][v] - at[b][0][w]) > 1e-6) continue;
          ++pairs;
          for (std::size_t t = 1; t < at[a].size(); ++t) widest = std::max(widest, length(at[a][t][v] - at[b][t][w]));
        }
  EXPECT_GT(pairs, 20u) << "there are seams";
  return widest;
}

TEST(SeveralPartsInPrograms, AreFittedToAFileThatOthersPlay) {
  const ScratchFolder work;
  const std::string limb = (work / "limb.glb").string(), skin = (work / "skin.glb").string(),
                    examples = (work / "examples").string();
  const Character cut = split_parts(*make::make_limb({.joints = 3, .vertices = 500}), 0, 3, true);
  ASSERT_TRUE(save(limb, cut));
  const CommandResult taught = supple("simulate " + limb + " -o " + examples + " --deformer delta-mush --no-pictures");
  ASSERT_EQ(taught.exit_code, 0) << taught.err;
  EXPECT_EQ(load_examples(examples).value().parts.size(), 3u);
  EXPECT_NE(supple("examples info " + examples).out.find(cut.parts[0].name + ", " + cut.parts[1].name),
            std::string::npos);
  EXPECT_EQ(supple("examples check " + examples + " --model " + limb).exit_code, 0);
  const CommandResult planned =
      supple("plan " + limb + " --examples " + examples + " --adaptive 2 -o " + (work / "next.json").string());
  EXPECT_EQ(planned.exit_code, 0) << planned.err;
  const CommandResult fitted = supple("fit " + limb + " --examples " + examples + " -o " + skin + " --report " +
                                      (work / "report.html").string() + " --no-pictures");
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_EQ(fitted.err.find("left as it is"), std::string::npos) << fitted.err;
  const Character learnt = load(skin).value().character();
  for (const Part& part : learnt.parts) EXPECT_FALSE(part.morphs.empty()) << part.name;
  SUPPLE_REQUIRE_ENGINE(Engine::three);
  EXPECT_LE(difference_from(Engine::three, skin, "0", {0, 0.41f, 1, 1.713f, 2.5f}), 1e-5);
  // Metres, of a limb of 0.6 m: what floats round.
  EXPECT_LT(widest_seam(skin, "0", "0,0.41,1,1.713,2.5"), 1e-6);
  if (!missing_package("gltf-validator").empty()) return;
  const Json report = validator_report({skin});
  EXPECT_EQ(report[skin]["errors"], 0) << report[skin].dump(1);
}

}  // namespace
}  // namespace supple::test
