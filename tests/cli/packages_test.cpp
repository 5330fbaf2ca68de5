// The npm packages as their users have them: the one for three.js drives it to where our own evaluator is.
#include <gtest/gtest.h>

#include "supple/deform/skin.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/driven_character.h"
#include "support/engines.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

#define SUPPLE_REQUIRE_TYPESCRIPT()                         \
  if (!fs::exists(node_folder / "node_modules/typescript")) \
  GTEST_SKIP() << "needs npm packages: npm --prefix tests/node install"

/// Six dents round the second and third joint, every one of them driven: all kernels, one and two joints, twists apart,
/// and a reference that is not the rest pose.
Character dented_limb(const fs::path& file) {
  EXPECT_EQ(run(std::string(SUPPLE_CLI) + " make limb --joints 3 --vertices 600 -o " + file.string()).exit_code, 0);
  Character c = load(file).value().character();
  Part& part = c.parts[0];
  Rng rng(5);
  for (std::uint32_t m = 0; m < 6; ++m) {
    MorphTarget morph{"dent " + std::to_string(m), {}, {}, {}, {}};
    for (std::uint32_t v = 0; v < part.mesh.positions.size(); ++v) {
      const float height = 0.2f + 0.05f * static_cast<float>(m);
      const float near = 1 - std::abs(part.mesh.positions[v].y - height) / 0.08f;
      if (near <= 0) continue;
      morph.vertices.push_back(v);
      morph.positions.push_back(part.mesh.normals[v] * (0.03f * near));
    }
    part.morphs.push_back(std::move(morph));
  }
  part.first_morph_weight = 0;
  c.morph_weights.assign(6, 0);
  const JointIndex one = c.skeleton.require("limb-1").value(), two = c.skeleton.require("limb-2").value();
  c.drivers = {random_driver(rng, {one}, RbfKernel::exponential, 0, 1),
               random_driver(rng, {two}, RbfKernel::gaussian, 1, 2, true),
               random_driver(rng, {one, two}, RbfKernel::linear, 3, 1),
               random_driver(rng, {two, one}, RbfKernel::cubic, 4, 2, true)};
  c.drivers[1].reference[0] = random_rotation(rng, 1);
  c.drivers[1].twist_axes[0] = normalized(Vec3f{1, 2, -1});
  for (const std::size_t limited : {0, 3})  // weights leave their rest weights by some hundredths
    for (const float rest : c.drivers[limited].rest_weights) {
      c.drivers[limited].least.push_back(rest - 0.01f);
      c.drivers[limited].most.push_back(rest + 0.01f);
    }
  for (const MorphDriver& d : c.drivers)
    std::copy(d.rest_weights.begin(), d.rest_weights.end(), c.morph_weights.begin() + d.first_weight);
  return c;
}

/// Weights that no driver would give: whoever plays them is found out.
void bake_nonsense(Character& c) {
  const std::size_t width = c.parts[0].morphs.size();
  Track track{Channel::morph_weights,        Interpolation::linear,
              c.parts[0].first_morph_weight, static_cast<std::uint32_t>(width),
              {0, c.clips[0].end()},         std::vector<float>(2 * width, 3)};
  c.clips[0].tracks.push_back(std::move(track));
}

struct Difference {
  double weights = 0, positions = 0;  // the latter relative to the size
  std::size_t compared = 0;
  Json tracks;
};

