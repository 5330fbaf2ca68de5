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
  static constexpr double large = 32768;  // units of a large entry
  struct Unit {
    float position = 0, normal = 0;  // metres, or nothing, of each number
  };
  /// x of all vertices of the block, then y, then z: 65536 * (number of the normal) + 16 bits that are the number of
  /// the position. Shifted left by 16 it is the position's alone. As it stands it serves as the normal's: what the
  /// position leaves in the last 16 bits is allowed for in the number above them. So a register is taken apart by one
  /// shift.
  struct alignas(64) Entry {
    std::int32_t pairs[3 * block_vertices];
  };

  std::uint32_t vertex_count = 0, target_count = 0;
  std::vector<std::uint32_t> first;    // #blocks + 1: entries of each block, large ones before the others
  std::vector<std::uint32_t> plain;    // #blocks: where the others begin
  std::vector<Unit> units;             // #blocks
  std::vector<std::uint32_t> targets;  // #entries, increasing among either kind
  std::vector<Entry> entries;
};

/// The targets must fit the vertices (see validate(Character)). Blocks in which a target is zero throughout are left
/// out. Offsets are exact to `tolerance` (metres; normals: 1e-4). Those for which 16 bits are not enough are split in
/// two: a large entry, and one that holds what it leaves. With a tolerance of 0 all are, and nothing is lost but the
/// rounding of float.
MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance = 0);

}  // namespace supple
