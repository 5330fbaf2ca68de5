// How the procedural body moves: walking, running and jumping.
#pragma once

#include "supple/rig/clip.h"

namespace supple::make {

/// One stride a second, in place: the feet travel backwards over the ground as on a treadmill.
Clip walk_clip(const Skeleton& skeleton);
/// A stride in 0.7 s with two flights in it, in place.
Clip run_clip(const Skeleton& skeleton);
/// Crouches, jumps 0.35 metres high, lands and stands up again; the hips are a free body in the air.
Clip jump_clip(const Skeleton& skeleton);

}  // namespace supple::make
