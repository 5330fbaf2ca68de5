// Clips of motions that are given as a pose for every instant.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "supple/rig/clip.h"

namespace supple::make {

struct Recording {
  std::string name;
  double seconds = 1;
  double keys_per_second = 30;
  bool loops = false;  // the last key is the first one, to the bit
};

/// Keys the rotations and translations of the joints that leave their rest transform at some key; a key also lies at
/// the very end, where `seconds` need not be a whole number of keys.
Clip record_clip(const Recording& recording, const Skeleton& skeleton, const std::function<Pose(double)>& pose_at);

/// Minimum-jerk profile from 0 to 1 for t in [0, 1], constant beyond: velocity and acceleration vanish at both ends, as
/// in reaching movements.
inline double eased(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * t * (10 - 15 * t + 6 * t * t);
}

}  // namespace supple::make
