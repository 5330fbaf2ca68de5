// Bones for rigs that have none: capsules fitted along the joints, inside the skin.
#pragma once

#include <optional>

#include "supple/geometry/bvh.h"
#include "supple/rig/bind.h"

namespace supple::simulate {

struct Capsule {
  Vec3d from{}, to{};  // ends of the axis
  double radius = 0;
};

/// Runs from near the bone's head to near its tail, leaving room for the joints, as thick as `fraction` of the typical
/// distance from its axis to the skin. None where the bone's axis does not run inside the skin.
std::optional<Capsule> fit_capsule(const Bone& bone, const Bvh& skin, double fraction);

/// Closed, counter-clockwise seen from outside.
Mesh capsule_surface(const Capsule& capsule);

}  // namespace supple::simulate
