// Skin weights packed for the frame loop: what linear and dual quaternion skinning read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/rig/skin_weights.h"

namespace supple {

/// Immutable. Neighbouring vertices form runs with one number of influences each, so that a kernel specialised for that
/// number streams through them; a vertex with fewer is padded with weight 0.
struct SkinTable {
  struct Run {
    std::uint32_t first_vertex, vertices;
    std::uint32_t influences;   // per vertex, >= 1
    std::uint32_t first_entry;  // in joints and weights
  };
  std::vector<Run> runs;              // in vertex order, covering every vertex once
  std::vector<std::uint16_t> joints;  // #entries, places in the palette; heaviest influence of a vertex first
  std::vector<float> weights;         // #entries, summing to 1 for each vertex
  std::vector<std::array<std::uint16_t, 2>>
      pairs;  // every joint that shares a vertex with a heavier one: (heaviest, it)
  std::uint32_t vertex_count = 0;
  std::uint32_t joint_count = 0;  // joints the palette must have
};

/// Packs cleaned weights (see clean()). The error names the vertex with a joint out of range or weights that do not sum
/// to one. At most 65536 joints.
Result<SkinTable> build_skin_table(const SkinWeights& weights, std::size_t joint_count);

}  // namespace supple
