// The list of all deformers. In which order they act on a frame says supple/deform/pipeline.h.
#pragma once

#include "supple/rig/character.h"
#include "supple/rig/deformer_kind.h"

namespace supple {

std::span<const DeformerKind* const> deformers();

/// The kind as a command names it: pose-space.
std::string word_for(const DeformerKind& kind);

/// Every deformer that the character carries is sound, and no two move the same morph weight.
Result<void> check_deformers(const Character& character);

/// Which morph weights some deformer moves. #morph weights.
std::vector<bool> moved_weights(const Character& character);

/// Takes all of them out; skin weights, morph targets and clips stay as they are.
void clear_deformers(Character& character);

/// Morph weight w is now place[w], for all of them.
void renumber_weights(Character& character, std::span<const std::uint32_t> place);

}  // namespace supple
