// Several skinned parts made one, so that what knows one skin can work on all of them as on the surface they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

enum class Seams : std::uint8_t {
  kept,    // vertices lie one after another, as the parts have them
  merged,  // vertices of two parts that cannot be told apart (position, normal, weights) are one
};

struct MergedParts {
  std::vector<std::size_t> parts;                    // of the character that they come from
  std::vector<std::vector<std::uint32_t>> vertices;  // #parts by #V: the vertex of the merged part that each is
  /// The skeleton, the merged part as part 0, and what it needs: its skin, its morph targets at their rest weights, the
  /// materials. No clips and no deformers.
  Character character;

  const Part& part() const { return character.parts[0]; }
};

/// `parts` are skinned; `others` follow the merged part as they are, but for their morph targets. Vertices that morph
/// targets move are never merged: two meshes have weights of their own.
MergedParts merge_parts(const Character& character, std::vector<std::size_t> parts, Seams seams,
                        std::span<const std::size_t> others = {});

/// The parts in groups, each rising, the one of the first part first: those of a group share places of vertices at
/// rest, one with the next.
std::vector<std::vector<std::size_t>> joined_surfaces(const Character& character, std::span<const std::size_t> parts);

/// Those of `candidates` that share places of vertices at rest with some of `parts`.
std::vector<std::size_t> bordering_parts(const Character& character, std::span<const std::size_t> parts,
                                         std::span<const std::size_t> candidates);

/// Whether vertices follow one joint each, but for a few: then nothing of the part bends.
bool is_rigid(const Part& part);

}  // namespace supple