/// Between the package and a Skin with all layers live over times of the first clip and random settings of all joints.
Difference difference_from_package(const fs::path& file) {
  const Loaded loaded = load(file).value();
  const Character& c = loaded.character();
  EXPECT_FALSE(c.drivers.empty());
  std::vector<Pose> poses{c.rest()};
  Json asked = Json::array({{{"rotations", Json::object()}}});
  for (const float part : {0.1f, 0.45f, 0.8f}) {
    const float time = part * c.clips[0].end();
    poses.push_back(c.rest());
    sample(c.clips[0], time, poses.back());
    asked.push_back({{"time", time}});
  }
  Rng rng(17);
  for (int i = 0; i < 5; ++i) {
    poses.push_back(c.rest());
    Json turned = Json::object();
    for (JointIndex j = 0; j < c.skeleton.size(); ++j) {
      const Quatf q = normalized(c.skeleton.rest(j).rotation * random_rotation(rng, 2));
      poses.back().local[j].rotation = q;
      turned[std::to_string(loaded.imported.nodes.to_source[j])] = {q.x, q.y, q.z, q.w};
    }
    asked.push_back({{"rotations", turned}});
  }
  const ScratchFolder work;
  const fs::path in = work / "poses.json", out = work / "answer.json";
  std::ofstream(in) << asked.dump();
  const CommandResult ran = run("node " + (node_folder / "package_drivers.mjs").string() + " " + file.string() + " " +
                                in.string() + " " + out.string());
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  if (ran.exit_code != 0) return {};
  const Json theirs = Json::parse(contents(out));
  Difference worst;
  worst.tracks = theirs["tracks"];
  Skin skin = Skin::make(c).value();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    EXPECT_TRUE(skin.evaluate(poses[i]));
    for (const Json& mesh : theirs["meshes"]) {
      for (std::size_t p = 0; p < c.parts.size(); ++p) {
        const gltf::PartSource source = loaded.imported.sources[p];
        if (source.node != mesh["node"] || source.primitive != mesh["primitive"]) continue;
        for (std::size_t m = 0; m < c.parts[p].morphs.size(); ++m) {
          const std::size_t w = c.parts[p].first_morph_weight + m;
          const bool driven = std::any_of(c.drivers.begin(), c.drivers.end(), [&](const MorphDriver& d) {
            return w >= d.first_weight && w < d.first_weight + d.targets();
          });
          if (!driven) continue;
          const double weight = mesh["weights"][i][m];
          worst.weights = std::max(worst.weights, std::abs(weight - double{skin.morph_weights()[w]}));
        }
        const double size = bounds(skin.positions(p)).diagonal();
        const Json& positions = mesh["positions"][i];
        for (std::size_t v = 0; v < skin.positions(p).size(); ++v) {
          const Vec3d other{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
          worst.positions = std::max(worst.positions, length(Vec3d(skin.positions(p)[v]) - other) / size);
          ++worst.compared;
        }
      }
    }
  }
  std::printf("%-12s %6zu vertices, weights differ by %.1e, positions by %.1e of the size\n", file.filename().c_str(),
              worst.compared, worst.weights, worst.positions);
  return worst;
}

TEST(ThreePackage, PassesTheStrictTypeCheck) {
  SUPPLE_REQUIRE_TYPESCRIPT();
  const CommandResult checked = run("node " + (node_folder / "check_package_types.mjs").string());
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_NE(checked.out.find("driver.ts"), std::string::npos) << checked.out;
}

/// Each kind of deformer alone in a file: the package says that nothing is driven, and leaves the clip as it is.
TEST(ThreePackage, ReadsFilesOfEveryKindOfDeformer) {
  SUPPLE_REQUIRE_TYPESCRIPT();
  const ScratchFolder work;
  const fs::path limb = work / "limb.glb", poses = work / "poses.json", out = work / "answer.json";
  ASSERT_EQ(run(std::string(SUPPLE_CLI) + " make limb --vertices 600 -q -o " + limb.string()).exit_code, 0);
  std::ofstream(poses) << R"([{"time": 0.4}])";
  for (const std::string kind : {"flesh --auto", "kinodynamics --auto",
                                 "wrinkles --strip 0.05,0.1,0+0.05,0.5,0 --wavelength 0.1", "delta-mush"}) {
    const fs::path file = work / "with.glb";
    const CommandResult added =
        run(std::string(SUPPLE_CLI) + " add " + kind + " " + limb.string() + " -q -o " + file.string());
    ASSERT_EQ(added.exit_code, 0) << kind << added.err;
    const auto loaded = load(file);
    ASSERT_TRUE(loaded->document->root["extensions"].contains("SUPPLE_deformers")) << kind;
    ASSERT_TRUE(loaded->character().drivers.empty()) << kind;
    const CommandResult ran = run("node " + (node_folder / "package_drivers.mjs").string() + " " + file.string() + " " +
                                  poses.string() + " " + out.string());
    EXPECT_EQ(ran.exit_code, 0) << kind << ran.err;
  }
}

