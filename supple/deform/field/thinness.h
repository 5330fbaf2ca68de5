// Where skin lies much closer to its bone than other skin of the same limb: legs in a tunic. How deep flesh is must be
// judged there by what is there, piece by piece and along the bone.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/field/limbs.h"

namespace supple {

/// #V of the body, 0 to 1: by how much less than `depths` (#limbs, metres) flesh is to count as deep about a vertex.
/// What lies around the bone at the same height, of the same connected piece, is judged together: a back that is near
/// its spine is as deep as the belly on the other side. 1 down to three tenths of the depth, as bodies taper; smooth
/// over the surface. Empty where it is 1 everywhere.
std::vector<float> thinness_of_skin(const FleshBody& body, std::span<const Limb> limbs, std::span<const double> depths);

/// #V of the body, 0 to 1: skin that hangs loose about a piece of the same limb which is as much thinner: the tunic
/// about the legs. It is cloth, not flesh; no volume is kept between it and the bone. Smooth over the surface; empty
/// where there is none.
std::vector<float> looseness_of_skin(const FleshBody& body, std::span<const Limb> limbs,
                                     std::span<const double> depths);

}  // namespace supple
