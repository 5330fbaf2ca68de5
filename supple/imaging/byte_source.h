// The bytes of a file in order, as they are or unpacked on the way, so that large files never lie in memory whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "supple/base/file.h"

namespace supple::imaging {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `out` as far as there are bytes; returns how many there were.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
  /// The next read begins that many (unpacked) bytes after the first.
  virtual Result<void> start_at(std::uint64_t offset) = 0;
  /// More bytes than these cannot come: a header that promises them lies.
  virtual std::uint64_t limit() const = 0;
};

/// From byte `begin` of the file on.
Result<std::unique_ptr<ByteSource>> open_plain(const std::filesystem::path& path, std::uint64_t begin = 0);
/// The same unpacked: gzip, of several members too, or a zlib stream.
Result<std::unique_ptr<ByteSource>> open_packed(const std::filesystem::path& path, std::uint64_t begin = 0);
std::unique_ptr<ByteSource> from_memory(Bytes bytes);

}  // namespace supple::imaging
