// Example sets on disk: bit-exact, readable by numpy, whole or not there, damage named.
#include "supple/files/example_set_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <functional>

#include "supple/base/file.h"
#include "supple/files/json_file.h"
#include "support/example_sets.h"
#include "support/numpy.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

TEST(ExampleSetFile, ComesBackBitByBit) {
  const ScratchFolder work;
  for (const bool moved : {true, false}) {  // the second time over the first
    const ExampleSet set = bar_examples(moved);
    const auto saved = save_examples(work / "set", set);
    ASSERT_TRUE(saved) << saved.error().message();
    EXPECT_EQ(fs::exists(work / "set" / "translations.npy"), moved) << "only where some differ from rest";
    EXPECT_FALSE(fs::exists(work / "set" / "scales.npy"));
    const auto again = load_examples(work / "set");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(validate(*again));
    EXPECT_TRUE(same(*again, set));
    for (JointIndex j = 0; j < set.skeleton.size(); ++j)
      EXPECT_TRUE(std::equal(set.skeleton.dofs(j).begin(), set.skeleton.dofs(j).end(), again->skeleton.dofs(j).begin(),
                             again->skeleton.dofs(j).end()));
    ASSERT_TRUE(save_examples(work / "twice", *again));
    for (const auto& entry : fs::directory_iterator(work / "set"))
      EXPECT_EQ(contents(entry.path()), contents(work / "twice" / entry.path().filename())) << entry.path();
  }
  const std::string index = contents(work / "set" / "examples.json");
  EXPECT_NE(index.find("radians"), std::string::npos);
  EXPECT_EQ(index.find("degree"), std::string::npos);
}

TEST(ExampleSetFile, SaysWhereCorrectionsAreZero) {
  const ScratchFolder work;
  ExampleSet set = bar_examples();
  ASSERT_TRUE(save_examples(work / "rest", set));
  EXPECT_EQ(contents(work / "rest" / "examples.json").find("zero_at"), std::string::npos) << "as files always were";
  EXPECT_FALSE(load_examples(work / "rest").value().zero_at_bind);
  set.zero_at_bind = true;
  ASSERT_TRUE(save_examples(work / "bind", set));
  const auto again = load_examples(work / "bind");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->zero_at_bind);
  EXPECT_TRUE(same(*again, set));
  EXPECT_TRUE(with_vertices(set, std::array<std::uint32_t, 2>{1, 5}, {}).zero_at_bind) << "of other vertices, too";
  const fs::path index = work / "bind" / "examples.json";
  const std::string text = contents(index), said = "\"zero_at\": \"bind\"";
  const std::size_t at = text.find(said);
  ASSERT_NE(at, std::string::npos) << text;
  const auto with_value = [&](const std::string& value) {
    std::string changed = text;
    EXPECT_TRUE(write_file(index, changed.replace(at, said.size(), "\"zero_at\": " + value)));
    return load_examples(work / "bind");
  };
  EXPECT_FALSE(with_value("\"rest\"").value().zero_at_bind);
  for (const char* wrong : {"\"birth\"", "\"\"", "\"Bind\"", "true", "7", "[\"bind\"]"}) {
    const auto read = with_value(wrong);
    ASSERT_FALSE(read) << wrong;
    const std::string told = read.error().message();
    EXPECT_NE(told.find("zero_at"), std::string::npos) << told;
    EXPECT_NE(told.find("examples.json"), std::string::npos) << told;
    if (wrong == std::string("\"birth\"")) {
      EXPECT_NE(told.find("birth"), std::string::npos) << told;
    }
  }
}

TEST(ExampleSetFile, ASetInUseMayBeReplaced) {
  const ScratchFolder work;
  const ExampleSet set = bar_examples();
  ASSERT_TRUE(save_examples(work / "set", set));
  const ExampleSet open = load_examples(work / "set").value();
  auto writer = ExampleWriter::create(work / "set", subject_of(bar(), 0, "other"));
  ASSERT_TRUE(writer);
  EXPECT_TRUE(same(load_examples(work / "set").value(), set)) << "the old set stands until the new one is whole";
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(load_examples(work / "set").value().size(), 0u);
  EXPECT_TRUE(same(open, set));
}

