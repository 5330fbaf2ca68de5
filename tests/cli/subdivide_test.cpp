// supple subdivide: a finer hand that still makes the same fist.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/deform/skin.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/geometry/bvh.h"
#include "support/driven_character.h"
#include "support/engines.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

const Part& part_named(const Character& c, const std::string& name) {
  return *std::find_if(c.parts.begin(), c.parts.end(), [&](const Part& p) { return p.name == name; });
}

TEST(Subdivide, AHandBecomesFinerAndMakesTheSameFist) {
  const ScratchFolder work;
  const fs::path coarse_file = work / "hand.glb", fine_file = work / "fine.glb";
  ASSERT_EQ(supple("make hand --vertices 7000 -o " + coarse_file.string()).exit_code, 0);
  const CommandResult done = supple("subdivide --json " + coarse_file.string() + " -o " + fine_file.string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Loaded coarse = load(coarse_file).value(), fine = load(fine_file).value();
  const Character &before = coarse.character(), &after = fine.character();
  const std::string skin_name = before.parts[0].name;
  ASSERT_NE(skin_name, "bones");
  const Mesh &old_skin = before.parts[0].mesh, &new_skin = part_named(after, skin_name).mesh;
  EXPECT_EQ(new_skin.triangles.size(), 4 * old_skin.triangles.size());
  EXPECT_NEAR(static_cast<double>(old_skin.triangles.size()), 14000, 500);
  EXPECT_EQ(Json::parse(done.out)["triangles"], new_skin.triangles.size());
  EXPECT_EQ(part_named(after, "bones").mesh.triangles.size(), part_named(before, "bones").mesh.triangles.size())
      << "bone surfaces are left alone";
  EXPECT_EQ(part_named(after, skin_name).weights.max_influences(), 4u);
  EXPECT_TRUE(find_defects(new_skin.positions, new_skin.triangles).closed());

  Skin old_pose = Skin::make(before).value(), new_pose = Skin::make(after).value();
  ASSERT_TRUE(old_pose.evaluate(before.at(before.clips[0], 2)));
  ASSERT_TRUE(new_pose.evaluate(after.at(after.clips[0], 2)));
  const Bvh surface(old_pose.positions(), old_skin.triangles);
  double worst = 0, sum = 0;
  for (const Vec3f p : new_pose.positions()) {
    const double distance = surface.closest(p).distance;
    worst = std::max(worst, distance);
    sum += distance;
  }
  const double mean = sum / static_cast<double>(new_pose.positions().size());
  std::printf("fist: %.3f mm at most from the coarse one, %.4f mm on average\n", 1e3 * worst, 1e3 * mean);
  // Edges are 2 to 3 mm long: smoothing takes off a fraction of that where blended skin folds in on itself, and hardly
  // anything elsewhere.
  EXPECT_LT(worst, 1.5e-3);
  EXPECT_LT(mean, 1e-4);

  if (!fs::exists(node_folder / "node_modules/gltf-validator")) return;
  const CommandResult checked = run("node " + (node_folder / "validate.mjs").string() + " " + fine_file.string());
  const Json report = Json::parse(checked.out)[fine_file.string()];
  EXPECT_EQ(report["errors"], 0) << report;
  EXPECT_EQ(report["warnings"], 0) << report;
}

TEST(Subdivide, DriversStillDriveWhatTheyDrove) {
  const ScratchFolder work;
  const fs::path coarse = work / "strip.glb", fine = work / "fine.glb";
  ASSERT_TRUE(save(coarse, driven_strip()));
  ASSERT_EQ(supple("subdivide --levels 2 --part strip " + coarse.string() + " -o " + fine.string()).exit_code, 0);
  const Character before = load(coarse).value().character(), after = load(fine).value().character();
  EXPECT_EQ(before.drivers, after.drivers);
  EXPECT_EQ(before.morph_weights, after.morph_weights);
  EXPECT_EQ(part_named(after, "strip").mesh.triangles.size(), 16 * part_named(before, "strip").mesh.triangles.size());
  EXPECT_EQ(part_named(after, "flag").mesh.triangles.size(), 1u);
  ASSERT_EQ(part_named(after, "strip").morphs.size(), 7u);
  EXPECT_EQ(part_named(after, "strip").morphs[3].name, "target 3");
}

TEST(Subdivide, WrongNamesAndLevelsAreRefused) {
  const ScratchFolder work;
  const fs::path limb = work / "limb.glb";
  ASSERT_EQ(supple("make limb --vertices 200 -o " + limb.string()).exit_code, 0);
  const std::string to = " " + limb.string() + " -o " + (work / "out.glb").string();
  const CommandResult name = supple("subdivide --part skni" + to);
  EXPECT_EQ(name.exit_code, 2);
  EXPECT_NE(name.err.find("did you mean skin?"), std::string::npos) << name.err;
  EXPECT_NE(supple("subdivide --help").out.find("Example:\n  supple subdivide"), std::string::npos);
  EXPECT_EQ(supple("subdivide --levels 0" + to).exit_code, 2);
  EXPECT_EQ(supple("subdivide --levels 40" + to).exit_code, 2);
  EXPECT_EQ(work.entries(), 1u) << "something was written";
}

}  // namespace
}  // namespace supple::test
