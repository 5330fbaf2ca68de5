#include "supple/files/vertex_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "supple/base/file.h"
#include "supple/base/mapped_file.h"
#include "supple/files/lines.h"
#include "supple/files/obj.h"
#include "supple/files/ply.h"

namespace supple {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view pc2_magic("POINTCACHE2\0", 12);
constexpr std::size_t pc2_header = 32, mdd_header = 8;

/// 32-bit numbers at any place, of either byte order.
template <class T>
T read_number(std::span<const std::byte> bytes, std::size_t offset, bool big_endian) {
  static_assert(sizeof(T) == 4);
  std::array<std::byte, 4> raw;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), 4, raw.begin());
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

template <class T>
void append_number(std::string& out, T value, bool big_endian) {
  auto raw = std::bit_cast<std::array<char, 4>>(value);
  if (big_endian != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

Result<void> append_frames(std::string& out, std::span<const std::vector<Vec3f>> frames, bool big_endian,
                           const fs::path& path) {
  for (const std::vector<Vec3f>& frame : frames) {
    if (frame.size() != frames[0].size()) return Error{path.string(), "would have frames of different sizes", ""};
    for (const Vec3f& p : frame) {
      for (const float c : {p.x, p.y, p.z}) append_number(out, c, big_endian);
    }
  }
  return {};
}

/// The last run of digits in a file's name.
std::optional<std::uint64_t> frame_number(const fs::path& path) {
  const std::string stem = path.stem().string();
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end = stem.size();
  while (end > 0 && !digit(stem[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && digit(stem[begin - 1])) --begin;
  return to_number<std::uint64_t>(std::string_view(stem).substr(begin, end - begin));
}

bool is_cache_file(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".mdd" || extension == ".pc2";
}

}  // namespace

bool is_surface_file(const fs::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".obj" || extension == ".ply";
}

Result<Mesh> read_surface(const fs::path& path) {
  if (lower_extension(path) == ".ply") return read_ply(path);
  auto model = read_obj(path);
  if (!model) return model.error();
  return std::move(model->part.mesh);
}

Result<VertexCache> VertexCache::open(const fs::path& path, double frames_per_second) {
  if (!(frames_per_second > 0)) return Error{"frames per second", "must be more than 0", ""};
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    VertexCache cache;
    cache.path_ = path;
    if (auto opened = cache.open_sequence(frames_per_second); !opened) return opened.error();
    if (auto timed = cache.check_times(); !timed) return timed.error();
    return cache;
  }
  if (!is_cache_file(path))
    return Error{path.string(), "is no vertex cache", "use .mdd, .pc2 or a folder of numbered .obj or .ply files"};
  auto mapped = MappedFile::open(path);
  if (!mapped) return mapped.error();
  const auto file = std::make_shared<const MappedFile>(std::move(*mapped));
  return parse(file->bytes(), path, frames_per_second, file);
}

Result<VertexCache> VertexCache::parse(std::span<const std::byte> bytes, const fs::path& name, double frames_per_second,
                                       std::shared_ptr<const void> owner) {
  VertexCache cache;
  cache.path_ = name;
  cache.bytes_ = bytes;
  cache.owner_ = std::move(owner);
  auto opened = lower_extension(name) == ".mdd" ? cache.open_mdd() : cache.open_pc2(frames_per_second);
  if (!opened) return opened.error();
  if (auto timed = cache.check_times(); !timed) return timed.error();
  return cache;
}

Result<void> VertexCache::check_times() const {
  if (times_.empty()) return Error{path_.string(), "has no frames", ""};
  for (std::size_t f = 0; f < frames(); ++f) {
    if (!std::isfinite(times_[f])) return Error{label(f), "has a time that is not a number", ""};
  }
  return {};
}

/// int32 frames, int32 vertices, float32 seconds of each frame, then x y z of each vertex of each frame; big-endian.
Result<void> VertexCache::open_mdd() {
  big_endian_ = true;
  const auto bytes = bytes_;
  if (bytes.size() < mdd_header) return Error{path_.string(), "is too short for an MDD file", ""};
  const auto frames = read_number<std::int32_t>(bytes, 0, true), vertices = read_number<std::int32_t>(bytes, 4, true);
  if (frames < 0 || vertices <= 0) return Error{path_.string(), "is not an MDD file: its counts make no sense", ""};
  vertices_ = static_cast<std::size_t>(vertices);
  data_ = mdd_header + 4 * static_cast<std::size_t>(frames);
  if (auto ok = check_length(static_cast<std::size_t>(frames)); !ok) return ok;
  for (std::size_t f = 0; f < static_cast<std::size_t>(frames); ++f)
    times_.push_back(static_cast<double>(read_number<float>(bytes, mdd_header + 4 * f, true)));
  return {};
}

/// "POINTCACHE2", int32 version, int32 vertices, float32 first frame, float32 frames per sample, int32 samples, then
/// positions; little-endian.
Result<void> VertexCache::open_pc2(double frames_per_second) {
  const auto bytes = bytes_;
  if (bytes.size() < pc2_header || std::memcmp(bytes.data(), pc2_magic.data(), pc2_magic.size()) != 0)
    return Error{path_.string(), "is not a PC2 file", ""};
  const auto vertices = read_number<std::int32_t>(bytes, 16, false),
             samples = read_number<std::int32_t>(bytes, 28, false);
  const auto start = read_number<float>(bytes, 20, false), step = read_number<float>(bytes, 24, false);
  if (samples < 0 || vertices <= 0) return Error{path_.string(), "has counts that make no sense", ""};
  vertices_ = static_cast<std::size_t>(vertices);
  data_ = pc2_header;
  if (auto ok = check_length(static_cast<std::size_t>(samples)); !ok) return ok;
  for (std::int32_t f = 0; f < samples; ++f)
    times_.push_back((static_cast<double>(start) + f * static_cast<double>(step)) / frames_per_second);
  return {};
}

Result<void> VertexCache::check_length(std::size_t frames) const {
  // Counts come from the file: their product may not fit a number.
  const std::size_t held = bytes_.size(), frame = vertices_ * sizeof(Vec3f);
  if (held >= data_ && (held - data_) % frame == 0 && (held - data_) / frame == frames) return {};
  return Error{path_.string(),
               "has " + std::to_string(held) + " bytes, which are not " + std::to_string(frames) + " frames of " +
                   std::to_string(vertices_) + " vertices",
               "the file was cut short or is damaged"};
}

Result<void> VertexCache::open_sequence(double frames_per_second) {
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, failed)) {
    if (!is_surface_file(entry.path())) continue;
    const auto number = frame_number(entry.path());
    if (!number)
      return Error{entry.path().string(), "has no frame number in its name", "name files walk_0001.obj, ..."};
    found.emplace_back(*number, entry.path());
  }
  if (failed) return Error{path_.string(), "cannot be listed: " + failed.message(), ""};
  std::sort(found.begin(), found.end());
  for (std::size_t f = 0; f < found.size(); ++f) {
    if (f > 0 && found[f].first == found[f - 1].first)
      return Error{found[f].second.string(), "has the frame number of " + found[f - 1].second.filename().string(), ""};
    times_.push_back(static_cast<double>(found[f].first) / frames_per_second);
    files_.push_back(std::move(found[f].second));
  }
  return {};
}

