// Gaps that elements cannot resolve: between fingers that lie side by side flesh would grow together, and pull a bump
// out of one finger when the other bends.
#pragma once

#include <vector>

#include "supple/geometry/mesh.h"

namespace supple::simulate {

/// #V: how far below a closed skin flesh has to begin, so that a gap about as wide as an element lies between it and
/// what faces it; 0 where gaps are wider or nothing faces the skin. At most half an element, and a quarter of the
/// flesh's own thickness. In the skin's units, varying smoothly along it.
std::vector<float> depth_that_opens_gaps(const Mesh& closed_skin, double element_size);

}  // namespace supple::simulate
