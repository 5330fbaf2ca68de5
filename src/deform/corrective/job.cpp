#include "supple/deform/corrective/job.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t blocks_at_once = 256;

/// Flat floats: an offset is added lane by lane, so vertices need no unpacking.
void add_modes(const BlockDeltas& deltas, std::span<const float> coordinates, std::span<const Vec3f> in,
               std::span<Vec3f> out, std::size_t first_block, std::size_t last_block) {
  const float* from = in.empty() ? nullptr : &in[0].x;
  float* to = out.empty() ? nullptr : &out[0].x;
  for (std::size_t b = first_block; b < last_block; ++b) {
    const std::size_t begin = b * BlockDeltas::block_floats;
    const std::size_t count = std::min<std::size_t>(BlockDeltas::block_floats, 3 * in.size() - begin);
    float sum[BlockDeltas::block_floats] = {};
    std::memcpy(sum, from + begin, count * sizeof(float));
    for (std::uint32_t e = deltas.first[b]; e < deltas.first[b + 1]; ++e) {
      const float alpha = coordinates[deltas.modes[e]];
      const float* offset = &deltas.offsets[std::size_t{e} * BlockDeltas::block_floats];
      for (std::size_t i = 0; i < BlockDeltas::block_floats; ++i) sum[i] += alpha * offset[i];
    }
    std::memcpy(to + begin, sum, count * sizeof(float));
  }
}

}  // namespace

Result<void> CorrectiveJob::validate() const {
  if (table == nullptr) return Error{"corrective job", "has no table", ""};
  if (coordinates.size() != table->mode_count)
    return Error{"corrective job",
                 "has " + std::to_string(coordinates.size()) + " coordinates for " + std::to_string(table->mode_count) +
                     " modes",
                 ""};
  const auto fits = [&](std::size_t size) { return size == table->vertex_count; };
  if (!fits(positions.size()) || !fits(out_positions.size()))
    return Error{"corrective job", "positions do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  if (normals.size() != out_normals.size() || (!normals.empty() && !fits(normals.size())))
    return Error{"corrective job", "normals do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  return {};
}

void CorrectiveJob::run() const {
  const std::size_t blocks = table->positions.first.size() - 1;
  parallel_for(
      blocks, blocks_at_once,
      [&](std::size_t begin, std::size_t end) {
        add_modes(table->positions, coordinates, positions, out_positions, begin, end);
        if (normals.empty()) return;
        if (table->normals.first.empty()) {
          const std::size_t first = begin * BlockDeltas::block_vertices;
          const std::size_t last = std::min<std::size_t>(end * BlockDeltas::block_vertices, normals.size());
          std::copy(normals.begin() + static_cast<std::ptrdiff_t>(first),
                    normals.begin() + static_cast<std::ptrdiff_t>(last),
                    out_normals.begin() + static_cast<std::ptrdiff_t>(first));
          return;
        }
        add_modes(table->normals, coordinates, normals, out_normals, begin, end);
      },
      threads);
}

}  // namespace supple
