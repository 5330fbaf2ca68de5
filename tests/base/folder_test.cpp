#include "supple/base/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "supple/base/file.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    above_ = fs::temp_directory_path() / ("supple_folder_test_" + std::to_string(::getpid()));
    fs::create_directories(above_);
  }
  void TearDown() override { fs::remove_all(above_); }
  std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(above_), {})); }
  void put(FolderTransaction& to, const std::string& name) { ASSERT_TRUE(to.write(name, "of " + name)); }
  fs::path above_;
};

TEST_F(FolderTest, AppearsAsAWhole) {
  fs::create_directory(above_ / "empty");
  // An empty folder may be there, and a name may end in a slash.
  for (const fs::path& folder : {above_ / "new", above_ / "empty", above_ / "slash" / ""}) {
    const std::size_t before = entries();
    auto made = FolderTransaction::create(folder);
    ASSERT_TRUE(made) << made.error().message();
    put(*made, "a");
    put(*made, "b");
    put(*made, "below/it/c");
    put(*made, "below/d");
    EXPECT_EQ(entries(), before + 1);
    EXPECT_FALSE(fs::exists(folder / "a"));
    const auto done = made->commit();
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_EQ(read_text(folder / "a").value(), "of a");
    EXPECT_EQ(read_text(folder / "b").value(), "of b");
    EXPECT_EQ(read_text(folder / "below" / "it" / "c").value(), "of below/it/c");
    EXPECT_EQ(read_text(folder / "below" / "d").value(), "of below/d");
  }
  EXPECT_EQ(entries(), 3u);
  remove_unfinished_files();
  EXPECT_TRUE(fs::exists(above_ / "new" / "a")) << "what is committed is no longer unfinished";
}

TEST_F(FolderTest, WhatIsNotCommittedGoesAway) {
  {
    auto dropped = FolderTransaction::create(above_ / "dropped");
    ASSERT_TRUE(dropped);
    put(*dropped, "a");
    FolderTransaction moved = std::move(*dropped);
    put(moved, "b");
    EXPECT_EQ(entries(), 1u);
  }
  EXPECT_EQ(entries(), 0u);
  auto late = FolderTransaction::create(above_ / "late");
  ASSERT_TRUE(late);
  ASSERT_TRUE(write_file(above_ / "late", std::string_view("came first")));
  EXPECT_FALSE(late->commit());
}

TEST_F(FolderTest, RefusesFilesAndFoldersThatHoldSomething) {
  ASSERT_TRUE(write_file(above_ / "file", std::string_view("x")));
  for (const fs::path& path : {above_, above_ / "file"}) {
    const auto refused = FolderTransaction::create(path);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message().find("exists already"), std::string::npos);
  }
  const auto nowhere = FolderTransaction::create(above_ / "none" / "b");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message().find("cannot be created"), std::string::npos);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FolderTest, SignalHandlersTakeAwayUnfinishedFoldersAndFiles) {
  auto first = FolderTransaction::create(above_ / "first"), second = FolderTransaction::create(above_ / "second");
  ASSERT_TRUE(first && second);
  for (int n = 0; n < 40; ++n) put(*first, std::to_string(n));  // more than there are slots for files
  put(*first, "below/it/a");
  put(*first, "below/b");
  const fs::path announced = second->add("not yet there");
  FileTransaction file;
  ASSERT_TRUE(file.add(above_ / "file", std::string_view("x")));
  EXPECT_EQ(entries(), 3u);
  EXPECT_FALSE(fs::exists(announced));
  remove_unfinished_files();
  EXPECT_EQ(entries(), 0u);
  EXPECT_FALSE(first->commit());
}

}  // namespace
}  // namespace supple
