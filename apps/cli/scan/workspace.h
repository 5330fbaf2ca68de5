// Results of stages kept between runs: a stage whose inputs are what they were is not run again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/scan/archive.h"
#include "cli/session.h"
#include "supple/base/hash.h"

namespace supple::cli {

/// A folder with one file per stage. Files are written whole; one that is damaged or was made from other inputs counts
/// as none.
class Workspace {
 public:
  static Result<Workspace> open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  /// Decisions as the program last wrote them; an empty object where there are none.
  Json remembered() const;
  Result<void> remember(const Json& decisions) const;

  template <class T>
  std::optional<T> find(const std::string& stage, std::uint64_t key) const {
    const auto bytes = load(stage, key);
    if (!bytes) return std::nullopt;
    T value;
    ArchiveReader reader(*bytes);
    reader(value);
    if (reader.failed() || !reader.at_end()) return std::nullopt;
    return value;
  }
  template <class T>
  Result<void> store(const std::string& stage, std::uint64_t key, const T& value) const {
    ArchiveWriter writer;
    writer(value);
    return save(stage, key, writer.bytes);
  }

 private:
  std::optional<Bytes> load(const std::string& stage, std::uint64_t key) const;
  Result<void> save(const std::string& stage, std::uint64_t key, std::span<const std::byte> contents) const;
  std::filesystem::path path_of(const std::string& stage) const;

  std::filesystem::path folder_;
};

}  // namespace supple::cli
