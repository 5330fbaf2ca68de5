// How much of its element's motion each vertex takes part in, packed for the frame loop.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/deform/flesh/split.h"

namespace supple {

/// Vertices come in blocks of 16, in their own order; a block has an entry for each element that moves any of them: a
/// cache line of weights, and one straight run over the block's 48 coordinates. Immutable.
struct FleshTable {
  static constexpr std::uint32_t block_vertices = 16;
  struct alignas(64) Entry {
    float weights[block_vertices];
  };
  std::uint32_t vertex_count = 0, element_count = 0;
  std::vector<std::uint32_t> first;   // #elements + 1: entries of each
  std::vector<std::uint32_t> blocks;  // #entries, increasing for each element
  std::vector<Entry> entries;
};

FleshTable build_flesh_table(std::span<const FleshEntry> flesh, std::size_t vertex_count, std::size_t element_count);

}  // namespace supple
