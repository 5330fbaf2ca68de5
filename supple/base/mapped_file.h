// A file seen as memory: pages are read when they are touched, and big arrays are never copied.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "supple/base/result.h"

namespace supple {

/// Read-only. The file may be replaced (renamed over) while it is mapped, the old contents stay; cutting it short in
/// place is a programming error of whoever does that.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile() = default;
  void unmap();
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace supple
