// How the flesh between skin and bones is shared among the bones: each part of it goes to the bone that is nearest.
#pragma once

#include <span>

#include "supple/author/scan/naming.h"
#include "supple/geometry/solid_moments.h"

namespace supple::workflow {

/// One per bone, in the space of both, from cubes of 2 mm; all empty where there is no skin.
std::vector<SolidMoments> flesh_of_bones(const Mesh& skin, std::span<const scan::ScanBone> bones);

}  // namespace supple::workflow
