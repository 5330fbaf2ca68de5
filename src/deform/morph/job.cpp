#include "supple/deform/morph/job.h"

#include <algorithm>
#include <string>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t blocks_at_once = 256;

}  // namespace

Result<void> MorphJob::validate() const {
  if (table == nullptr) return Error{"morph job", "has no table", ""};
  if (weights.size() != table->target_count)
    return Error{"morph job",
                 "has " + std::to_string(weights.size()) + " weights for " + std::to_string(table->target_count) +
                     " morph targets",
                 ""};
  const auto fits = [&](std::size_t size) { return size == table->vertex_count; };
  if (!fits(positions.size()) || !fits(out_positions.size()))
    return Error{"morph job", "positions do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  if (normals.size() != out_normals.size() || (!normals.empty() && !fits(normals.size())))
    return Error{"morph job", "normals do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  return {};
}

void MorphJob::run() const {
  const kernel::Kernels& best = kernels != nullptr ? *kernels : kernel::best();
  const std::size_t blocks = table->positions.first.size() - 1;
  parallel_for(
      blocks, blocks_at_once,
      [&](std::size_t begin, std::size_t end) {
        const std::size_t first = begin * BlockOffsets::block_vertices;
        const std::size_t count = std::min<std::size_t>(end * BlockOffsets::block_vertices, positions.size()) - first;
        best.morph(blocks_of(table->positions, weights, begin, count, &positions[first].x, &out_positions[first].x));
        if (!normals.empty())
          best.morph(blocks_of(table->normals, weights, begin, count, &normals[first].x, &out_normals[first].x));
      },
      threads);
}

kernel::MorphBlocks blocks_of(const BlockOffsets& offsets, std::span<const float> weights, std::size_t first_block,
                              std::size_t vertices, const float* in, float* out) {
  return {.first = offsets.first.data(),
          .targets = offsets.targets.data(),
          .scales = offsets.scales.data(),
          .values = offsets.blocks.empty() ? nullptr : offsets.blocks[0].values,
          .weights = weights.data(),
          .first_block = first_block,
          .vertices = vertices,
          .in = in,
          .out = out};
}

}  // namespace supple
