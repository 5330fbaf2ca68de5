// Plans from a rig's limits: sweeps along every degree of freedom, along the diagonals of joints that have several,
// random poses of several joints, and grips of all of them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "supple/base/rng.h"
#include "supple/rig/grip_sweeps.h"

namespace supple {
namespace {

/// One direction of a degree of freedom: from rest to a limit. `first` is not 0 where rest lies outside the limits.
struct Side {
  double first = 0, last = 0;
  double extent() const { return std::abs(last - first); }
};

constexpr int off_axis_poses = 6;
constexpr double off_axis_reach = 0.8;  // of the limits: corners of the box of limits are rarely anatomical
// Off-axis poses are there to tell how the axes go together: counted in full they would crowd the axes out of the first
// principal modes.
constexpr float off_axis_weight = 0.25f;
constexpr std::uint64_t coupled_seed = 0x9e3779b97f4a7c15u;  // training poses are not those that are tested with
constexpr std::uint64_t grip_seed = 0xbf58476d1ce4e5b9u, test_grip_seed = 0x94d049bb133111ebu;
constexpr double random_reach = 0.8;  // of the limits
constexpr std::size_t random_joints_max = 5;

/// "+40", "-7.5"
std::string signed_degrees(double degrees) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.6g", degrees);
  return text;
}

std::vector<Side> sides_of(const Range& range) {
  if (range.min > 0) return {{range.min, range.max}};
  if (range.max < 0) return {{range.max, range.min}};
  std::vector<Side> sides;
  if (range.max > 0) sides.push_back({0, range.max});
  if (range.min < 0) sides.push_back({0, range.min});
  return sides;
}

/// How many of a degree of freedom's poses each side gets: by extent, at least one, the longer side the rest.
std::vector<int> shares_of(const std::vector<Side>& sides, int poses) {
  if (sides.size() == 1) return {poses};
  const bool first_is_shorter = sides[0].extent() < sides[1].extent();
  const double shorter = (first_is_shorter ? sides[0] : sides[1]).extent();
  const int few = std::max(1, static_cast<int>(std::lround(poses * shorter / (sides[0].extent() + sides[1].extent()))));
  const int many = std::max(1, poses - few);
  return first_is_shorter ? std::vector<int>{few, many} : std::vector<int>{many, few};
}

/// Equal spacing up to and including the limit, without rest; with the first where that is a limit too.
std::vector<double> training_angles(const Side& side, int share, double min_spacing) {
  const auto room = static_cast<int>(side.extent() / min_spacing + 1e-6);
  const int count = std::max(1, std::min(share, room));
  std::vector<double> angles;
  if (side.first != 0) angles.push_back(rounded(side.first));
  for (int i = 1; i <= count; ++i) angles.push_back(rounded(side.first + (side.last - side.first) * i / count));
  angles.erase(std::unique(angles.begin(), angles.end()), angles.end());
  return angles;
}

/// A test angle, and the place among the sides where it belongs.
struct Between {
  std::size_t side = 0;
  double degrees = 0;
};

/// Half-way between neighbouring training angles, spread over the range. Half-way to rest only where nothing else is.
std::vector<Between> angles_between(const std::vector<std::vector<double>>& training, int wanted) {
  std::vector<Between> candidates, near_rest;
  for (std::size_t s = 0; s < training.size(); ++s) {
    near_rest.push_back({s, rounded(training[s].front() / 2)});
    for (std::size_t i = 1; i < training[s].size(); ++i) {
      candidates.push_back({s, rounded((training[s][i - 1] + training[s][i]) / 2)});
    }
  }
  const auto by_angle = [](const Between& a, const Between& b) { return a.degrees < b.degrees; };
  const auto by_size = [](const Between& a, const Between& b) { return std::abs(a.degrees) > std::abs(b.degrees); };
  std::stable_sort(near_rest.begin(), near_rest.end(), by_size);
  if (candidates.empty()) candidates.assign(near_rest.begin(), near_rest.begin() + 1);
  std::stable_sort(candidates.begin(), candidates.end(), by_angle);
  const std::size_t count = std::min(candidates.size(), static_cast<std::size_t>(wanted));
  std::vector<Between> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(candidates[(2 * i + 1) * candidates.size() / (2 * count)]);
  return chosen;
}

void add_axis_sweeps(const PlannedJoint& joint, const Range& range, const PlanOptions& options, PosePlan& plan) {
  const std::vector<Side> sides = sides_of(range);
  const std::vector<int> shares = shares_of(sides, options.poses_per_dof);
  std::vector<std::vector<double>> training;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    training.push_back(training_angles(sides[s], shares[s], options.min_spacing));
  }
  const std::vector<Between> between = angles_between(training, options.held_out_between);
  const std::string stem = joint.name + "." + range.dof;
  for (std::size_t s = 0; s < sides.size(); ++s) {
    Sweep sweep{stem + (sides[s].last > 0 ? "+" : "-"), {}};
    const auto add = [&](double degrees, Role role, const char* tag) {
      sweep.poses.push_back({stem + signed_degrees(degrees), {turn(joint.name, range.dof, degrees)}, role, 1, {tag}});
    };
    for (const double degrees : training[s]) {
      const bool same_as_other_end = degrees <= -180 && range.max >= 180;  // half a turn either way is one pose
      if (!same_as_other_end) add(degrees, Role::train, "axis");
    }
    for (const Between& b : between) {
      const bool new_angle = std::find(training[s].begin(), training[s].end(), b.degrees) == training[s].end();
      if (b.side == s && new_angle && b.degrees != 0) add(b.degrees, Role::test, "between");
    }
    std::stable_sort(sweep.poses.begin(), sweep.poses.end(), [](const PlannedPose& a, const PlannedPose& b) {
      return std::abs(a.angles[0].radians) < std::abs(b.angles[0].radians);
    });
    if (!sweep.poses.empty()) plan.sweeps.push_back(std::move(sweep));
  }
}

