// The recipe of flesh that a character carries: what a file says of its elements, as people write it.
#pragma once

#include "supple/rig/character.h"
#include "supple/rig/flesh_recipe.h"

namespace supple {

/// Springs, masses, limits and contacts are the elements' own. What a file does not keep (thickness and attenuation of
/// the regions, vertices that were picked) is left to the defaults: attach_flesh() makes the same weights of it only
/// where these were used.
FleshRecipe carried_flesh_recipe(const Character& character, double unit);

}  // namespace supple
