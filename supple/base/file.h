// Files, read whole and written whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/result.h"

namespace supple {

using Bytes = std::vector<std::byte>;

Result<Bytes> read_file(const std::filesystem::path& path);
Result<std::string> read_text(const std::filesystem::path& path);

/// Several files that belong together: everything is written next to its destination under a temporary name and renamed
/// in commit(), so an error, a full disk or a signal before that leaves the destinations as they were. A destination
/// that is a link stays one; folders, devices and pipes are refused.
class FileTransaction {
 public:
  FileTransaction() = default;
  FileTransaction(const FileTransaction&) = delete;
  FileTransaction& operator=(const FileTransaction&) = delete;
  ~FileTransaction();  // removes what was not committed

  Result<void> add(const std::filesystem::path& path, std::span<const std::byte> contents);
  Result<void> add(const std::filesystem::path& path, std::string_view contents);
  Result<void> commit();

 private:
  struct Entry {
    std::filesystem::path temporary, destination;
  };
  std::vector<Entry> entries_;
};

/// One large file written piece by piece under a temporary name, with the same promise: the destination appears, or is
/// replaced, as a whole in commit(). A stream that is dropped before that leaves nothing behind.
class FileStream {
 public:
  static Result<FileStream> create(const std::filesystem::path& path);
  FileStream(FileStream&& other) noexcept;
  FileStream& operator=(FileStream&& other) noexcept;
  ~FileStream();

  const std::filesystem::path& path() const { return path_; }
  Result<void> append(std::span<const std::byte> contents);
  /// Overwrites what was appended before: for headers that hold a count.
  Result<void> write_at(std::size_t offset, std::span<const std::byte> contents);
  /// Drops everything from `size` on.
  Result<void> cut(std::size_t size);
  /// No more is written; the contents have reached the disk, where a full one would have shown. commit() does the same.
  Result<void> close();
  Result<void> commit();

 private:
  FileStream() = default;
  void drop();
  std::filesystem::path path_, destination_;
  std::string temporary_;  // empty once committed
  int fd_ = -1;
};

/// For signal handlers: deletes the temporary files and folders (folder.h) of transactions and streams that are under
/// way. Only calls what a handler may.
void remove_unfinished_files() noexcept;

/// ".glb" of "Hand.GLB".
std::string lower_extension(const std::filesystem::path& path);

Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> contents);
Result<void> write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace supple
