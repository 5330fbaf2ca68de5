// Morph targets packed for the frame loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// Offsets of many targets, each of which moves few vertices. Vertices come in blocks of 16, in their own order; a
/// block has an entry for every target that moves any of its vertices. Neighbours in a mesh mostly share their targets,
/// so few zeros are stored, and adding a target to a block is one straight run over 48 pairs of numbers. These are
/// 16-bit: what a frame costs is reading them. Their unit is the block's, so that the weight of a target is
/// all that multiplies them. Immutable.
struct MorphTable {
  static constexpr std::uint32_t block_vertices = 16;
  struct Unit {
    float position = 0, normal = 0;  // what 65536 stands for; in a fine entry 1 does
  };
  /// x y z of each vertex in turn: 65536 * (number of the normal) + 16 bits that are the number of the position.
  /// Shifted left by 16 it is the position's alone. As it stands it serves as the normal's: what the position leaves in
  /// the last 16 bits is allowed for in the number above them. So a register is taken apart by one shift.
  struct alignas(64) Entry {
    std::int32_t pairs[3 * block_vertices];
  };

  std::uint32_t vertex_count = 0, target_count = 0;
  std::vector<std::uint32_t> first;    // #blocks + 1: entries of each block, those in fine units before the others
  std::vector<std::uint32_t> coarse;   // #blocks: where the others begin
  std::vector<Unit> units;             // #blocks
  std::vector<std::uint32_t> targets;  // #entries, increasing among either kind
  std::vector<Entry> entries;
};

/// The targets must fit the vertices (see validate(Character)). Blocks in which a target is zero throughout are left
/// out. Where 16 bits would leave an error above `tolerance` (metres; normals: 1e-4), an entry in fine units holds what
/// is missing, so that with a tolerance of 0 nothing is lost but the rounding of float.
MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance = 0);

}  // namespace supple
