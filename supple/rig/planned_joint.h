// How far a joint may be turned in a plan.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "supple/rig/pose_plan.h"

namespace supple {

/// Limits of one degree of freedom, in degrees.
struct Range {
  std::string dof;
  double min = 0, max = 0;
  double farther() const { return std::abs(min) > std::abs(max) ? min : max; }  // the limit with more way to it
};

struct PlannedJoint {
  std::string name;
  JointIndex joint = 0;
  std::vector<Range> ranges;
};

/// Plans are read by people: two decimals are finer than any joint is known.
inline double rounded(double degrees) { return std::round(degrees * 100) / 100; }

inline JointAngles turn(const std::string& joint, const std::string& dof, double degrees) {
  return {joint, dof, static_cast<float>(degrees * std::numbers::pi / 180)};
}

}  // namespace supple
