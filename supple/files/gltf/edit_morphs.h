// Putting morph targets that a mesh has gained or lost into its document, with all that counts them.
#pragma once

#include <span>

#include "supple/files/gltf/edit.h"

namespace supple::gltf {

/// Nodes that draw one mesh with skins, as a crowd of one soldier does, get a mesh each: what is learnt of one is not
/// the other's. Vertices stay shared in the file until they are changed.
void give_meshes_of_their_own(Document& document, Imported& imported);

/// Parts that are surfaces of one mesh, the given one first. The error says that two nodes draw the mesh: morph weights
/// of one could not be told from the other's.
Result<std::vector<std::size_t>> surfaces_of_mesh(const Imported& imported, std::size_t part);

/// Writes everything that append_morphs(), remove_driven_morphs() and bake_drivers() change of an imported character:
/// the `parts` of the mesh, its weights, all clips and the deformers that move morph weights. `imported` learns the new
/// places.
Result<void> put_morphs(Document& document, Imported& imported, std::span<const std::size_t> parts);

}  // namespace supple::gltf
