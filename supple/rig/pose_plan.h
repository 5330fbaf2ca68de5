// Pose plans: which poses of a rig are to be simulated or sculpted, and in which order they are walked through.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/rig/pose.h"
#include "supple/rig/role.h"

namespace supple {

/// How far one joint is turned about one degree of freedom: its name in the rig, or "x", "y", "z" for the joint's own
/// axes in its rest frame.
struct JointAngles {
  std::string joint, dof;
  float radians = 0;
  friend bool operator==(const JointAngles&, const JointAngles&) = default;
};

/// Joints that are not named stay at rest.
struct PlannedPose {
  std::string name;
  std::vector<JointAngles> angles{};
  Role role = Role::train;
  float weight = 1;
  std::vector<std::string> tags{};  // make_plan: "axis", "off-axis", "coupled", "between", "random", "grip"
  friend bool operator==(const PlannedPose&, const PlannedPose&) = default;
};

/// Poses walked through in order from rest: each starts from the one before it, or, where simulated flesh went wrong in
/// that one, from the last one in which it did not. Independent of every other sweep, so
/// that a sweep is one task of a farm.
struct Sweep {
  std::string name;
  std::vector<PlannedPose> poses{};
  friend bool operator==(const Sweep&, const Sweep&) = default;
};

struct PosePlan {
  std::vector<Sweep> sweeps;

  std::size_t pose_count() const;
  std::size_t pose_count(Role role) const;
  friend bool operator==(const PosePlan&, const PosePlan&) = default;
};

class Crowding;

struct PlanOptions {
  int poses_per_dof = 6;     // training poses along each degree of freedom, both sides of rest together
  double min_spacing = 10;   // degrees between them at least, so that small ranges get fewer
  bool off_axis = true;      // six more for joints with several degrees of freedom, along the diagonals
  int coupled = 0;           // training poses that turn several joints at once
  int held_out_between = 1;  // test poses per degree of freedom, half-way between training angles
  int held_out_random = 10;  // test poses that turn several joints at once
  int grips = 24;            // training poses that turn all joints at once: grips, pinches, pointing, spreading
  int held_out_grips = 6;    // test poses of that kind
  std::uint64_t seed = 1;    // of the random ones
  std::vector<std::string> joints{};  // only these; empty: all that have degrees of freedom
  double range_scale = 1;             // factor on the limits, in (0, 1]
  double default_range = 0;           // degrees each way about x, y and z for `joints` without degrees of freedom
};

/// Walks every degree of freedom from rest to each of its limits, at equal spacing and with both ends. Angles are
/// multiples of 0.01 degree. Poses of several joints are drawn again where limbs would pass through each other, as far
/// as `crowding` can tell. The same options give the same plan everywhere.
Result<PosePlan> make_plan(const Skeleton& skeleton, const PlanOptions& options = {},
                           const Crowding* crowding = nullptr);

/// Whether a rig can do what a plan asks: names the sweep, the pose and the joint at fault. Angles beyond a joint's
/// limits are told as warnings.
Result<void> validate(const PosePlan& plan, const Skeleton& skeleton, Warnings* warnings = nullptr);

/// Of a plan that is valid for the skeleton: degrees of freedom in the rig's order, then turns about own axes in the
/// order given.
Pose pose_of(const PlannedPose& planned, const Skeleton& skeleton);

/// Radians that a sweep travels: for each step the largest change of an angle. Simulation time grows with it.
double length(const Sweep& sweep);

}  // namespace supple
