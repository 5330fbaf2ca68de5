#include "supple/author/simulate/record.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "supple/base/file.h"

namespace supple::simulate {
namespace {

// "SPPOSE3", little-endian; counted up when the same way leads elsewhere.
constexpr std::uint64_t magic = 0x33'45'53'4f'50'50'53u;

struct Header {
  std::uint64_t magic = simulate::magic, key = 0;
  std::uint64_t nodes = 0, steps = 0, converged = 0;
  std::uint64_t inverted = 0, worst = 0;
  double min_det = 0, volume = 0, seconds = 0;
  std::uint64_t contacts = 0;
  double overlap = 0;
};
struct Step {
  double angle = 0, moved = 0, last_step = 0, gap_error = 0;
  std::int32_t iterations = 0, halvings = 0, indefinite = 0, converged = 0;
};

template <class T>
void put(Bytes& bytes, std::span<const T> values) {
  const auto raw = std::as_bytes(values);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}
template <class T>
bool take(std::span<const std::byte>& bytes, std::span<T> values) {
  if (bytes.size() < values.size_bytes()) return false;
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size_bytes());
  bytes = bytes.subspan(values.size_bytes());
  return true;
}

}  // namespace

Result<void> write_record(const std::filesystem::path& path, std::uint64_t key, const PoseRecord& record) {
  const PoseReport& r = record.report;
  Header header;
  header.key = key;
  header.nodes = record.nodes.size();
  header.steps = r.steps.size();
  header.converged = r.converged;
  header.inverted = r.health.inverted;
  header.worst = r.health.worst;
  header.min_det = r.health.min_det;
  header.volume = r.health.volume;
  header.seconds = r.seconds;
  header.contacts = r.contacts;
  header.overlap = r.overlap;
  std::vector<Step> steps;
  for (const StepReport& s : r.steps)
    steps.push_back({s.angle, s.moved, s.newton.last_step, s.newton.gap_error, s.newton.iterations, s.newton.halvings,
                     s.newton.indefinite, s.newton.converged ? 1 : 0});
  Bytes bytes;
  put(bytes, std::span<const Header>(&header, 1));
  put(bytes, std::span<const Step>(steps));
  put(bytes, std::span<const Vec3d>(record.nodes));
  return write_file(path, bytes);
}

std::optional<PoseRecord> read_record(const std::filesystem::path& path, std::uint64_t key) {
  const auto file = read_file(path);
  if (!file) return std::nullopt;
  std::span<const std::byte> bytes(*file);
  Header header;
  if (!take(bytes, std::span(&header, 1)) || header.magic != magic || header.key != key) return std::nullopt;
  if (bytes.size() != header.steps * sizeof(Step) + header.nodes * sizeof(Vec3d)) return std::nullopt;
  std::vector<Step> steps(header.steps);
  PoseRecord record;
  record.nodes.resize(header.nodes);
  take(bytes, std::span(steps));
  take(bytes, std::span(record.nodes));
  PoseReport& r = record.report;
  for (const Step& s : steps)
    r.steps.push_back(
        {s.angle, s.moved, {s.iterations, s.halvings, s.indefinite, s.last_step, s.gap_error, s.converged != 0}});
  r.health = {header.inverted, header.min_det, static_cast<std::uint32_t>(header.worst), header.volume};
  r.converged = header.converged != 0;
  r.seconds = header.seconds;
  r.contacts = header.contacts;
  r.overlap = header.overlap;
  return record;
}

bool record_has_key(const std::filesystem::path& path, std::uint64_t key) {
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  Header header;
  if (!file || std::fread(&header, sizeof header, 1, file.get()) != 1) return false;
  if (header.magic != magic || header.key != key) return false;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  return !failed && size == sizeof header + header.steps * sizeof(Step) + header.nodes * sizeof(Vec3d);
}

}  // namespace supple::simulate
