// Skin weights packed for the frame loop: what linear and dual quaternion skinning read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/rig/skin_weights.h"

namespace supple {

/// Immutable. Vertices come in blocks of 16, in their own order. Most blocks follow few joints: their weights are
/// stored densely, a row of 16 for every joint that any of their vertices follows, so that a kernel reads a joint once
/// for all of them and works across vertices. Where blocks follow many joints on the whole, every vertex has a list
/// instead, in runs with one number of influences each; a vertex with fewer is padded with weight 0. It is one or the
/// other for a whole mesh: both are right, but not to the same last bit, and vertices that were split along a seam must
/// stay together.
struct SkinTable {
  static constexpr std::uint32_t block_vertices = 16;
  /// Rows that blocks may have on the whole. Real characters mostly have 2 to 8. Where vertices have four influences
  /// each, and those of every quarter follow all joints of the block, rows cost as much as lists with 17 joints
  /// (AVX-512), 8 (AVX2), 6 (WebAssembly) or 5 (SSE2); for dual quaternions with more than 16, more than 16, 9 and 4.
  /// ARM was not measured.
#if defined(__x86_64__)
  static constexpr std::uint32_t most_rows = 12;
#else
  static constexpr std::uint32_t most_rows = 8;
#endif
  struct Run {
    std::uint32_t first_vertex, vertices;
    std::uint32_t influences;   // of each vertex; 0: in blocks
    std::uint32_t first_entry;  // in joints and weights, where influences > 0
  };
  struct alignas(64) Row {
    float weights[block_vertices];  // vertices beyond the last have 0
  };
  std::vector<Run> runs;  // in vertex order, covering every vertex once

  std::vector<std::uint32_t> block_rows;     // #blocks + 1: rows of each block, none where there are lists
  std::vector<std::uint16_t> block_joints;   // #rows, places in the palette, increasing within a block
  std::vector<std::uint8_t> block_quarters;  // #rows: bit q is set where any of vertices 4 q to 4 q + 3 has a weight
  std::vector<Row> block_weights;            // #rows, summing to 1 for each vertex

  std::vector<std::uint16_t> joints;  // #entries, places in the palette; heaviest influence of a vertex first
  std::vector<float> weights;         // #entries, summing to 1 for each vertex
  std::vector<std::array<std::uint16_t, 2>>
      pairs;  // every joint that shares a vertex with a heavier one: (heaviest, it)
  std::uint32_t vertex_count = 0;
  std::uint32_t joint_count = 0;  // joints the palette must have
};

/// How to pack: in blocks where that is faster, or a list for every vertex, which is what blocks are compared with.
enum class SkinLayout { blocks, lists };

/// Packs cleaned weights (see clean()). The error names the vertex with a joint out of range or weights that do not sum
/// to one. At most 65536 joints.
Result<SkinTable> build_skin_table(const SkinWeights& weights, std::size_t joint_count,
                                   SkinLayout layout = SkinLayout::blocks);

}  // namespace supple
