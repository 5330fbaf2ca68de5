// Which vertices of a part which muscles may move, and how far: m_jk of equation 16, packed for the frame loop.
#pragma once

#include "supple/deform/vortex/kernel.h"
#include "supple/rig/character.h"

namespace supple {

/// Groups of vertices that lie together, without those that no muscle moves. Immutable.
struct MuscleWeights {
  static constexpr std::uint32_t all_one = 0xffffffffu;
  struct Entry {
    std::uint32_t muscle = 0;
    std::uint32_t weights = all_one;  // of vortex::lanes in MuscleWeights::weights
  };
  std::uint32_t vertex_count = 0;       // of the part
  std::vector<std::uint32_t> vertices;  // vortex::lanes of each group; the last one repeated to fill it
  std::vector<std::uint32_t> first{0};  // #groups + 1: entries of each
  std::vector<Entry> entries;           // by muscle within a group
  std::vector<float> weights;

  std::size_t groups() const { return first.size() - 1; }
};

/// By skin_weights where a muscle has them, else by how much skin follows its skin_joints and their flesh twins, else
/// all of it.
MuscleWeights build_muscle_weights(const Character& character, std::size_t part);

}  // namespace supple