/// A corner of the box of limits: one limit per degree of freedom.
using Corner = std::vector<double>;

/// The corners worth walking to, farthest first. Of the eight of a joint with three freedoms every other one, so that
/// no two share an edge.
std::vector<Corner> corners_of(const PlannedJoint& joint) {
  std::vector<Corner> corners{{}};
  std::vector<int> negative{0};
  for (const Range& range : joint.ranges) {
    std::vector<Corner> longer;
    std::vector<int> signs;
    for (std::size_t c = 0; c < corners.size(); ++c) {
      for (const Side& side : sides_of(range)) {
        longer.push_back(corners[c]);
        longer.back().push_back(side.last);
        signs.push_back(negative[c] + (side.last < 0 ? 1 : 0));
      }
    }
    corners = std::move(longer);
    negative = std::move(signs);
  }
  if (corners.size() > 4) {
    std::vector<Corner> every_other;
    for (std::size_t c = 0; c < corners.size(); ++c) {
      if (negative[c] % 2 == 0) every_other.push_back(corners[c]);
    }
    corners = std::move(every_other);
  }
  const auto size = [](const Corner& corner) {
    double sum = 0;
    for (const double degrees : corner) sum += degrees * degrees;
    return sum;
  };
  std::stable_sort(corners.begin(), corners.end(),
                   [&](const Corner& a, const Corner& b) { return size(a) > size(b) + 1e-9; });
  return corners;
}

void add_off_axis_sweeps(const PlannedJoint& joint, PosePlan& plan) {
  const std::vector<Corner> corners = corners_of(joint);
  for (std::size_t c = 0; c < corners.size(); ++c) {
    const int corner_count = static_cast<int>(corners.size());
    const int count = off_axis_poses / corner_count + (static_cast<int>(c) < off_axis_poses % corner_count ? 1 : 0);
    Sweep sweep{joint.name, {}};
    for (std::size_t d = 0; d < joint.ranges.size(); ++d) {
      sweep.name += "." + joint.ranges[d].dof + (corners[c][d] > 0 ? "+" : "-");
    }
    for (int i = 1; i <= count; ++i) {
      // A single pose stands in the middle of where two would.
      const double reach = count == 1 ? 0.75 * off_axis_reach : off_axis_reach * i / count;
      PlannedPose pose{joint.name, {}, Role::train, off_axis_weight, {"off-axis"}};
      for (std::size_t d = 0; d < joint.ranges.size(); ++d) {
        const Range& range = joint.ranges[d];
        const double degrees = rounded(std::clamp(corners[c][d] * reach, range.min, range.max));
        pose.name += "." + range.dof + signed_degrees(degrees);
        pose.angles.push_back(turn(joint.name, range.dof, degrees));
      }
      sweep.poses.push_back(std::move(pose));
    }
    if (!sweep.poses.empty()) plan.sweeps.push_back(std::move(sweep));
  }
}

/// Turns two to five joints at once.
std::vector<JointAngles> random_angles(std::span<const PlannedJoint> joints, Rng& rng) {
  std::vector<std::size_t> order(joints.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  for (std::size_t k = order.size(); k > 1; --k) {
    std::swap(order[k - 1], order[rng.below(static_cast<std::uint32_t>(k))]);
  }
  const std::size_t most = std::min(joints.size(), random_joints_max);
  const std::size_t count = most <= 2 ? most : 2 + rng.below(static_cast<std::uint32_t>(most - 1));
  order.resize(count);
  std::sort(order.begin(), order.end());
  std::vector<JointAngles> angles;
  for (const std::size_t k : order) {
    for (const Range& range : joints[k].ranges) {
      const double wanted = rng.uniform(range.min, range.max) * random_reach;
      const double degrees = rounded(std::clamp(wanted, range.min, range.max));
      angles.push_back(turn(joints[k].name, range.dof, degrees));
    }
  }
  return angles;
}

/// Poses that turn several joints at once, each a sweep of its own.
void add_random_sweeps(std::span<const PlannedJoint> joints, const UncrowdedDraw& draw, const char* kind, Role role,
                       int poses, Rng rng, PosePlan& plan) {
  for (int i = 1; i <= poses; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "%s-%02d", kind, i);
    plan.sweeps.push_back({name, {{name, draw.first_of([&] { return random_angles(joints, rng); }), role, 1, {kind}}}});
  }
}

