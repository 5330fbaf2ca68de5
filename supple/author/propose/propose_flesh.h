// Which body parts of a rig could swing: a first recipe, to be edited.
#pragma once

#include "supple/rig/character.h"
#include "supple/rig/flesh_recipe.h"

namespace supple {

struct ProposalOptions {
  std::string preset = "soft";
  double unit = 1;  // metres per unit of the file
  /// Least flesh: usual depth over the bone by the bone's length, and share of the body's volume.
  double slenderness = 0.1, share = 0.02;
  std::size_t most = 12;  // elements, the largest first
  Hardness hardness{};    // what is hard is no flesh
};

/// An element for every stretch between two joints, or trunk between two branchings, that has enough flesh about it;
/// named by its driver. Hands, feet, tails and other ends are left alone. Bigger parts swing slower: frequencies go by
/// the preset, for a volume of five litres, and fall with the cube root of the volume. The error says that the
/// character has no skin, or nothing with enough flesh.
Result<FleshRecipe> propose_flesh(const Character& character, const ProposalOptions& options = {});

}  // namespace supple
