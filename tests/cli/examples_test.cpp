// supple examples, as its users meet it.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "supple/base/file.h"
#include "supple/files/example_set_file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/example_sets.h"
#include "support/numpy.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

TEST(CliExamples, InfoAndCheck) {
  const ScratchFolder work;
  ASSERT_TRUE(save_examples(work / "set", bar_examples()));
  ASSERT_TRUE(save(work / "bar.glb", bar()));
  const std::string set = (work / "set").string();
  const CommandResult info = supple("examples info --list " + set);
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("4 examples of part 'skin'"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("3 for training, 1 for testing, 1 left out"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("bent 80  sweep elbow  [single]  snapped"), std::string::npos) << info.out;
  const Json report = Json::parse(supple("examples info --json --list " + set).out);
  EXPECT_EQ(report["vertices"], 8);
  EXPECT_EQ(report["sweeps"]["elbow"], 3);
  EXPECT_FALSE(report["list"][2]["usable"]);
  EXPECT_EQ(supple("examples check " + set).exit_code, 0);
  const Character saved = load(work / "bar.glb").value().character();  // has a node more, which carries the mesh
  auto writer = ExampleWriter::create(work / "own", subject_of(saved, 0, "test"));
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->add({"rest"}, saved.rest(), saved.parts[0].mesh.positions));
  ASSERT_TRUE(writer->finish());
  const CommandResult checked =
      supple("examples check " + (work / "own").string() + " --model " + (work / "bar.glb").string());
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  ASSERT_EQ(supple("make limb --vertices 200 -o " + (work / "limb.glb").string()).exit_code, 0);
  const CommandResult other = supple("examples check " + set + " --part limb --model " + (work / "limb.glb").string());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("limb.glb"), std::string::npos) << other.err;

  std::string bytes = contents(work / "set" / "positions.npy");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  bytes.replace(128 + (1 * 8 + 6) * 12, 4, std::string(reinterpret_cast<const char*>(&nan), 4));
  ASSERT_TRUE(write_file(work / "set" / "positions.npy", bytes));
  const CommandResult damaged = supple("examples check " + set);
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_NE(damaged.err.find("example 'bent 40', vertex 6"), std::string::npos) << damaged.err;
  EXPECT_EQ(supple("examples check " + (work / "none").string()).exit_code, 2);
}

TEST(CliExamples, ImportsMeshesCachesAndSaysWhatIsMissing) {
  const ScratchFolder work;
  const std::string model = (work / "limb.glb").string(), out = (work / "set").string();
  ASSERT_EQ(supple("make limb --vertices 300 -o " + model).exit_code, 0);
  std::filesystem::create_directory(work / "m");
  for (const std::string angle : {"20", "70"}) {
    ASSERT_EQ(supple("pose " + model + " --pose limb-1.x=" + angle + " -o " +
                     (work / "m" / ("bent" + angle + ".obj")).string())
                  .exit_code,
              0);
  }
  ASSERT_TRUE(write_file(work / "poses.json", std::string_view(R"({"poses": {
      "bent20": {"joints": {"limb-1": {"x": 20}}}, "bent70": {"joints": {"limb-1": {"x": 70}}, "role": "test"}}})")));
  const std::string meshes = "examples import -o " + out + " --model " + model + " --meshes " + (work / "m").string();
  const CommandResult missing = supple(meshes);
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("--poses"), std::string::npos) << missing.err;
  const CommandResult made = supple(meshes + " --poses " + (work / "poses.json").string());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("1 for training, 1 for testing"), std::string::npos) << made.out;
  EXPECT_EQ(made.err, "") << "the poses fit the meshes";
  EXPECT_EQ(supple("examples check " + out + " --model " + model).exit_code, 0);
  const CommandResult cache = supple("examples import -o " + (work / "cached").string() + " --model " + model +
                                     " --clip bend --cache " + (work / "m").string() + " --fps 100");
  ASSERT_EQ(cache.exit_code, 0) << cache.err;
  EXPECT_NE(supple("examples import -o " + out + " --model " + model + " --clip bent --cache " + (work / "m").string())
                .err.find("did you mean bend?"),
            std::string::npos);
  EXPECT_NE(supple("examples import -o " + out + " --model " + model).err.find("give one of them"), std::string::npos);
  EXPECT_NE(supple("examples import -o " + out + " --morphs --model " + model).err.find("no morph targets"),
            std::string::npos);
  EXPECT_EQ(supple("examples info " + out).exit_code, 0) << "failures leave the old set";
  for (const std::string command : {"", "info", "check", "import"}) {
    const CommandResult help = supple("examples " + command + " --help");
    EXPECT_NE(help.out.find("Example:\n  supple"), std::string::npos) << command << help.out;
  }
}

/// The text between ```python and ``` in docs/examples.md, run in a folder with a set called "examples".
TEST(CliExamples, TheSnippetOfTheManualRuns) {
  SUPPLE_REQUIRE_NUMPY();
  const ScratchFolder work;
  ASSERT_TRUE(save_examples(work / "examples", bar_examples()));
  const std::string page = contents(std::filesystem::path(SUPPLE_SOURCE_DIR) / "docs/examples.md");
  std::size_t snippets = 0;
  for (std::size_t begin = page.find("```python\n"); begin != std::string::npos;
       begin = page.find("```python\n", begin)) {
    begin += 10;
    const std::string snippet = page.substr(begin, page.find("```", begin) - begin);
    const CommandResult ran = python("import os; os.chdir('" + work.path().string() + "')\n" + snippet);
    EXPECT_EQ(ran.exit_code, 0) << snippet << ran.err;
    ++snippets;
  }
  EXPECT_EQ(snippets, 2u);
  const auto made = load_examples(work / "from_numpy");
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(validate(*made)) << validate(*made).error().message();
}

}  // namespace
}  // namespace supple::test
