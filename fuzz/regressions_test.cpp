// Every reader takes the files it is fuzzed from, and comes back from all that fuzzers once stopped it with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

namespace fs = std::filesystem;

class Readers : public testing::TestWithParam<const Target*> {};

TEST_P(Readers, ReadTheirSeeds) {
  const Seeds seeds = GetParam()->seeds();
  EXPECT_FALSE(seeds.empty());
  for (const auto& [name, contents] : seeds) EXPECT_TRUE(GetParam()->read(as_input(contents))) << name;
}

TEST_P(Readers, ComeBackFromCutAndChangedSeeds) {
  std::size_t refused = 0, all = 0;
  const auto read = [&](const std::string& contents) {
    refused += !GetParam()->read(as_input(contents));
    ++all;
  };
  for (const auto& [name, contents] : GetParam()->seeds()) {
    const std::size_t step = contents.size() / 25 + 1;
    for (std::size_t at = 0; at < contents.size(); at += step) {
      read(contents.substr(0, at));
      for (const char c : {'\0', '\xff', '9', '"'}) {
        std::string changed = contents;
        changed[at] = c;
        read(changed);
      }
    }
  }
  EXPECT_GT(refused, 0u) << "of " << all;
}

TEST_P(Readers, ComeBackFromWhatOnceStoppedThem) {
  const fs::path folder = fs::path(SUPPLE_SOURCE_DIR) / "fuzz/regressions" / GetParam()->name;
  if (!fs::exists(folder)) return;  // nothing was found here yet
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string contents{std::istreambuf_iterator<char>(file), {}};
    GetParam()->read(as_input(contents));  // that it returns is the test; sanitizers see the rest
  }
}

TEST(Targets, AreFoundByTheirNames) {
  for (const Target* target : targets()) EXPECT_EQ(find_target(target->name), target);
  EXPECT_EQ(find_target("nothing"), nullptr);
}

TEST(Targets, HaveFoldersOfRegressions) {
  const fs::path folder = fs::path(SUPPLE_SOURCE_DIR) / "fuzz/regressions";
  ASSERT_TRUE(fs::exists(folder));
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
#ifndef SUPPLE_HAS_DRACO
    if (entry.path().filename() == "draco") continue;
#endif
    EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Readers, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param->name); });

}  // namespace
}  // namespace supple::fuzz
