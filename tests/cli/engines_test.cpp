// Other programs' word on our files: three.js evaluates the same characters, the Khronos validator reads what we write.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "supple/deform/skin.h"
#include "supple/exchange/load.h"
#include "support/run_command.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path node_folder = fs::path(SUPPLE_SOURCE_DIR) / "tests/node";

#define SUPPLE_REQUIRE_NODE()                          \
  if (!fs::exists(node_folder / "node_modules/three")) \
  GTEST_SKIP() << "needs npm packages: npm --prefix tests/node install"

std::vector<fs::path> models(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(shared_data(folder))) {
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Largest distance between our vertices and three.js's over the given times of one clip, relative to the model's size.
double difference_from_three(const fs::path& file, const std::string& clip_name, const std::vector<float>& times) {
  auto loaded = load(file);
  EXPECT_TRUE(loaded) << loaded.error().message();
  const Character& character = loaded->character();
  auto skin = Skin::make(character);
  EXPECT_TRUE(skin) << skin.error().message();
  std::string list;
  for (const float t : times) list += (list.empty() ? "" : ",") + std::to_string(t);
  const ScratchFolder work;
  const fs::path out = work / "positions.json";
  const CommandResult three = run("node " + (node_folder / "three_positions.mjs").string() + " " + file.string() +
                                  " '" + clip_name + "' " + list + " " + out.string());
  EXPECT_EQ(three.exit_code, 0) << three.err;
  const Json theirs = Json::parse(contents(out));
  double worst = 0, size = 0;
  std::size_t compared = 0;
  for (std::size_t t = 0; t < times.size(); ++t) {
    Pose pose = character.rest();
    if (clip_name != "rest")
      sample(character.clips[static_cast<std::size_t>(std::stoi(clip_name))], std::stof(std::to_string(times[t])),
             pose);
    EXPECT_TRUE(skin->evaluate(pose));
    for (const Json& mesh : theirs["meshes"]) {
      for (std::size_t p = 0; p < character.parts.size(); ++p) {
        const gltf::PartSource source = loaded->imported.sources[p];
        if (source.node != mesh["node"] || source.primitive != mesh["primitive"]) continue;
        const Json& positions = mesh["positions"][t];
        EXPECT_EQ(positions.size(), 3 * skin->positions(p).size());
        size = std::max<double>(size, bounds(skin->positions(p)).diagonal());
        for (std::size_t v = 0; v < skin->positions(p).size(); ++v) {
          const Vec3d other{positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]};
          worst = std::max(worst, length(Vec3d(skin->positions(p)[v]) - other));
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 0u) << file;
  std::printf("%-24s %8zu vertices, worst difference %.2e of the model's size\n", file.filename().c_str(), compared,
              worst / size);
  return worst / size;
}

TEST(ThreeJs, AgreesOnClips) {
  SUPPLE_REQUIRE_NODE();
  // SimpleSkin's rotations are rounded to three digits: three.js uses them as they are, we make them unit quaternions.
  const std::pair<const char*, double> files[] = {{"CesiumMan.glb", 1e-5},          {"Fox.glb", 1e-5},
                                                  {"RiggedFigure.glb", 1e-5},       {"RiggedSimple.glb", 1e-5},
                                                  {"RecursiveSkeletons.glb", 1e-5}, {"SimpleSkin.gltf", 5e-4},
                                                  {"AnimatedMorphCube.glb", 1e-5},  {"MorphStressTest.glb", 1e-5}};
  for (const auto& [name, tolerance] : files) {
    const fs::path file = shared_data(std::string("gltf_khronos/") + name);
    SUPPLE_REQUIRE_DATA(file);
    const auto loaded = load(file);
    ASSERT_TRUE(loaded) << loaded.error().message();
    for (std::size_t c = 0; c < loaded->character().clips.size(); ++c) {
      const Clip& clip = loaded->character().clips[c];
      // Strictly inside the clip: at its very end three.js wraps to the start.
      std::vector<float> times;
      for (const float f : {0.0f, 0.21f, 0.5f, 0.77f, 0.93f}) times.push_back(clip.end() * f);
      EXPECT_LE(difference_from_three(file, std::to_string(c), times), tolerance) << name << ", clip " << clip.name;
    }
  }
}

TEST(ThreeJs, AgreesOnHandsThatAreNotOurs) {
  SUPPLE_REQUIRE_NODE();
  SUPPLE_REQUIRE_DATA(shared_data("godot_xr_hands"));
  for (const fs::path& file : models("godot_xr_hands")) EXPECT_LE(difference_from_three(file, "rest", {0}), 1e-5);
}

TEST(ThreeJs, AgreesOnOurHand) {
  SUPPLE_REQUIRE_NODE();
  const ScratchFolder work;
  const fs::path hand = work / "hand.glb";
  ASSERT_EQ(run(std::string(SUPPLE_CLI) + " make hand --vertices 2000 -o " + hand.string()).exit_code, 0);
  EXPECT_LE(difference_from_three(hand, "0", {0, 0.7f, 1.5f, 2.4f, 4.0f}), 1e-5);
}

Json validate(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& f : files) list += " " + f.string();
  const CommandResult result = run("node " + (node_folder / "validate.mjs").string() + list);
  EXPECT_LE(result.exit_code, 1) << result.err;
  return Json::parse(result.out);
}

TEST(Validator, RoundTripsAddNoError) {
  SUPPLE_REQUIRE_NODE();
  SUPPLE_REQUIRE_DATA(shared_data("gltf_khronos"));
  const ScratchFolder work;
  std::vector<fs::path> originals = models("gltf_khronos"), written, all;
  for (const fs::path& f : models("godot_xr_hands")) originals.push_back(f);
  EXPECT_EQ(originals.size(), 18u);
  for (const fs::path& f : originals) {
    for (const char* extension : {".glb", ".gltf"}) {
      written.push_back(work / (f.stem().string() + extension));
      const CommandResult converted =
          run(std::string(SUPPLE_CLI) + " convert " + f.string() + " " + written.back().string());
      ASSERT_EQ(converted.exit_code, 0) << f << converted.err;
    }
  }
  all = originals;
  all.insert(all.end(), written.begin(), written.end());
  const Json report = validate(all);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Json &before = report[originals[i / 2].string()], &after = report[written[i].string()];
    EXPECT_LE(after["errors"], before["errors"]) << written[i] << after["messages"].dump(1);
    EXPECT_LE(after["warnings"], before["warnings"]) << written[i] << after["messages"].dump(1);
  }
}

TEST(Validator, NothingToComplainAboutInWhatWeMake) {
  SUPPLE_REQUIRE_NODE();
  const ScratchFolder work;
  const std::vector<std::pair<std::string, std::string>> commands{
      {"make hand --vertices 1500 -o ", "hand.glb"},
      {"make hand --vertices 400 --side left --no-bones -o ", "left.gltf"},
      {"make limb --joints 4 -o ", "limb.glb"},
      {"pose " + (work / "hand.glb").string() + " --clip fist --time 2 -o ", "posed.glb"},
      {"pose " + (work / "hand.glb").string() + " --clip fist --time 2 --bake -o ", "baked.glb"},
      {"bind " + (work / "limb.glb").string() + " --influences 6 -o ", "bound.glb"},
      {"convert --influences 2 " + (work / "hand.glb").string() + " ", "reduced.glb"}};
  std::vector<fs::path> made;
  for (const auto& [command, name] : commands) {
    made.push_back(work / name);
    const CommandResult result = run(std::string(SUPPLE_CLI) + " " + command + made.back().string());
    ASSERT_EQ(result.exit_code, 0) << command << result.err;
  }
  const Json report = validate(made);
  for (const fs::path& f : made) {
    EXPECT_EQ(report[f.string()]["errors"], 0) << f << report[f.string()].dump(1);
    EXPECT_EQ(report[f.string()]["warnings"], 0) << f << report[f.string()].dump(1);
  }
}

}  // namespace
}  // namespace supple::test
