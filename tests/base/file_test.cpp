#include "supple/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "supple/base/text.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("supple_file_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsBack) {
  const fs::path path = folder_ / "a.txt";
  ASSERT_TRUE(write_file(path, std::string_view("first")));
  ASSERT_TRUE(write_file(path, std::string_view("second")));
  EXPECT_EQ(read_text(path).value(), "second");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, MissingFilesAndFoldersAreNamed) {
  const auto missing = read_file(folder_ / "none.glb");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("none.glb"), std::string::npos);
  EXPECT_FALSE(read_file(folder_));
  EXPECT_FALSE(write_file(folder_, std::string_view("x")));
  EXPECT_FALSE(write_file(folder_ / "no" / "such" / "folder.txt", std::string_view("x")));
}

// A limit on file size fails in write() just as a full disk does.
TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNothingElse) {
  const fs::path path = folder_ / "a.bin";
  ASSERT_TRUE(write_file(path, std::string_view("precious")));
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = write_file(path, std::string(1 << 20, 'x'));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message().find("a.bin"), std::string::npos);
  EXPECT_EQ(read_text(path).value(), "precious");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, LinksStayLinksAndPipesAreRefused) {
  const fs::path file = folder_ / "file", link = folder_ / "link", pipe = folder_ / "pipe";
  ASSERT_TRUE(write_file(file, std::string_view("old")));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", link);
  ASSERT_TRUE(write_file(link, std::string_view("new")));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(file).value(), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write)
      << "a private file stays private";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(write_file(pipe, std::string_view("x")));
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FileTest, ATransactionAppearsAsAWhole) {
  {
    FileTransaction abandoned;
    ASSERT_TRUE(abandoned.add(folder_ / "a", std::string_view("1")));
    ASSERT_FALSE(abandoned.add(folder_ / "missing" / "b", std::string_view("2")));
  }
  EXPECT_EQ(entries(), 0u);
  FileTransaction kept;
  ASSERT_TRUE(kept.add(folder_ / "a", std::string_view("1")));
  ASSERT_TRUE(kept.add(folder_ / "b", std::string_view("2")));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  ASSERT_TRUE(kept.commit());
  EXPECT_EQ(entries(), 2u);
}

TEST(Text, EditDistanceCountsSlips) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("wirst", "wrist"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("Wrist", "wrist"), 0u);
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> names{"wrist", "thumb-tip", "index-finger-tip"};
  EXPECT_EQ(nearest_name("wirst", names), "wrist");
  EXPECT_EQ(nearest_name("index-fingr-tip", names), "index-finger-tip");
  EXPECT_EQ(nearest_name("pelvis", names), "");
  EXPECT_EQ(did_you_mean("thumbtip", names), "did you mean thumb-tip?");
}

}  // namespace
}  // namespace supple
