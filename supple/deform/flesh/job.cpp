#include "supple/deform/flesh/job.h"

#include <algorithm>
#include <cstring>

#include "supple/base/parallel.h"

namespace supple {
namespace {

/// Four lanes, as every processor that we run on has them.
using FourFloats = float __attribute__((vector_size(16)));

FourFloats load(const float* from) {
  FourFloats lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// What a shift is along twelve coordinates, those of four vertices.
struct Pattern {
  FourFloats xyzx, yzxy, zxyz;
  explicit Pattern(Vec3f s) : xyzx{s.x, s.y, s.z, s.x}, yzxy{s.y, s.z, s.x, s.y}, zxyz{s.z, s.x, s.y, s.z} {}
};

void shift_block(const float* weights, const Pattern& shift, float* xyz) {
  for (std::size_t v = 0; v < FleshTable::block_vertices; v += 4, xyz += 12) {
    const FourFloats w = load(weights + v);
    const FourFloats first = load(xyz) + __builtin_shufflevector(w, w, 0, 0, 0, 1) * shift.xyzx;
    const FourFloats second = load(xyz + 4) + __builtin_shufflevector(w, w, 1, 1, 2, 2) * shift.yzxy;
    const FourFloats third = load(xyz + 8) + __builtin_shufflevector(w, w, 2, 3, 3, 3) * shift.zxyz;
    std::memcpy(xyz, &first, sizeof first);
    std::memcpy(xyz + 4, &second, sizeof second);
    std::memcpy(xyz + 8, &third, sizeof third);
  }
}

void turn(const FleshMotion& motion, const Mat3f& rotation, float weight, Vec3f& position, Vec3f* normal) {
  const Vec3f arm = position - motion.origin;
  position += (motion.shift + rotation * arm - arm) * weight;
  if (normal != nullptr) *normal = normalized(*normal + (rotation * *normal - *normal) * weight, *normal);
}

class Layer {
 public:
  Layer(const FleshJob& job, std::size_t element)
      : job_(job),
        motion_(job.motions[element]),
        pattern_(motion_.shift),
        rotation_(motion_.twist != 0 ? to_matrix(from_axis_angle(motion_.axis, motion_.twist)) : Mat3f{}) {}

  void apply(std::size_t entry) const {
    const float* weights = job_.table->entries[entry].weights;
    const std::size_t first = std::size_t{job_.table->blocks[entry]} * FleshTable::block_vertices;
    const std::size_t count = std::min<std::size_t>(FleshTable::block_vertices, job_.positions.size() - first);
    if (motion_.twist != 0) {
      for (std::size_t v = 0; v < count; ++v)
        turn(motion_, rotation_, weights[v], job_.positions[first + v],
             job_.normals.empty() ? nullptr : &job_.normals[first + v]);
    } else if (count == FleshTable::block_vertices) {
      shift_block(weights, pattern_, &job_.positions[first].x);
    } else {
      for (std::size_t v = 0; v < count; ++v) job_.positions[first + v] += motion_.shift * weights[v];
    }
  }

 private:
  const FleshJob& job_;
  const FleshMotion& motion_;
  Pattern pattern_;
  Mat3f rotation_;
};

}  // namespace

Result<void> FleshJob::validate() const {
  const auto wrong = [](const char* problem) { return Error{"flesh job", problem, ""}; };
  if (table == nullptr) return wrong("has no table");
  if (motions.size() != table->element_count) return wrong("does not have one motion per element");
  if (positions.size() != table->vertex_count) return wrong("does not have one position per vertex");
  if (!normals.empty() && normals.size() != positions.size()) return wrong("does not have one normal per vertex");
  return {};
}

void FleshJob::run() const {
  constexpr std::size_t chunk = 256;  // entries: 4096 vertices, worth a thread
  for (std::size_t e = 0; e < table->element_count; ++e) {
    if (motions[e].shift == Vec3f{} && motions[e].twist == 0) continue;
    const Layer layer(*this, e);
    const std::size_t first = table->first[e];
    parallel_for(
        table->first[e + 1] - first, chunk,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) layer.apply(first + i);
        },
        threads);
  }
}

}  // namespace supple
