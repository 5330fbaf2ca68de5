// supple add kinodynamics as users run it: proposals, recipes, files that stay plain for everyone else, clear refusals.
#include <gtest/gtest.h>

#include <functional>

#include "cli/program.h"
#include "supple/base/file.h"
#include "supple/files/obj.h"
#include "support/engines.h"
#include "support/full_kinodynamics.h"

namespace supple::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A limb of three bones on disk.
struct Limb {
  ScratchFolder work;
  fs::path plain = work / "limb.glb", out = work / "built.glb", recipe = work / "recipe.json";
  Limb() { EXPECT_EQ(run(cli + " make limb --joints 3 --vertices 600 -o " + plain.string()).exit_code, 0); }
  Character with_everything() const {
    Character c = load(plain)->character();
    c.kinodynamics = full_kinodynamics();
    return c;
  }
  CommandResult add(const std::string& options) const {
    return run(cli + " add kinodynamics " + plain.string() + " " + options + " -o " + out.string());
  }
};

const std::string calf = "--muscle name=calf,joint=limb-1,center=0+0.1+0,radii=0.02+0.06+0.02,frequency=4";

TEST(AddKinodynamics, ProposesMusclesForABody) {
  const ScratchFolder work;
  const std::string figure = (work / "figure.glb").string(), recipe = (work / "recipe.json").string(),
                    out = (work / "out.glb").string(), again = (work / "again.json").string();
  ASSERT_EQ(run(cli + " make figure --vertices 1500 -o " + figure).exit_code, 0);
  const CommandResult printed = run(cli + " add kinodynamics " + figure + " --auto --max-muscles 4");
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const Json json = Json::parse(printed.out);
  ASSERT_FALSE(json["muscles"].empty());
  EXPECT_LE(json["muscles"].size(), 4u);
  EXPECT_FALSE(json.contains("field")) << "the automatic field is the default";
  // Saved, used, and asked for again.
  ASSERT_EQ(run(cli + " add kinodynamics " + figure + " --auto --ellipsoids --save-recipe " + recipe).exit_code, 0);
  const CommandResult made = run(cli + " add kinodynamics " + figure + " --recipe " + recipe + " --json -o " + out);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  EXPECT_EQ(facts["field"]["source"], "primitives");
  EXPECT_EQ(facts["uncovered"].size(), 0u);
  const Character c = load(out)->character();
  ASSERT_TRUE(c.kinodynamics.has_value());
  EXPECT_EQ(c.kinodynamics->muscles.size(), facts["muscles"].size());
  EXPECT_EQ(c.kinodynamics->field.primitives.size(), facts["field"]["tissue"].size());
  ASSERT_EQ(run(cli + " add kinodynamics " + out + " --save-recipe " + again).exit_code, 0);
  EXPECT_EQ(contents(again), contents(recipe));
}

TEST(AddKinodynamics, OtherwiseTheFileStaysAsItIs) {
  const Limb limb;
  ASSERT_EQ(limb.add("--painted " + calf).exit_code, 0);
  const fs::path removed = limb.work / "removed.glb";
  ASSERT_EQ(run(cli + " remove kinodynamics " + limb.out.string() + " -o " + removed.string()).exit_code, 0);
  const Character built = load(limb.out)->character();
  EXPECT_EQ(built.kinodynamics->field.source, FieldSource::painted);
  ASSERT_EQ(built.kinodynamics->muscles.size(), 1u);
  EXPECT_EQ(built.kinodynamics->muscles[0].frequency, 4);
  EXPECT_EQ(contents(removed), contents(limb.plain));
}

TEST(AddKinodynamics, SkinWithoutTissueIsNamed) {
  const Limb limb;
  // Reaches from .1 m below the first joint to .3 m above it: the skin of the third bone lies outside.
  const CommandResult made = limb.add("--tissue name=upper,joint=limb-0,center=0+0.1+0,radii=0.2+0.2+0.2 --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  ASSERT_EQ(facts["uncovered"].size(), 1u);
  std::vector<std::uint32_t> expected;
  const Character c = load(limb.out)->character();
  const Vec3f center = to_world(c.skeleton, c.rest())[*c.skeleton.find("limb-0")].point({0, 0.1f, 0});
  const std::vector<Vec3f>& positions = c.parts[0].mesh.positions;
  for (std::uint32_t v = 0; v < positions.size(); ++v)
    if (length(positions[v] - center) >= 0.2f) expected.push_back(v);
  EXPECT_EQ(facts["uncovered"][0]["vertices"].get<std::vector<std::uint32_t>>(), expected);
  const std::string warning = facts["warnings"][0];
  EXPECT_TRUE(has(warning, std::to_string(expected.size()) + " vertices")) << warning;
  EXPECT_TRUE(has(warning, std::to_string(expected[0]) + " at ")) << warning;
  EXPECT_TRUE(has(warning, "automatic field")) << warning;
  // Where tissue ends so suddenly weights have slopes without end; skin stays somewhere nevertheless.
  EXPECT_EQ(facts["compared"]["with"]["broken_poses"], 0);
}

TEST(AddKinodynamics, ValidatorFindsNothing) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const Limb limb;
  ASSERT_TRUE(save(limb.out, limb.with_everything()));
  const Json report = validator_report({limb.out});
  EXPECT_EQ(report[limb.out.string()]["errors"], 0) << report.dump(1);
  EXPECT_EQ(report[limb.out.string()]["warnings"], 0) << report.dump(1);
}