TEST(ThreePackage, DrivesThreeJsAsWeDo) {
  SUPPLE_REQUIRE_TYPESCRIPT();
  const ScratchFolder work;
  Character limb = dented_limb(work / "limb.glb");
  bake_nonsense(limb);
  const fs::path file = work / "driven.glb";
  ASSERT_TRUE(save(file, limb));
  const Difference limb_difference = difference_from_package(file);
  EXPECT_GT(limb_difference.compared, 5000u);
  EXPECT_LE(limb_difference.weights, 1e-5);
  EXPECT_LE(limb_difference.positions, 1e-5);
  // Every target is driven: the baked track is gone, those of the joints are not.
  EXPECT_FALSE(limb_difference.tracks.empty());
  for (const Json& name : limb_difference.tracks)
    EXPECT_EQ(name.get<std::string>().find("morphTargetInfluences"), std::string::npos) << name;
}

TEST(ThreePackage, LeavesTargetsAloneThatNothingDrives) {
  SUPPLE_REQUIRE_TYPESCRIPT();
  const ScratchFolder work;
  Character strip = driven_strip();
  bake_nonsense(strip);
  const fs::path file = work / "strip.gltf";
  ASSERT_TRUE(save(file, strip));
  // The first two targets follow the clip's track, which therefore stays; the drivers overrule it in the others.
  const Difference difference = difference_from_package(file);
  EXPECT_GT(difference.compared, 50u);
  EXPECT_LE(difference.weights, 1e-5);
  EXPECT_LE(difference.positions, 1e-5);
}

class NpmPackage : public testing::TestWithParam<const char*> {};

TEST_P(NpmPackage, PassesItsOwnTests) {
  const fs::path folder = fs::path(SUPPLE_SOURCE_DIR) / "packages" / GetParam();
  if (!fs::exists(folder / "node_modules/typescript"))
    GTEST_SKIP() << "needs npm packages: npm --prefix packages/" << GetParam() << " install";
  const CommandResult tested = run("npm --prefix " + folder.string() + " test");
  EXPECT_EQ(tested.exit_code, 0) << tested.out << tested.err;
  EXPECT_NE(tested.out.find(" fail 0"), std::string::npos) << tested.out;
}

INSTANTIATE_TEST_SUITE_P(Packages, NpmPackage, testing::Values("three", "live"),
                         [](const auto& name) { return std::string(name.param); });

/// Names, rest rotations and degrees of freedom of a file's nodes.
Json joints_of(const fs::path& file) {
  Json joints = Json::array();
  const Json document = Json::parse(contents(file));
  for (const Json& node : document["nodes"]) {
    Json joint = Json::object();
    for (const char* field : {"name", "children", "translation", "rotation", "extras"})
      if (node.contains(field)) joint[field] = node[field];
    joints.push_back(joint);
  }
  return joints;
}

TEST(LivePackage, HasTheJointsOfOurHands) {
  const ScratchFolder work;
  for (const std::string side : {"left", "right"}) {
    const fs::path made = work / (side + ".gltf");
    ASSERT_EQ(run(std::string(SUPPLE_CLI) + " make hand --side " + side + " -o " + made.string()).exit_code, 0);
    const fs::path kept = fs::path(SUPPLE_SOURCE_DIR) / "packages/live/rigs" / (side + "_hand.gltf");
    EXPECT_EQ(joints_of(kept), joints_of(made)) << side;
  }
}

}  // namespace
}  // namespace supple::test
