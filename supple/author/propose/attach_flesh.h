// From a recipe to flesh on a character: regions, weights and twin joints.
#pragma once

#include "supple/deform/flesh/split.h"
#include "supple/rig/character.h"
#include "supple/rig/flesh_recipe.h"

namespace supple {

/// What an element turned out to be.
struct FleshRegion {
  std::string name;
  std::size_t vertices = 0;  // that move with it
  double volume = 0;         // cubic metres
  double thickness = 0;      // of the bone: its radius, in the file's unit
};

/// Adds the recipe's elements to a character that has none, by its shape in the rest pose: twin joints at the end of
/// the skeleton, weights on them. Clips stay as they are: see bake_flesh(). The error names the element and what it
/// lacks; the character is then unchanged.
Result<std::vector<FleshRegion>> attach_flesh(Character& character, const FleshRecipe& recipe,
                                              Warnings* warnings = nullptr);

}  // namespace supple
