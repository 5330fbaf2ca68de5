#include "supple/deform/morph/job.h"

#include <algorithm>
#include <string>

#include "supple/base/parallel.h"

namespace supple {
namespace {

constexpr std::size_t morph_blocks_at_once = 256;

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
  const kernel::WeightedOffsets offsets = weighted(*table, weights);
  parallel_for(
      table->plain.size(), morph_blocks_at_once,
      [&](std::size_t begin, std::size_t end) {
        const std::size_t first = begin * MorphTable::block_vertices;
        const std::size_t count = std::min<std::size_t>(end * MorphTable::block_vertices, positions.size()) - first;
        best.morph({.offsets = &offsets,
                    .first_block = begin,
                    .vertices = count,
                    .positions = &positions[first].x,
                    .normals = normals.empty() ? nullptr : &normals[first].x,
                    .out_positions = &out_positions[first].x,
                    .out_normals = normals.empty() ? nullptr : &out_normals[first].x});
      },
      threads);
}

kernel::WeightedOffsets weighted(const MorphTable& table, std::span<const float> weights) {
  static_assert(sizeof(MorphTable::Unit) == 2 * sizeof(float) &&
                sizeof(MorphTable::Entry) == 48 * sizeof(std::int32_t));
  return {.first = table.first.data(),
          .plain = table.plain.data(),
          .units = &table.units.data()->position,
          .targets = table.targets.data(),
          .pairs = table.entries.empty() ? nullptr : table.entries[0].pairs,
          .weights = weights.data()};
}

}  // namespace supple
