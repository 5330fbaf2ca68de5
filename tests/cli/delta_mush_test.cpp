// supple add delta-mush and supple remove: in and out of a file, and as a teacher for supple fit.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/engines.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

TEST(AddDeltaMush, GoesInAndOut) {
  const ScratchFolder work;
  const auto limb = work / "limb.glb", smooth = work / "smooth.glb", out = work / "out.glb";
  ASSERT_EQ(supple("make limb --vertices 800 -o " + limb.string()).exit_code, 0);
  const CommandResult made =
      supple("add delta-mush " + limb.string() + " --iterations 7 --strength .25 --json -o " + smooth.string());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  EXPECT_EQ(facts["iterations"], 7);
  EXPECT_EQ(facts["compared"]["poses_of"], "clips");
  EXPECT_LT(facts["compared"]["without"]["worst_volume_change"], 0);  // linear blend loses volume where it bends
  const auto read = load(smooth.string());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->character().delta_mush, (std::vector<DeltaMush>{{.iterations = 7, .strength = 0.25f}}));
  const CommandResult inspected = supple("inspect " + smooth.string());
  EXPECT_NE(inspected.out.find("delta mush               7 iterations over 800 vertices"), std::string::npos)
      << inspected.out;
  ASSERT_EQ(supple("remove delta-mush " + smooth.string() + " -o " + out.string()).exit_code, 0);
  EXPECT_EQ(contents(out), contents(limb));
  const CommandResult again = supple("remove delta-mush " + out.string() + " -o " + smooth.string());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("has no deformers"), std::string::npos);
}

TEST(AddDeltaMush, TeachesAPlainFile) {
  const ScratchFolder work;
  const auto limb = work / "limb.glb", smooth = work / "smooth.glb", examples = work / "examples",
             skin = work / "skin.glb";
  ASSERT_EQ(supple("make limb --vertices 800 -o " + limb.string()).exit_code, 0);
  ASSERT_EQ(supple("add delta-mush " + limb.string() + " -o " + smooth.string()).exit_code, 0);
  const CommandResult taught =
      supple("simulate " + smooth.string() +
             " --deformer delta-mush --joints limb-1 --scale .5 --per-dof 3 --random 2 --grips 0 "
             "--test-grips 0 --no-pictures -o " +
             examples.string());
  ASSERT_EQ(taught.exit_code, 0) << taught.err;
  const CommandResult fitted =
      supple("fit " + smooth.string() + " --examples " + examples.string() + " --json -o " + skin.string());
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_NE((fitted.err + fitted.out).find("has delta mush; what is learnt takes the place of that"),
            std::string::npos);
  const auto read = load(skin.string());
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->character().delta_mush.empty());
  EXPECT_EQ(read->character().drivers.size(), 1u);
  EXPECT_LT(Json::parse(fitted.out)["errors"]["train"]["relative"].get<double>(), 0.3);

  // What was learnt comes out again, and leaves the limb as it was.
  const auto plain = work / "plain.glb";
  const CommandResult removed = supple("remove drivers " + skin.string() + " --json -o " + plain.string());
  ASSERT_EQ(removed.exit_code, 0) << removed.err;
  const Json facts = Json::parse(removed.out);
  EXPECT_EQ(facts["removed"][0]["kind"], "drivers");
  EXPECT_EQ(facts["removed"][0]["count"], 1);
  EXPECT_EQ(facts["morph_targets"], read->character().parts[0].morphs.size());
  const Character before = load(limb.string())->character(), after = load(plain.string())->character();
  EXPECT_TRUE(after.drivers.empty() && after.parts[0].morphs.empty());
  ASSERT_EQ(after.clips.size(), before.clips.size());
  EXPECT_EQ(after.clips[0].tracks.size(), before.clips[0].tracks.size());
  for (std::size_t v = 0; v < before.parts[0].mesh.positions.size(); ++v)  // offsets of micrometres at rest, in float
    ASSERT_LT(length(after.parts[0].mesh.positions[v] - before.parts[0].mesh.positions[v]), 1e-5f) << v;
  if (missing_package("gltf-validator").empty()) {
    const Json checked = validator_report({plain})[plain.string()];
    EXPECT_EQ(checked["errors"], 0) << checked;
    EXPECT_EQ(checked["warnings"], 0) << checked;
  }
  const CommandResult other = supple("remove flesh " + skin.string() + " -o " + plain.string());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("has no flesh (it has drivers)"), std::string::npos) << other.err;
  const CommandResult unknown = supple("remove morphs " + skin.string() + " -o " + plain.string());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("'morphs' is not one of drivers|pose-space|"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace supple::test
