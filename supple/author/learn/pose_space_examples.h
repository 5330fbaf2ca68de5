// Which of many examples a pose space keeps, and how strictly it hits them.
#pragma once

#include <vector>

#include "supple/rig/character.h"

namespace supple::learn {

/// Examples in nearly the same pose: they become one, whose shape is the mean of theirs.
struct PoseGroup {
  std::vector<std::size_t> members;  // places among the settings, the first one tells the pose and the name
};

/// `settings`: of each example its rotations away from rest. Poses whose joints differ by two degrees in all are one;
/// of more than `most` groups, those are kept that lie farthest from each other and from rest, in the order of their
/// first members. The same groups whatever the number of threads.
std::vector<PoseGroup> pick_poses(const std::vector<std::vector<Quatf>>& settings, std::size_t most);

/// The least ridge with which no weight grows beyond 3 at any vertex, halfway from an example to its neighbour, to the
/// one farthest away and to rest, and half as far again beyond it: poses that are nearly equal, as a vertex sees them,
/// would otherwise pull against each other with weights of hundreds. 0 where none is needed.
float needed_ridge(const Character& character, const PoseSpace& space);

}  // namespace supple::learn
