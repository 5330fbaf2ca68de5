#include "supple/workflow/jobs/simulate/lattice_batches.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "supple/base/file.h"
#include "supple/files/npy.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t magic = 0x32'54'54'41'4c'50'50'53u;  // "SPPLATT2", little-endian
constexpr const char* extension = ".batch";

/// How one pose was solved. A file holds a header, these of all poses, and then their positions.
struct Row {
  std::int32_t iterations = 0;
  float last_step = 0;
  std::uint64_t inverted = 0;
  std::uint32_t contacts = 0;
  float overlap = 0;
  double farthest = 0;
};
static_assert(sizeof(Row) == 32 && sizeof(Vec3f) == 12, "both are written as they lie in memory");

template <class T>
void put(Bytes& bytes, std::span<const T> values) {
  const auto raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

constexpr std::size_t floats_per_joint = 10;
std::array<float, floats_per_joint> floats_of(const Transformf& t) {
  return {t.translation.x, t.translation.y, t.translation.z, t.rotation.x, t.rotation.y,
          t.rotation.z,    t.rotation.w,    t.scale.x,       t.scale.y,    t.scale.z};
}

}  // namespace

struct LatticeBatches::Header {
  std::uint64_t magic = 0, key = 0;
  std::uint64_t poses = 0, vertices = 0;
  bool operator==(const Header&) const = default;

  std::size_t file_size() const { return sizeof(Header) + poses * (sizeof(Row) + vertices * sizeof(Vec3f)); }
};

void add_pose(Fingerprint& key, const Pose& pose) {
  for (const Transformf& t : pose.local)
    for (const float x : floats_of(t)) key.add(x);
}

LatticeBatches::LatticeBatches(const lattice::LatticeTeacher& teacher, std::vector<Pose> poses,
                               const Fingerprint& problem, fs::path folder)
    : teacher_(teacher), poses_(std::move(poses)), folder_(std::move(folder)) {
  for (std::size_t i = 0; i < poses_.size(); i += lattice::lanes) {
    Fingerprint key = problem;
    for (std::size_t p = i; p < std::min(i + lattice::lanes, poses_.size()); ++p) add_pose(key, poses_[p]);
    keys_.push_back(key.value());
  }
}

std::size_t LatticeBatches::first(std::size_t batch) const { return std::min(batch * lattice::lanes, poses_.size()); }

/// Named by what it was made from, so that other poses of the same number are never taken for these.
fs::path LatticeBatches::path(std::size_t batch) const {
  return folder_ / fmt::format("{:016x}{}", keys_[batch], extension);
}

LatticeBatches::Header LatticeBatches::header_of(std::size_t batch) const {
  return {magic, keys_[batch], first(batch + 1) - first(batch), teacher_.vertices()};
}

bool LatticeBatches::done(std::size_t batch) const {
  const Header expected = header_of(batch);
  const fs::path file = path(batch);
  Header header;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header) || header != expected) return false;
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(file, failed);
  return !failed && size == expected.file_size();
}

Result<SolvedBatch> LatticeBatches::read(std::size_t batch) const {
  const auto bytes = read_file(path(batch));
  if (!bytes) return bytes.error();
  const Header expected = header_of(batch);
  Header header;
  if (bytes->size() == expected.file_size()) std::memcpy(&header, bytes->data(), sizeof header);
  if (header != expected)
    return Error{path(batch).string(), "does not hold its poses", "run again to repeat only what is missing"};
  SolvedBatch solved;
  std::vector<Row> rows(expected.poses);
  solved.positions.resize(rows.size() * teacher_.vertices());
  const std::byte* const from = bytes->data() + sizeof header;
  std::memcpy(rows.data(), from, rows.size() * sizeof(Row));
  std::memcpy(solved.positions.data(), from + rows.size() * sizeof(Row), solved.positions.size() * sizeof(Vec3f));
  for (const Row& r : rows)
    solved.outcomes.push_back(
        {{r.iterations, r.last_step, static_cast<std::size_t>(r.inverted), r.contacts, r.overlap}, r.farthest});
  return solved;
}

Result<void> LatticeBatches::solve(std::size_t batch) const {
  const std::size_t begin = first(batch), count = first(batch + 1) - begin;
  const auto poses = std::span(poses_).subspan(begin, count);
  std::vector<std::vector<Vec3f>> positions(count);
  std::vector<lattice::PoseConvergence> convergence(count);
  teacher_.pose(poses, positions, convergence);
  const Header header = header_of(batch);
  Bytes bytes;
  bytes.reserve(header.file_size());
  put(bytes, std::span<const Header>(&header, 1));
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Vec3d> blend = teacher_.linear(poses[i]);
    double farthest = 0;
    for (std::size_t v = 0; v < blend.size(); ++v)
      farthest = std::max(farthest, length(Vec3d(positions[i][v]) - blend[v]));
    const lattice::PoseConvergence& c = convergence[i];
    const Row row{c.iterations, c.last_step, c.inverted, static_cast<std::uint32_t>(c.contacts), c.overlap, farthest};
    put(bytes, std::span<const Row>(&row, 1));
  }
  for (const std::vector<Vec3f>& own : positions) put(bytes, std::span<const Vec3f>(own));
  return write_file(path(batch), bytes);
}

farm::TaskList LatticeBatches::tasks(std::vector<std::string> command) const {
  farm::TaskList tasks;
  tasks.count = size();
  tasks.name = [this](std::size_t i) { return fmt::format("poses {} to {}", first(i) + 1, first(i + 1)); };
  tasks.done = [this](std::size_t i) { return done(i); };
  tasks.run = [this](std::size_t i, const Progress&) { return solve(i); };
  tasks.command = [command = std::move(command)](const std::string& task) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--task", task});
    return words;
  };
  tasks.cost = [this](std::size_t i) { return static_cast<double>(first(i + 1) - first(i)); };
  return tasks;
}

void LatticeBatches::remove_files() const {
  std::error_code failed;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_, failed))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file, failed);
}

Result<void> write_poses(const fs::path& path, std::span<const Pose> poses) {
  const std::size_t joints = poses.empty() ? 0 : poses[0].local.size();
  auto writer = NpyWriter::create(path, "<f4", {joints, floats_per_joint});
  if (!writer) return writer.error();
  for (const Pose& pose : poses) {
    std::vector<float> row;
    for (const Transformf& t : pose.local) {
      const auto own = floats_of(t);
      row.insert(row.end(), own.begin(), own.end());
    }
    if (auto added = writer->append(std::span<const float>(row)); !added) return added;
  }
  return writer->commit();
}

Result<std::vector<Pose>> read_poses(const fs::path& path, std::size_t joints) {
  const auto array = read_npy(path);
  if (!array) return array.error();
  const std::size_t count = array->shape.empty() ? 0 : array->shape[0];
  const std::size_t shape[]{count, joints, floats_per_joint};
  if (auto fits = require_shape(*array, shape, "the character's joints"); !fits) return fits.error();
  const auto floats = to_floats(*array);
  if (!floats) return floats.error();
  std::vector<Pose> poses(count);
  const float* f = floats->span().data();
  for (Pose& pose : poses)
    for (std::size_t j = 0; j < joints; ++j, f += floats_per_joint)
      pose.local.push_back({{f[0], f[1], f[2]}, {f[3], f[4], f[5], f[6]}, {f[7], f[8], f[9]}});
  return poses;
}

}  // namespace supple::workflow