TEST(ExampleSetFile, AnAbandonedWriterLeavesNothing) {
  const ScratchFolder work;
  {
    auto writer = ExampleWriter::create(work / "set", subject_of(bar(), 0, ""));
    ASSERT_TRUE(writer) << writer.error().message();
    const ExampleSet set = bar_examples();
    ASSERT_TRUE(writer->add(set.examples[0], set.pose(0), set.positions_of(0)));
    EXPECT_NE(load_examples(work / "set").error().message().find("did not finish"), std::string::npos);
  }
  EXPECT_EQ(work.entries(), 0u);
  EXPECT_FALSE(ExampleWriter::create(work / "no" / "set", subject_of(bar(), 0, "")));
  ASSERT_TRUE(write_file(work / "file", std::string_view("x")));
  EXPECT_FALSE(ExampleWriter::create(work / "file", subject_of(bar(), 0, "")));
}

TEST(ExampleSetFile, RefusesWhatTheValidatorWould) {
  const ScratchFolder work;
  const ExampleSet set = bar_examples();
  auto writer = ExampleWriter::create(work / "set", subject_of(bar(), 0, ""));
  ASSERT_TRUE(writer->add(set.examples[0], set.pose(0), set.positions_of(0), set.normals_of(0)));
  EXPECT_NE(writer->add(set.examples[0], set.pose(0), set.positions_of(0)).error().message().find("twice"),
            std::string::npos);
  EXPECT_FALSE(writer->add(set.examples[1], set.pose(1), set.positions_of(1).first(7)));
  EXPECT_FALSE(writer->add(set.examples[1], Pose{}, set.positions_of(1)));
  std::vector<Vec3f> broken(set.positions_of(1).begin(), set.positions_of(1).end());
  broken[3].y = std::numeric_limits<float>::infinity();
  EXPECT_EQ(writer->add(set.examples[1], set.pose(1), broken).error().item, "example 'bent 40', vertex 3");
  ASSERT_TRUE(writer->add(set.examples[1], set.pose(1), set.positions_of(1)));
  ASSERT_TRUE(writer->finish());
  const ExampleSet read = load_examples(work / "set").value();
  EXPECT_EQ(read.size(), 2u);
  EXPECT_TRUE(validate(read));
}

TEST(ExampleSetFile, AFullDiskKeepsTheFinishedExamples) {
  const ScratchFolder work;
  const Character c = bar();
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 13, old.rlim_max};  // some 80 skins of 96 bytes
  std::size_t added = 0;
  Result<void> result, finished;
  {
    auto writer = ExampleWriter::create(work / "set", subject_of(c, 0, ""));
    ASSERT_TRUE(writer);
    setrlimit(RLIMIT_FSIZE, &small);
    for (; added < 200; ++added) {
      result = writer->add({std::to_string(added)}, rest_pose(c.skeleton), c.parts[0].mesh.positions);
      if (!result) break;
    }
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    finished = writer->finish();
  }
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().item.find(".npy"), std::string::npos) << result.error().message();
  ASSERT_TRUE(finished) << finished.error().message();
  const auto read = load_examples(work / "set");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->size(), added);
  EXPECT_TRUE(validate(*read));
}