PlannedJoint planned_joint(const Skeleton& skeleton, JointIndex j, const PlanOptions& options) {
  PlannedJoint joint{skeleton.name(j), j, {}};
  constexpr double to_degrees = 180 / std::numbers::pi;
  for (const Dof& dof : skeleton.dofs(j)) {
    // Limits are floats in radians; what was written in degrees comes back as such.
    const Range range{dof.name, rounded(dof.min * options.range_scale * to_degrees),
                      rounded(dof.max * options.range_scale * to_degrees)};
    if (range.min != 0 || range.max != 0) joint.ranges.push_back(range);
  }
  if (skeleton.dofs(j).empty() && options.default_range > 0) {
    const double range = rounded(options.default_range * options.range_scale);
    for (const char* axis : {"x", "y", "z"}) joint.ranges.push_back({axis, -range, range});
  }
  return joint;
}

Result<std::vector<PlannedJoint>> planned_joints(const Skeleton& skeleton, const PlanOptions& options) {
  if (options.default_range > 0 && options.joints.empty())
    return Error{"range", "is for joints without limits, which must be named", "add --joints a,b"};
  std::vector<bool> chosen(skeleton.size(), false);
  for (const std::string& name : options.joints) {
    const auto j = skeleton.require(name);
    if (!j) return j.error();
    if (skeleton.dofs(*j).empty() && !(options.default_range > 0)) {
      return Error{"joint '" + name + "'", "has no degrees of freedom and so no range",
                   "give its range in degrees (--range 40), or write dofs into the rig's node.extras.supple"};
    }
    chosen[*j] = true;
  }
  std::vector<PlannedJoint> joints;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (options.joints.empty() ? skeleton.dofs(j).empty() : !chosen[j]) continue;
    PlannedJoint joint = planned_joint(skeleton, j, options);
    if (!joint.ranges.empty()) joints.push_back(std::move(joint));
  }
  if (joints.empty()) {
    return Error{"rig", "has no degrees of freedom, so there is nothing that says how far its joints turn",
                 "name joints and their range in degrees (--joints a,b --range 40), or write dofs into the rig's "
                 "node.extras.supple"};
  }
  return joints;
}

Result<void> check(const PlanOptions& o) {
  if (o.poses_per_dof < 1 || o.poses_per_dof > 1000) return Error{"poses per DOF", "must be 1 to 1000", ""};
  if (!(o.min_spacing >= 0.1 && o.min_spacing <= 360)) return Error{"spacing", "must be 0.1 to 360 degrees", ""};
  if (!(o.range_scale > 0 && o.range_scale <= 1)) return Error{"range scale", "must be in (0, 1]", ""};
  if (!(o.default_range >= 0 && o.default_range <= 180)) return Error{"default range", "must be 0 to 180 degrees", ""};
  if (o.held_out_between < 0 || o.held_out_between > 1000) return Error{"poses between", "must be 0 to 1000", ""};
  if (o.held_out_random < 0 || o.held_out_random > 100000) return Error{"random poses", "must be 0 to 100000", ""};
  if (o.coupled < 0 || o.coupled > 100000) return Error{"coupled poses", "must be 0 to 100000", ""};
  if (o.grips < 0 || o.grips > 100000 || o.held_out_grips < 0 || o.held_out_grips > 100000)
    return Error{"grips", "must be 0 to 100000", ""};
  return {};
}

}  // namespace

Result<PosePlan> make_plan(const Skeleton& skeleton, const PlanOptions& options, const Crowding* crowding) {
  if (auto ok = check(options); !ok) return ok.error();
  const auto joints = planned_joints(skeleton, options);
  if (!joints) return joints.error();
  PosePlan plan;
  for (const PlannedJoint& joint : *joints) {
    for (const Range& range : joint.ranges) add_axis_sweeps(joint, range, options, plan);
    if (options.off_axis && joint.ranges.size() > 1) add_off_axis_sweeps(joint, plan);
  }
  const UncrowdedDraw draw{skeleton, crowding};
  add_random_sweeps(*joints, draw, "coupled", Role::train, options.coupled, Rng(options.seed + coupled_seed), plan);
  add_grip_sweeps(*joints, draw, Role::train, options.grips, Rng(options.seed + grip_seed), plan);
  add_random_sweeps(*joints, draw, "random", Role::test, options.held_out_random, Rng(options.seed), plan);
  add_grip_sweeps(*joints, draw, Role::test, options.held_out_grips, Rng(options.seed + test_grip_seed), plan);
  if (auto ok = validate(plan, skeleton); !ok) return ok.error();
  return plan;
}

}  // namespace supple
