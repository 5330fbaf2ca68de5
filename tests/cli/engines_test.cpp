// Other programs' word on our files: three.js evaluates the same characters, the Khronos validator reads what we write.
#include <gtest/gtest.h>

#include "support/engines.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

std::vector<fs::path> models(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(shared_data(folder))) {
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ThreeJs, AgreesOnClips) {
  SUPPLE_REQUIRE_ENGINE(Engine::three);
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
      EXPECT_LE(difference_from(Engine::three, file, std::to_string(c), times), tolerance)
          << name << ", clip " << clip.name;
    }
  }
}

TEST(ThreeJs, AgreesOnHandsThatAreNotOurs) {
  SUPPLE_REQUIRE_ENGINE(Engine::three);
  SUPPLE_REQUIRE_DATA(shared_data("godot_xr_hands"));
  for (const fs::path& file : models("godot_xr_hands"))
    EXPECT_LE(difference_from(Engine::three, file, "rest", {0}), 1e-5);
}

TEST(ThreeJs, AgreesOnOurHand) {
  SUPPLE_REQUIRE_ENGINE(Engine::three);
  const ScratchFolder work;
  const fs::path hand = work / "hand.glb";
  ASSERT_EQ(run(std::string(SUPPLE_CLI) + " make hand --vertices 2000 -o " + hand.string()).exit_code, 0);
  EXPECT_LE(difference_from(Engine::three, hand, "0", {0, 0.7f, 1.5f, 2.4f, 4.0f}), 1e-5);
}

/// Writes them with --compress into the folder.
std::vector<fs::path> compressed_files(const ScratchFolder& work) {
  std::vector<std::string> commands{"make hand --vertices 2000 -o ", "make figure -o "};
  for (const auto file : {"Fox.glb", "CesiumMan.glb", "MorphStressTest.glb", "SuzanneMorphSparse.glb"}) {
    const fs::path original = shared_data(std::string("gltf_khronos/") + file);
    if (fs::exists(original)) commands.push_back("convert " + original.string() + " -o ");
  }
  std::vector<fs::path> files;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    files.push_back(work / (std::to_string(i) + ".glb"));
    const CommandResult made = run(std::string(SUPPLE_CLI) + " " + commands[i] + files.back().string() + " --compress");
    EXPECT_EQ(made.exit_code, 0) << commands[i] << made.err;
  }
  return files;
}

TEST(ThreeJs, AgreesOnCompressedFiles) {
  SUPPLE_REQUIRE_ENGINE(Engine::three);
  const ScratchFolder work;
  for (const fs::path& file : compressed_files(work)) {
    const std::size_t clips = load(file)->character().clips.size();
    EXPECT_LE(difference_from(Engine::three, file, "rest", {0}), 1e-5);
    // three.js takes rotations of 16 bits as they are, we make them unit quaternions: 2^-16 of a chain of ten joints.
    if (clips == 0) continue;
    EXPECT_LE(difference_from(Engine::three, file, "0", {0.1f, 0.5f}), 2e-4);
  }
}

TEST(Validator, CompressedFilesAreValid) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const ScratchFolder work;
  const std::vector<fs::path> files = compressed_files(work);
  const Json report = validator_report(files);
  for (const fs::path& f : files) EXPECT_EQ(report[f.string()]["errors"], 0) << f << report[f.string()].dump(1);
}

TEST(Validator, RoundTripsAddNoError) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  SUPPLE_REQUIRE_DATA(shared_data("gltf_khronos"));
  const ScratchFolder work;
  std::vector<fs::path> originals = models("gltf_khronos"), written, all;
  for (const fs::path& f : models("godot_xr_hands")) originals.push_back(f);
  EXPECT_EQ(originals.size(), 18u);
  for (const fs::path& f : originals) {
    for (const char* extension : {".glb", ".gltf"}) {
      written.push_back(work / (f.stem().string() + extension));
      const CommandResult converted =
          run(std::string(SUPPLE_CLI) + " convert " + f.string() + " -o " + written.back().string());
      ASSERT_EQ(converted.exit_code, 0) << f << converted.err;
    }
  }
  all = originals;
  all.insert(all.end(), written.begin(), written.end());
  const Json report = validator_report(all);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Json &before = report[originals[i / 2].string()], &after = report[written[i].string()];
    EXPECT_LE(after["errors"], before["errors"]) << written[i] << after["messages"].dump(1);
    EXPECT_LE(after["warnings"], before["warnings"]) << written[i] << after["messages"].dump(1);
  }
}

TEST(Validator, NothingToComplainAboutInWhatWeMake) {
  SUPPLE_REQUIRE_NODE_PACKAGE("gltf-validator");
  const ScratchFolder work;
  const std::vector<std::pair<std::string, std::string>> commands{
      {"make hand --vertices 1500 -o ", "hand.glb"},
      {"make hand --vertices 400 --side left --no-bones -o ", "left.gltf"},
      {"make limb --joints 4 -o ", "limb.glb"},
      {"pose " + (work / "hand.glb").string() + " --clip fist --time 2 -o ", "posed.glb"},
      {"pose " + (work / "hand.glb").string() + " --clip fist --time 2 --bake -o ", "baked.glb"},
      {"bind " + (work / "limb.glb").string() + " --influences 6 -o ", "bound.glb"},
      {"convert --influences 2 " + (work / "hand.glb").string() + " -o ", "reduced.glb"}};
  std::vector<fs::path> made;
  for (const auto& [command, name] : commands) {
    made.push_back(work / name);
    const CommandResult result = run(std::string(SUPPLE_CLI) + " " + command + made.back().string());
    ASSERT_EQ(result.exit_code, 0) << command << result.err;
  }
  const Json report = validator_report(made);
  for (const fs::path& f : made) {
    EXPECT_EQ(report[f.string()]["errors"], 0) << f << report[f.string()].dump(1);
    EXPECT_EQ(report[f.string()]["warnings"], 0) << f << report[f.string()].dump(1);
  }
}

}  // namespace
}  // namespace supple::test
