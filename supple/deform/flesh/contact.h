// Flesh that meets balls, capsules and other flesh gives way.
#pragma once

#include <span>

#include "supple/deform/flesh/dynamics.h"

namespace supple {

/// What the springs of an element say together, metres in the world.
Vec3d shift_of(const FleshElement& element, const FleshElementState& state);
/// Adds to that, the same for each spring.
void push(const FleshElement& element, Vec3d by, FleshElementState& state);
/// Brings it back to what the element may do at most, leaving velocities as they are. Whether there was need to.
bool limit(const FleshElement& element, FleshElementState& state);

/// Moves elements out of colliders and of each other and takes away the speed at which they meet.
/// Flesh is a capsule about the virtual bone that moves with the element as a whole. Does not allocate.
void resolve_contacts(const Flesh& flesh, std::span<const Affinef> world, FleshState& state);

}  // namespace supple
