// What kinodynamic skinning leaves out of a character.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// A part that flows is carried from its rest shape: morph targets that no deformer moves, such as those of a face, do
/// not show then. Tells of each part that has some.
void warn_of_hidden_morphs(const Character& character, Warnings& warnings);

}  // namespace supple
