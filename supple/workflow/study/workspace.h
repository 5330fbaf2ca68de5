// Results of stages kept between runs: a stage whose inputs are what they were is not run again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "supple/base/hash.h"
#include "supple/files/json.h"
#include "supple/workflow/jobs/work.h"
#include "supple/workflow/study/archive.h"

namespace supple::workflow {

/// What a stage made, and what it had to say: whoever runs the build again is to be warned again.
template <class T>
struct StageResult {
  T value;
  Warnings warnings;
};

/// A folder with one file per stage. Files are written whole; one that is damaged or was made from other inputs counts
/// as none.
class Workspace {
 public:
  static Result<Workspace> open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  /// Decisions as the program last wrote them; an empty object where there are none.
  Json remembered() const;
  /// The file that they are kept in.
  std::filesystem::path memory() const;

  template <class T>
  std::optional<StageResult<T>> find(const std::string& stage, std::uint64_t key) const {
    const auto bytes = load(stage, key);
    if (!bytes) return std::nullopt;
    StageResult<T> result;
    ArchiveReader reader(*bytes);
    reader(result.value, result.warnings);
    if (reader.failed() || !reader.at_end()) return std::nullopt;
    return result;
  }
  template <class T>
  Result<void> store(const std::string& stage, std::uint64_t key, const T& value, const Warnings& warnings) const {
    ArchiveWriter writer;
    writer(value, warnings);
    return save(stage, key, writer.bytes);
  }

 private:
  std::optional<Bytes> load(const std::string& stage, std::uint64_t key) const;
  Result<void> save(const std::string& stage, std::uint64_t key, std::span<const std::byte> contents) const;
  std::filesystem::path path_of(const std::string& stage) const;

  std::filesystem::path folder_;
};

}  // namespace supple::workflow
