#include "supple/workflow/jobs/simulate/finished_poses.h"

#include <cassert>

namespace supple::workflow {
namespace {

static_assert(sizeof(FinishedPose) == 24 && sizeof(Vec3f) == 12, "both are written as they lie in memory");

}  // namespace

Result<FinishedPoses> FinishedPoses::open(const std::filesystem::path& file, const std::string& key,
                                          std::size_t vertices) {
  FinishedPoses poses;
  poses.path_ = file;
  poses.vertices_ = vertices;
  const std::string header = key + "\n";
  poses.header_ = header.size();
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (!failed && size >= header.size()) {
    poses.file_.open(file, std::ios::in | std::ios::out | std::ios::binary);
    std::string found(header.size(), ' ');
    if (poses.file_.read(found.data(), static_cast<std::streamsize>(found.size())) && found == header) {
      // A pose that was being written when the run ended is not whole: the next one overwrites it.
      poses.count_ = (size - header.size()) / (sizeof(FinishedPose) + vertices * sizeof(Vec3f));
      return poses;
    }
    poses.file_.close();
  }
  poses.file_.open(file, std::ios::in | std::ios::out | std::ios::binary | std::ios::trunc);
  poses.file_.write(header.data(), static_cast<std::streamsize>(header.size()));
  if (!poses.file_) return poses.failed("cannot be written");
  return poses;
}

std::streamoff FinishedPoses::place_of(std::size_t i) const {
  return static_cast<std::streamoff>(header_ + i * (sizeof(FinishedPose) + vertices_ * sizeof(Vec3f)));
}

Error FinishedPoses::failed(const char* problem) const {
  return {path_.string(), problem, "look for space and rights in its folder"};
}

Result<void> FinishedPoses::read(std::size_t i, FinishedPose& pose, std::span<Vec3f> positions) {
  assert(i < count_ && positions.size() == vertices_);
  file_.seekg(place_of(i));
  file_.read(reinterpret_cast<char*>(&pose), sizeof pose);
  file_.read(reinterpret_cast<char*>(positions.data()), static_cast<std::streamsize>(positions.size_bytes()));
  if (!file_) return failed("cannot be read");
  return {};
}

Result<void> FinishedPoses::add(const FinishedPose& pose, std::span<const Vec3f> positions) {
  assert(positions.size() == vertices_);
  file_.seekp(place_of(count_));
  file_.write(reinterpret_cast<const char*>(&pose), sizeof pose);
  file_.write(reinterpret_cast<const char*>(positions.data()), static_cast<std::streamsize>(positions.size_bytes()));
  file_.flush();
  if (!file_) return failed("cannot be written");
  ++count_;
  return {};
}

void FinishedPoses::remove() {
  file_.close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  count_ = 0;
}

}  // namespace supple::workflow
