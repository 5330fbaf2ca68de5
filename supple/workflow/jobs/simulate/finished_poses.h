// Poses that were solved, one after another in a file of their own beside the examples: a run that was stopped goes on
// after the last whole one.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "supple/base/result.h"
#include "supple/base/vec.h"

namespace supple::workflow {

/// The numbers that say how one pose was solved.
struct FinishedPose {
  std::int32_t iterations = 0;
  float last_step = 0;
  std::uint64_t inverted = 0;
  double farthest = 0;
};

class FinishedPoses {
 public:
  /// Throws away what another `key` left in the file. Each pose has so many `vertices`.
  static Result<FinishedPoses> open(const std::filesystem::path& file, const std::string& key, std::size_t vertices);

  std::size_t size() const { return count_; }
  /// Pose i of those that are there; positions: #vertices.
  Result<void> read(std::size_t i, FinishedPose& pose, std::span<Vec3f> positions);
  Result<void> add(const FinishedPose& pose, std::span<const Vec3f> positions);
  /// Nothing is left to go on with.
  void remove();

 private:
  FinishedPoses() = default;
  std::streamoff place_of(std::size_t i) const;
  Error failed(const char* problem) const;

  std::filesystem::path path_;
  std::fstream file_;
  std::size_t header_ = 0, vertices_ = 0, count_ = 0;
};

}  // namespace supple::workflow
