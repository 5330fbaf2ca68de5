#include "supple/rig/grip_sweeps.h"

#include <algorithm>
#include <cstdio>

namespace supple {
namespace {

constexpr int poses_per_sweep = 3;
constexpr double grip_reach = 0.95;  // of the limits
constexpr double uneven = 0.15;      // how much less one joint of a row may bend than the others
// Of the limits, about the other degrees of freedom, of a joint that is straight: the more it bends the less it turns
// aside, as ligaments have it.
constexpr double sideways = 0.3;

enum class Kind { grip, pinch, point, spread };
constexpr const char* kind_names[] = {"grip", "pinch", "point", "spread"};

using Row = std::vector<std::size_t>;  // places among the planned joints, from the body outwards

/// The nearest joint above that is planned, or the number of planned joints.
std::size_t planned_parent(const Skeleton& skeleton, std::span<const PlannedJoint> joints, std::size_t of) {
  for (JointIndex j = skeleton.parent(joints[of].joint); j != no_joint; j = skeleton.parent(j))
    for (std::size_t p = 0; p < joints.size(); ++p)
      if (joints[p].joint == j) return p;
  return joints.size();
}

std::vector<Row> rows_of(const Skeleton& skeleton, std::span<const PlannedJoint> joints) {
  std::vector<std::size_t> parent, children(joints.size() + 1, 0), row_of(joints.size());
  for (std::size_t p = 0; p < joints.size(); ++p) {
    parent.push_back(planned_parent(skeleton, joints, p));
    ++children[parent[p]];
  }
  std::vector<Row> rows;
  for (std::size_t p = 0; p < joints.size(); ++p) {  // parents come first
    const bool goes_on = parent[p] < joints.size() && children[parent[p]] == 1;
    row_of[p] = goes_on ? row_of[parent[p]] : rows.size();
    if (!goes_on) rows.emplace_back();
    rows[row_of[p]].push_back(p);
  }
  return rows;
}

/// How far each row bends, of its limits.
std::vector<double> bends(Kind kind, std::size_t rows, Rng& rng) {
  std::vector<double> result(rows);
  const auto one = rng.below(static_cast<std::uint32_t>(rows));
  const auto other = (one + 1 + rng.below(static_cast<std::uint32_t>(rows - 1))) % rows;
  const double common = rng.uniform(0.6, 1.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const double jitter = rng.uniform(-0.2, 0.2), low = rng.uniform(0.0, 0.25);
    const bool chosen = r == one || (kind == Kind::pinch && r == other);
    switch (kind) {
      case Kind::grip:
        result[r] = common + jitter;
        break;
      case Kind::pinch:
        result[r] = chosen ? common : low;
        break;
      case Kind::point:
        result[r] = chosen ? low : common + jitter;
        break;
      case Kind::spread:
        result[r] = low;
        break;
    }
    result[r] = std::clamp(result[r], 0.0, 1.0);
  }
  return result;
}

std::vector<JointAngles> grip(std::span<const PlannedJoint> joints, std::span<const Row> rows, Kind kind, Rng& rng) {
  const std::vector<double> bent = bends(kind, rows.size(), rng);
  std::vector<std::vector<JointAngles>> angles(joints.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::size_t p : rows[r]) {
      const auto& ranges = joints[p].ranges;
      const auto main = std::max_element(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
        return std::abs(a.farther()) < std::abs(b.farther());
      });
      for (const Range& range : ranges) {
        const double loose = kind == Kind::spread ? grip_reach : sideways * (1 - bent[r]);
        const double aside = loose * rng.uniform(range.min, range.max);
        const double along = bent[r] * rng.uniform(1 - uneven, 1.0) * grip_reach * range.farther();
        const double degrees = std::clamp(&range == &*main ? along : aside, range.min, range.max);
        angles[p].push_back(turn(joints[p].name, range.dof, degrees));
      }
    }
  }
  std::vector<JointAngles> result;
  for (auto& of : angles) result.insert(result.end(), of.begin(), of.end());
  return result;
}

}  // namespace

void add_grip_sweeps(std::span<const PlannedJoint> joints, const UncrowdedDraw& draw, Role role, int poses, Rng rng,
                     PosePlan& plan) {
  const std::vector<Row> rows = rows_of(draw.skeleton, joints);
  if (rows.size() < 2) return;
  for (int sweep = 0; sweep * poses_per_sweep < poses; ++sweep) {
    const auto kind = static_cast<Kind>(sweep % 4);
    const std::vector<JointAngles> whole = draw.first_of([&] { return grip(joints, rows, kind, rng); });
    char name[48];
    std::snprintf(name, sizeof name, "%s%s-%02d", role == Role::test ? "test-" : "", kind_names[sweep % 4], sweep + 1);
    Sweep added{name, {}};
    for (int i = 1; i <= poses_per_sweep; ++i) {
      PlannedPose pose{std::string(name) + "." + std::to_string(i), whole, role, 1, {"grip"}};
      if (kind != Kind::grip) pose.tags.push_back(kind_names[sweep % 4]);
      for (JointAngles& a : pose.angles) {
        const double degrees = double{a.radians} * 180 / std::numbers::pi * i / poses_per_sweep;
        a = turn(a.joint, a.dof, rounded(degrees));
      }
      added.poses.push_back(std::move(pose));
    }
    plan.sweeps.push_back(std::move(added));
  }
}

}  // namespace supple
