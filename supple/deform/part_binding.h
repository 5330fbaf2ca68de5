// What skinning reads of a part, whether it is bound to many joints or rides on one node.
#pragma once

#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// The part's own binding; of a rigid part its node alone, of a part on no node nothing.
SkinBinding binding_of(const Character& character, const Part& part);
/// Entries of the palette that the part needs: at least one, since a part on no node follows a palette of the identity.
std::size_t palette_size(const SkinBinding& binding);
/// The part's own weights, or every vertex on joint 0.
SkinWeights weights_of(const Part& part);
/// The part's own, or those of its surface, with vertices at one place sharing theirs.
std::vector<Vec3f> rest_normals(const Part& part);

}  // namespace supple
