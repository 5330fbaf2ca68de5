// Morph targets packed for the frame loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/deform/morph/block.h"
#include "supple/rig/character.h"

namespace supple {

/// Offsets of many targets, each of which moves few vertices. Vertices come in blocks of 16, in their own order; a
/// block has an entry for every target that moves any of its vertices. Neighbours in a mesh mostly share their targets,
/// so few zeros are stored, and adding a target to a block is one straight run over 96 numbers. These are 16-bit, in
/// units of the block's: what a frame costs is reading them. Numbers of two targets stand side by side, so that
/// processors multiply both by their weights and add the products at once, exactly. Immutable.
struct MorphTable {
  static constexpr std::uint32_t block_vertices = 16;
  static constexpr double large = 32768;  // units of a large entry
  /// x of all vertices of the block, then y, then z: 65536 * (second number) + first number, each from -32767 to 32767.
  /// Two entries of a block in turn are those of two targets: numbers of the first and of the second one, in the first
  /// entry of the positions, in the second one of the normals. An odd last entry is its target's alone: numbers of the
  /// position and of the normal. Large entries are so paired, and the others.
  struct alignas(64) Entry {
    std::int32_t pairs[3 * block_vertices];
  };

  std::uint32_t vertex_count = 0, target_count = 0;
  bool exact = false;                  // weights of targets are not rounded to 16 bits
  std::vector<MorphBlock> blocks;      // #blocks
  std::vector<MorphList> lists;        // blocks in turn that have the same targets share one
  std::vector<std::uint32_t> targets;  // of lists, increasing among large ones and among the others
  std::vector<Entry> entries;
};

/// The targets must fit the vertices (see validate(Character)). Blocks in which a target is zero throughout are left
/// out. Offsets are exact to `tolerance` (metres; normals: 1e-4). Those for which 16 bits are not enough are split in
/// two: a large entry, and one that holds what it leaves. Weights are rounded too, for offsets that are not large: by
/// no more than 2^-16 of the sum of the magnitudes of the weights of a block, so that each offset is off by no more
/// than its tolerance times that sum. With a tolerance of 0 offsets are split and weights are not rounded: nothing is
/// lost but the rounding of float.
MorphTable build_morph_table(std::span<const MorphTarget> targets, std::size_t vertex_count, double tolerance = 0);

}  // namespace supple
