// Morph targets packed for the frame loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// Offsets of many targets, each of which moves few vertices. Vertices come in blocks of 16, in their own order; a
/// block has an entry for every target that moves any of its vertices. Neighbours in a mesh mostly share their targets,
/// so few zeros are stored, and adding a target to a block is one straight run over 48 numbers. These are 16-bit: what
/// a frame costs is reading them.
struct BlockOffsets {
  static constexpr std::uint32_t block_vertices = 16, block_numbers = 3 * block_vertices;
  struct alignas(32) Block {
    std::int16_t values[block_numbers];  // x y z of each vertex in turn, in units of the entry's scale
  };
  std::vector<std::uint32_t> first;    // #blocks + 1: entries of each block
  std::vector<std::uint32_t> targets;  // #entries, not decreasing within a block
  std::vector<float> scales;           // #entries
  std::vector<Block> blocks;           // #entries
};

/// Immutable.
struct MorphTable {
  std::uint32_t vertex_count = 0, target_count = 0;
  BlockOffsets positions, normals;
};

/// The targets must fit the vertices (see validate(Character)). Blocks in which a target is zero throughout are left
/// out. Where 16 bits would leave an error above `tolerance` (metres; normals: 1e-5), a second entry holds what is
/// missing, so that with a tolerance of 0 nothing is lost but the rounding of float.
MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance = 0);

}  // namespace supple