std::string VertexCache::label(std::size_t frame) const {
  return files_.empty() ? path_.string() + ", frame " + std::to_string(frame) : files_[frame].string();
}

Result<Mesh> VertexCache::read(std::size_t frame) const {
  if (!files_.empty()) return read_surface(files_[frame]);
  Mesh mesh;
  mesh.positions.resize(vertices_);
  const auto bytes = bytes_.subspan(data_ + frame * vertices_ * sizeof(Vec3f), vertices_ * sizeof(Vec3f));
  for (std::size_t v = 0; v < vertices_; ++v) {
    for (std::size_t c = 0; c < 3; ++c)
      mesh.positions[v][c] = read_number<float>(bytes, v * sizeof(Vec3f) + 4 * c, big_endian_);
  }
  return mesh;
}

Result<void> write_mdd(const fs::path& path, std::span<const double> times,
                       std::span<const std::vector<Vec3f>> frames) {
  if (times.size() != frames.size()) return Error{path.string(), "needs one time for each frame", ""};
  std::string out;
  append_number(out, static_cast<std::int32_t>(frames.size()), true);
  append_number(out, static_cast<std::int32_t>(frames.empty() ? 0 : frames[0].size()), true);
  for (const double t : times) append_number(out, static_cast<float>(t), true);
  if (auto ok = append_frames(out, frames, true, path); !ok) return ok;
  return write_file(path, out);
}

Result<void> write_pc2(const fs::path& path, float start_frame, float frame_step,
                       std::span<const std::vector<Vec3f>> frames) {
  std::string out(pc2_magic);
  append_number(out, std::int32_t{1}, false);
  append_number(out, static_cast<std::int32_t>(frames.empty() ? 0 : frames[0].size()), false);
  append_number(out, start_frame, false);
  append_number(out, frame_step, false);
  append_number(out, static_cast<std::int32_t>(frames.size()), false);
  if (auto ok = append_frames(out, frames, false, path); !ok) return ok;
  return write_file(path, out);
}

}  // namespace supple
