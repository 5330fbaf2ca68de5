// Poses that were not scanned, put together from those that were: each finger as one of the scans has it.
#pragma once

#include <string>
#include <vector>

#include "supple/rig/example_set.h"

namespace supple::workflow {

struct MixedPose {
  std::string caption;  // "index finger straight, the others bent"
  Pose pose;
  std::string nearest_scan;
  double nearest = 0;  // radians: the joint that differs most from the nearest scan
};

/// One finger straight and the others bent, for each finger; poses that a scan already shows are left out. The one that
/// is farthest from all scans is first.
std::vector<MixedPose> one_straight_poses(const ExampleSet& set);

/// A choice of poses to look at: fists, pointing, and every finger from another scan.
std::vector<MixedPose> poses_to_look_at(const ExampleSet& set);

}  // namespace supple::workflow
