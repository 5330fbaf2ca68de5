// Skin weights with twin joints taken apart again.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// How much of a vertex an element carries along: it moves by weight * displacement (alpha_2 of the paper).
struct FleshEntry {
  std::uint32_t vertex = 0, element = 0;
  float weight = 0;
};

/// A part's skin weights: those of the bones alone, and what elements carry along.
struct SplitWeights {
  SkinWeights bones;              // twins have none
  std::vector<FleshEntry> flesh;  // by vertex, then element
};
SplitWeights split_flesh(const Character& character, const Part& part);

}  // namespace supple