TEST(ExampleSetFile, DamageIsNamed) {
  struct Case {
    const char* expected;
    std::function<void(const fs::path&)> damage;
  };
  const auto edit = [](const fs::path& folder, const std::function<void(Json&)>& change) {
    Json json = read_json(folder / "examples.json").value();
    change(json);
    ASSERT_TRUE(write_file(folder / "examples.json", to_text(json)));
  };
  const auto cut = [](const fs::path& file, std::size_t bytes) { fs::resize_file(file, fs::file_size(file) - bytes); };
  const std::vector<Case> cases{
      {"examples.json is missing", [](const fs::path& f) { fs::remove(f / "examples.json"); }},
      {"positions.npy: cannot be read", [](const fs::path& f) { fs::remove(f / "positions.npy"); }},
      {"normals.npy: holds", [&](const fs::path& f) { cut(f / "normals.npy", 4); }},
      {"rotations.npy: ends inside its header", [&](const fs::path& f) { fs::resize_file(f / "rotations.npy", 40); }},
      {"triangles.npy: is not a .npy file", [&](const fs::path& f) { fs::resize_file(f / "triangles.npy", 0); }},
      {"triangles.npy: holds numbers of type '<f4'",
       [](const fs::path& f) {  // twelve triangles are as many numbers as twelve normals
         std::string bytes = contents(f / "triangles.npy");
         bytes[bytes.find("<u4") + 1] = 'f';
         ASSERT_TRUE(write_file(f / "triangles.npy", bytes));
       }},
      {"positions.npy: has shape (4, 8, 3) instead of (3, 8, 3)",
       [&](const fs::path& f) {
         fs::remove(f / "rotations.npy");
         ExampleSet three = bar_examples();
         three.examples.pop_back();
         ASSERT_TRUE(save_examples(f / "three", three));
         fs::copy_file(f / "three" / "rotations.npy", f / "rotations.npy");
         edit(f, [](Json& j) {
           j["examples"].erase(3);
           j["counts"]["examples"] = 3;
         });
       }},
      {"counts.examples: is 5 but 4 are listed",
       [&](const fs::path& f) { edit(f, [](Json& j) { j["counts"]["examples"] = 5; }); }},
      {"rest_positions.npy: has shape (8, 3) instead of (9, 3)",
       [&](const fs::path& f) { edit(f, [](Json& j) { j["counts"]["vertices"] = 9; }); }},
      {"format: is not supple-examples", [&](const fs::path& f) { edit(f, [](Json& j) { j["format"] = "x"; }); }},
      {"version: is 2", [&](const fs::path& f) { edit(f, [](Json& j) { j["version"] = 2; }); }},
      {"examples[1].role", [&](const fs::path& f) { edit(f, [](Json& j) { j["examples"][1]["role"] = "guest"; }); }},
      {"examples[2].name", [&](const fs::path& f) { edit(f, [](Json& j) { j["examples"][2].erase("name"); }); }},
      {"joints[1].parent", [&](const fs::path& f) { edit(f, [](Json& j) { j["joints"][1]["parent"] = 2; }); }},
      {"translations.npy: cannot be read",
       [&](const fs::path& f) { edit(f, [](Json& j) { j["translations"] = true; }); }},
      {"examples.json:", [](const fs::path& f) {
         const std::string text = contents(f / "examples.json");
         ASSERT_TRUE(write_file(f / "examples.json", text.substr(0, text.size() / 2)));
       }}};
  for (const Case& c : cases) {
    const ScratchFolder work;
    ASSERT_TRUE(save_examples(work / "set", bar_examples()));
    c.damage(work / "set");
    const auto read = load_examples(work / "set");
    ASSERT_FALSE(read) << c.expected;
    EXPECT_NE(read.error().message().find(c.expected), std::string::npos) << c.expected << "\n"
                                                                          << read.error().message();
  }
  EXPECT_FALSE(load_examples("no such folder"));
}

TEST(ExampleSetFile, NumpyReadsOurs) {
  SUPPLE_REQUIRE_NUMPY();
  const ScratchFolder work;
  const ExampleSet set = bar_examples(true);
  ASSERT_TRUE(save_examples(work / "set", set));
  const auto said = python(
      "import json, numpy as np, os; os.chdir('" + (work / "set").string() +
      "')\nindex = json.load(open('examples.json', encoding='utf-8'))\n"
      "print([e['name'] for e in index['examples']][1:3], index['counts']['vertices'])\n"
      "for n in ['rotations', 'translations', 'positions', 'normals', 'rest_positions', 'rest_normals', 'triangles']:\n"
      "  a = np.load(n + '.npy', mmap_mode='r'); print(n, a.dtype.str, a.shape)\n"
      "print(np.load('positions.npy')[3, 7].tobytes().hex(), np.abs(np.linalg.norm(np.load('rotations.npy'), axis=2) - "
      "1).max() < 1e-6)\n");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&set.positions_of(3)[7]);
  std::string hex;
  for (std::size_t i = 0; i < 12; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", bytes[i]);
    hex += two;
  }
  EXPECT_EQ(said.out,
            "['bent 40', 'bent 80'] 8\nrotations <f4 (4, 3, 4)\ntranslations <f4 (4, 3, 3)\npositions <f4 (4, 8, 3)\n"
            "normals <f4 (4, 8, 3)\nrest_positions <f4 (8, 3)\nrest_normals <f4 (8, 3)\ntriangles <u4 (12, 3)\n" +
                hex + " True\n");
}

TEST(ExampleSetFile, ASetEditedByNumpyIsRead) {
  SUPPLE_REQUIRE_NUMPY();
  const ScratchFolder work;
  ASSERT_TRUE(save_examples(work / "set", bar_examples()));
  const auto made = python("import numpy as np, os; os.chdir('" + (work / "set").string() +
                           "')\np = np.load('positions.npy'); p[2, 5] = [1, 2, 3]\n"
                           "np.save('positions.npy', p.astype(np.float64)); np.save('triangles.npy', "
                           "np.load('triangles.npy').astype(np.int64))\n");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto set = load_examples(work / "set");
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_TRUE(validate(*set));
  EXPECT_EQ(set->positions_of(2)[5], (Vec3f{1, 2, 3}));
  EXPECT_EQ(set->triangles[1], bar().parts[0].mesh.triangles[1]);
}

}  // namespace
}  // namespace supple::test