TEST(AddKinodynamics, TheSchemaAcceptsWhatWeWriteAndRefusesDamage) {
  SUPPLE_REQUIRE_NODE_PACKAGE("ajv");
  const Limb limb;
  const fs::path schema = fs::path(SUPPLE_SOURCE_DIR) / "docs/schema/SUPPLE_deformers.schema.json";
  std::string command =
      "node " + (node_folder / "check_schema.mjs").string() + " " + schema.string() + " SUPPLE_deformers";
  const fs::path good_file = limb.work / "good.gltf";
  ASSERT_TRUE(save(good_file, limb.with_everything()));
  command += " " + good_file.string();
  const Json good = Json::parse(contents(good_file));
  const std::vector<std::function<void(Json&)>> damages{
      [](Json& k) { k["window"] = 61; },
      [](Json& k) { k["windows"] = 1; },
      [](Json& k) { k["field"]["source"] = "none"; },
      [](Json& k) { k["field"]["step"] = 0; },
      [](Json& k) { k["field"]["tissue"] = Json::array(); },
      [](Json& k) { k["field"]["tissue"][0].erase("joint"); },
      [](Json& k) { k["field"]["tissue"][0]["radii"][1] = 0; },
      [](Json& k) { k["field"]["tissue"][2]["star"].push_back(1); },
      [](Json& k) { k["field"]["volume"][0]["keys"] = Json::array(); },
      [](Json& k) { k["field"]["volume"][0]["keys"][0]["alpha"] = -1; },
      [](Json& k) { k["muscles"][0].erase("radii"); },
      [](Json& k) { k["muscles"][0]["frequency"] = 0; },
      [](Json& k) { k["muscles"][0]["damping_ratio"] = 1; },  // a slip
      [](Json& k) { k["muscles"][0]["samples"] = 3; },
      [](Json& k) { k["muscles"][0]["joint"] = "limb-1"; },
      [](Json& k) { k["muscles"][1]["surface"].erase("triangles"); },
      [](Json& k) { k["muscles"][1]["target"][0].push_back(1); },
      [](Json& k) { k["muscles"][1]["skinWeights"][0].erase("node"); },
      [](Json& k) { k["muscles"][1]["skinWeights"][0]["weights"][0] = 2; },
  };
  for (std::size_t d = 0; d < damages.size(); ++d) {
    Json broken = good;
    damages[d](broken["extensions"]["SUPPLE_deformers"]["kinodynamics"]);
    const fs::path file = limb.work / ("damage" + std::to_string(d) + ".gltf");
    ASSERT_TRUE(write_file(file, broken.dump()));
    command += " " + file.string();
  }
  const CommandResult result = run(command);
  ASSERT_LE(result.exit_code, 1) << result.err;
  const Json reports = Json::parse(result.out);
  EXPECT_EQ(reports.size(), damages.size() + 1);
  for (const auto& [file, report] : reports.members())
    EXPECT_EQ(report["valid"], file == good_file.string()) << file << report.dump();
}

TEST(AddKinodynamics, SaysWhatIsWrong) {
  const Limb limb;
  const auto complaint = [&](const std::string& options) {
    const CommandResult result = limb.add(options);
    EXPECT_EQ(result.exit_code, 2) << options << result.out;
    EXPECT_FALSE(fs::exists(limb.out)) << options;
    return result.err;
  };
  const auto expect = [&](const std::string& options, const std::string& part) {
    const std::string text = complaint(options);
    EXPECT_TRUE(has(text, part)) << options << ": " << text;
  };
  expect("", "--auto, --painted, --recipe FILE");
  expect("--painted --ellipsoids", "excludes tissue");
  expect("--muscle name=a,joint=lim-1,radii=0.1+0.1+0.1", "did you mean limb-1");
  expect("--muscle name=a,joint=limb-1,radii=0+0.1+0.1", "radius that is not above zero");
  expect("--muscle name=a,joint=limb-1,radii=0.1+0.1+0.1,frequency=nan", "frequency");
  expect("--muscle name=a,joint=limb-1,radii=0.1+0.1+0.1,density=inf", "density");
  expect("--muscle name=a,joint=limb-1,radii=0.1+0.1+0.1,colour=red", "colour: is not known");
  expect("--tissue joint=limb-1,radii=0.1+0.1", "radii");
  expect("--painted --window 100", "window out of range");
  expect("--painted --window -1", "window out of range");
  // A recipe beside a saved one: neither file appears.
  ASSERT_TRUE(write_file(limb.work / "bad.json", std::string_view(R"({"kinodynamic_recipe": 1, "window": 99})")));
  expect("--recipe " + (limb.work / "bad.json").string() + " --save-recipe " + limb.recipe.string(), "bad.json");
  EXPECT_FALSE(fs::exists(limb.recipe));
  ASSERT_TRUE(write_file(limb.work / "not.json", std::string_view("{\"kinodynamic_recipe\": 1,\n \"window\" 99}")));
  expect("--recipe " + (limb.work / "not.json").string(), "not.json:2");
}

TEST(AddKinodynamics, SingularTargetsAreNamed) {
  const Limb limb;
  Part ball, flat;
  ball.mesh = flat.mesh = sphere(0.02, 6, 8, {0, 0.3, 0});
  for (Vec3f& p : flat.mesh.positions) p.x = 0;
  ASSERT_TRUE(write_obj(limb.work / "ball.obj", std::span(&ball, 1)));
  ASSERT_TRUE(write_obj(limb.work / "flat.obj", std::span(&flat, 1)));
  ASSERT_TRUE(write_file(limb.recipe, std::string_view(R"({"kinodynamic_recipe": 1, "muscles": [
    {"name": "ball", "joint": "limb-1", "mesh": "ball.obj", "target": "flat.obj"}]})")));
  const CommandResult result = limb.add("--recipe " + limb.recipe.string());
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_TRUE(has(result.err, "muscle 'ball'")) << result.err;
  EXPECT_FALSE(fs::exists(limb.out));
}

}  // namespace
}  // namespace supple::test
