// Surfaces of labels moved to the edges of the image that they were drawn over.
#pragma once

#include "supple/geometry/mesh.h"
#include "supple/geometry/volume.h"

namespace supple::scan {

/// A label is true to half a sample; the image shows where within it the bone ends. Every vertex of `surface` (closed,
/// with normals) moves along its normal, by one sample at most, to where the image changes as it does around this bone
/// on the whole, from outside to inside; where it does not, the vertex goes with its neighbours. Nothing moves where
/// the image shows no edge. `fixed`: #V, vertices that stay, such as those that touch another bone.
void refine(Mesh& surface, const Volume& image, const std::vector<bool>& fixed);

}  // namespace supple::scan
