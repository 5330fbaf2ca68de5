// Fewer vertices with the least change of shape.
#pragma once

#include "supple/geometry/mesh.h"

namespace supple {

/// Collapses the edges that cost least by quadric error (Garland and Heckbert, Surface Simplification Using Quadric
/// Error Metrics, 1997) until `vertices` are left, or none can go without folding or pinching the surface. `mesh` must
/// be closed and manifold; so is the result, with the same number of parts and handles. Normals are not kept.
Result<Mesh> simplify(const Mesh& mesh, std::size_t vertices);

}  // namespace supple
