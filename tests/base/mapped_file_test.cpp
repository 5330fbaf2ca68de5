#include "supple/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "supple/base/file.h"
#include "supple/base/shared_array.h"
#include "supple/base/vec.h"
#include "support/run_command.h"

namespace supple::test {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(MappedFile, ShowsTheBytesAndMoves) {
  const ScratchFolder work;
  std::string text(100000, 'x');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7);
  ASSERT_TRUE(write_file(work / "a", text));
  auto mapped = MappedFile::open(work / "a");
  ASSERT_TRUE(mapped) << mapped.error().message();
  MappedFile moved = std::move(*mapped);
  EXPECT_EQ(text_of(moved.bytes()), text);
  EXPECT_TRUE(mapped->bytes().empty());
  ASSERT_TRUE(write_file(work / "a", std::string_view("short")));
  EXPECT_EQ(text_of(moved.bytes()), text) << "a file that is replaced keeps its old contents for who holds it";
  moved = MappedFile::open(work / "a").value();
  EXPECT_EQ(text_of(moved.bytes()), "short");
}

TEST(MappedFile, EmptyFilesFoldersPipesAndMissingFiles) {
  const ScratchFolder work;
  ASSERT_TRUE(write_file(work / "empty", std::string_view()));
  EXPECT_TRUE(MappedFile::open(work / "empty").value().bytes().empty());
  EXPECT_NE(MappedFile::open(work / "none").error().message().find("none"), std::string::npos);
  EXPECT_NE(MappedFile::open(work.path()).error().message().find("folder"), std::string::npos);
  ASSERT_EQ(::mkfifo((work / "pipe").c_str(), 0600), 0);
  EXPECT_NE(MappedFile::open(work / "pipe").error().message().find("pipe"), std::string::npos);
}

TEST(SharedArray, KeepsItsMemoryAliveAndRegroups) {
  SharedArray<Vec3f> vectors;
  {
    const SharedArray<float> floats(std::vector<float>{1, 2, 3, 4, 5, 6, 7});
    vectors = floats.grouped<Vec3f>();
  }
  ASSERT_EQ(vectors.size(), 2u);
  EXPECT_EQ(vectors[1], (Vec3f{4, 5, 6}));
  EXPECT_TRUE(SharedArray<float>().grouped<Vec3f>().empty());
}

TEST(FileStream, AppearsOnlyWhenCommitted) {
  const ScratchFolder work;
  {
    auto stream = FileStream::create(work / "a");
    ASSERT_TRUE(stream);
    ASSERT_TRUE(stream->append(bytes_of("lost")));
  }
  EXPECT_EQ(work.entries(), 0u);
  auto stream = FileStream::create(work / "a");
  ASSERT_TRUE(stream->append(bytes_of("head....body")));
  ASSERT_TRUE(stream->write_at(4, bytes_of("1234")));
  ASSERT_TRUE(stream->append(bytes_of(" and tail")));
  ASSERT_TRUE(stream->cut(16));
  ASSERT_TRUE(stream->append(bytes_of("!")));
  EXPECT_FALSE(std::filesystem::exists(work / "a"));
  FileStream moved = std::move(*stream);
  ASSERT_TRUE(moved.commit());
  EXPECT_EQ(contents(work / "a"), "head1234body and!");
  EXPECT_EQ(work.entries(), 1u);
  EXPECT_FALSE(FileStream::create(work.path()));
  EXPECT_FALSE(FileStream::create(work / "no" / "a"));
}

}  // namespace
}  // namespace supple::test
