// Other programs evaluate our files, vertex by vertex, and check them: how far are they from us?
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "supple/deform/skin.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/run_command.h"

namespace supple::test {

namespace fs = std::filesystem;

inline const fs::path node_folder = fs::path(SUPPLE_SOURCE_DIR) / "tests/node";
inline const fs::path blender_folder = fs::path(SUPPLE_SOURCE_DIR) / "tests/blender";

/// What is missing on this machine, or "".
inline std::string missing_package(const std::string& package) {
  if (fs::exists(node_folder / "node_modules" / package)) return "";
  return "needs the npm package " + package + ": npm --prefix tests/node install";
}

enum class Engine { three, babylon, blender };

inline std::string missing_engine(Engine engine) {
  if (engine != Engine::blender) return missing_package(engine == Engine::three ? "three" : "@babylonjs/loaders");
  return run("command -v blender").exit_code == 0 ? "" : "needs Blender with its glTF importer";
}

#define SUPPLE_REQUIRE_NODE_PACKAGE(package) \
  if (const std::string missing = missing_package(package); !missing.empty()) GTEST_SKIP() << missing
#define SUPPLE_REQUIRE_ENGINE(engine) \
  if (const std::string missing = missing_engine(engine); !missing.empty()) GTEST_SKIP() << missing

inline const char* name_of(Engine engine) {
  return engine == Engine::three ? "three.js" : engine == Engine::babylon ? "Babylon.js" : "Blender";
}

/// The engine's evaluation of a clip (its number) at some times: see tests/node/three_positions.mjs. Null on failure.
inline Json positions_from(Engine engine, const fs::path& file, const std::string& clip, const std::string& times) {
  const ScratchFolder work;
  const fs::path out = work / "positions.json";
  const std::string program = engine == Engine::blender ? "blender -b --factory-startup --python-exit-code 1 -P " +
                                                              (blender_folder / "positions.py").string() + " --"
                              : engine == Engine::babylon ? "node " + (node_folder / "babylon_positions.mjs").string()
                                                          : "node " + (node_folder / "three_positions.mjs").string();
  const CommandResult result = run(program + " " + file.string() + " '" + clip + "' " + times + " " + out.string());
  EXPECT_EQ(result.exit_code, 0) << name_of(engine) << ": " << result.err << result.out;
  return result.exit_code == 0 ? Json::parse(contents(out)) : Json();
}

/// Largest distance between an engine's vertices and ours over the given times of one clip, relative to the model's
/// size. `clip` is its number, or "rest". Morph weights are what the clip says: engines know no drivers.
inline double difference_from(Engine engine, const fs::path& file, const std::string& clip,
                              const std::vector<float>& times) {
  auto loaded = load(file);
  EXPECT_TRUE(loaded) << loaded.error().message();
  const Character& character = loaded->character();
  auto skin = Skin::make(character, Blend::linear, Layers::as_given());
  EXPECT_TRUE(skin) << skin.error().message();
  std::string list;
  for (const float t : times) list += (list.empty() ? "" : ",") + std::to_string(t);
  const Json theirs = positions_from(engine, file, clip, list);
  if (theirs.is_null()) return 1;
  double worst = 0, size = 0;
  std::size_t compared = 0;
  for (std::size_t t = 0; t < times.size(); ++t) {
    Pose pose = character.rest();
    if (clip != "rest")
      sample(character.clips[static_cast<std::size_t>(std::stoi(clip))], std::stof(std::to_string(times[t])), pose);
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
  std::size_t expected = 0;
  for (const Part& part : character.parts) expected += part.mesh.positions.size() * times.size();
  EXPECT_EQ(compared, expected) << file;
  std::printf("%-10s %-24s %8zu vertices, worst difference %.2e of the model's size\n", name_of(engine),
              file.filename().c_str(), compared, worst / size);
  return worst / size;
}

/// The Khronos validator's counts and messages, by file.
inline Json validator_report(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& f : files) list += " " + f.string();
  const CommandResult result = run("node " + (node_folder / "validate.mjs").string() + list);
  EXPECT_LE(result.exit_code, 1) << result.err;
  return Json::parse(result.out);
}

}  // namespace supple::test
