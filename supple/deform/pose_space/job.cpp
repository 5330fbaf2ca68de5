#include "supple/deform/pose_space/job.h"

#include <algorithm>
#include <array>
#include <string>

#include "supple/base/parallel.h"
#include "supple/deform/pose_space/distances.h"

namespace supple {
namespace {

// About 400 KB of table and vertices with five examples: large against the cost of handing a chunk out.
constexpr std::size_t shape_blocks_at_once = 128;
static_assert(pose_space::lanes == PoseSpaceTable::block_vertices);
static_assert(pose_space::max_examples == PoseSpace::max_examples);

}  // namespace

Result<void> PoseSpaceJob::validate() const {
  if (table == nullptr) return Error{"pose space job", "has no table", ""};
  const auto fits = [&](std::size_t size) { return size == table->vertex_count; };
  if (!fits(positions.size()) || !fits(out_positions.size()))
    return Error{"pose space job", "positions do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  if (normals.size() != out_normals.size() || (!normals.empty() && !fits(normals.size())))
    return Error{"pose space job", "normals do not fit " + std::to_string(table->vertex_count) + " vertices", ""};
  const auto& joints = table->distances.joints;
  if (!joints.empty() && *std::max_element(joints.begin(), joints.end()) >= local.size())
    return Error{"pose space job", "the pose has too few joints", ""};
  if (scratch.size() < table->distances.size())
    return Error{"pose space job",
                 "has scratch memory for " + std::to_string(scratch.size()) + " of " +
                     std::to_string(table->distances.size()) + " angles",
                 ""};
  return {};
}

void PoseSpaceJob::run() const {
  const pose_space::Kernel& chosen = kernel != nullptr ? *kernel : pose_space::best();
  const std::size_t n = table->distances.examples;
  squared_angles(table->distances, local, scratch);
  std::array<float, PoseSpace::max_examples> base{};
  for (std::size_t k = 0; k < table->distances.joints.size(); ++k)
    for (std::size_t e = 0; e < n; ++e) base[e] += table->floor * scratch[k * n + e];
  parallel_for(
      table->blocks(), shape_blocks_at_once,
      [&](std::size_t begin, std::size_t end) {
        const std::size_t first = begin * pose_space::lanes;
        const std::size_t count = std::min<std::size_t>(end * pose_space::lanes, positions.size()) - first;
        chosen.add_examples({.examples = n,
                             .angles = scratch.data(),
                             .base = base.data(),
                             .first = table->first.data(),
                             .joints = table->joints.data(),
                             .influences = reinterpret_cast<const float*>(table->influences.data()),
                             .coefficients_of = table->coefficients_of.data(),
                             .coefficients = reinterpret_cast<const float*>(table->coefficients.data()),
                             .position_offsets = reinterpret_cast<const float*>(table->positions.data()),
                             .normal_offsets = reinterpret_cast<const float*>(table->normals.data()),
                             .first_block = begin,
                             .vertices = count,
                             .positions = &positions[first].x,
                             .normals = normals.empty() ? nullptr : &normals[first].x,
                             .out_positions = &out_positions[first].x,
                             .out_normals = normals.empty() ? nullptr : &out_normals[first].x,
                             .least_sum = PoseSpace::least_sum});
      },
      threads);
}

}  // namespace supple
