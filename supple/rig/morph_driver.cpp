#include "supple/rig/morph_driver.h"

#include <algorithm>
#include <cmath>

#include "supple/rig/character.h"
#include "supple/rig/checks.h"

namespace supple {
namespace {

bool all_finite(const auto& values) {
  return std::all_of(values.begin(), values.end(), [](auto v) { return std::isfinite(v); });
}

/// What belongs to the pose kernel alone.
Result<void> validate_pose_kernel(const MorphDriver& d) {
  const auto wrong = [](std::string problem) { return Error{"driver", std::move(problem), ""}; };
  const std::size_t joints = d.joints.size();
  if (d.kernel != RbfKernel::pose)
    return d.radii.empty() && d.pairs.empty() ? Result<void>()
                                              : wrong("has radii or pairs, which no kernel but 'pose' has");
  if (!d.twist_axes.empty()) return wrong("has twist axes, which the kernel 'pose' has not");
  if (d.radii.size() != joints ||
      !std::all_of(d.radii.begin(), d.radii.end(), [](float r) { return r > 0 && std::isfinite(r); }))
    return wrong("needs one radius > 0 per joint");
  for (const auto& [a, b] : d.pairs)
    if (a >= joints || b >= joints || a == b) return wrong("has a pair that is not of two of its joints");
  if (!std::isfinite(d.pair_weight) || d.pair_weight < 0) return wrong("has a pair weight that is not >= 0");
  return {};
}

Result<void> validate_limits(const MorphDriver& d) {
  const auto wrong = [](std::string problem) { return Error{"driver", std::move(problem), ""}; };
  const auto check = [&](const std::vector<float>& limits, const std::string& name, auto holds) -> Result<void> {
    if (limits.empty()) return {};
    if (limits.size() != d.targets())
      return wrong("has " + std::to_string(limits.size()) + " numbers in '" + name + "' for " +
                   std::to_string(d.targets()) + " morph targets");
    if (!all_finite(limits)) return wrong("has a number in '" + name + "' that is not finite");
    for (std::size_t m = 0; m < limits.size(); ++m)
      if (!holds(limits[m], d.rest_weights[m]))
        return wrong("has a rest weight beyond its limit in '" + name + "': " + std::to_string(d.rest_weights[m]) +
                     ", limit " + std::to_string(limits[m]));
    return {};
  };
  if (auto ok = check(d.least, "least", [](float limit, float rest) { return limit <= rest; }); !ok) return ok;
  return check(d.most, "most", [](float limit, float rest) { return limit >= rest; });
}

}  // namespace

Result<void> validate(const MorphDriver& d, std::size_t joint_count, std::size_t morph_weight_count) {
  const auto wrong = [](std::string problem) { return Error{"driver", std::move(problem), ""}; };
  const std::size_t joints = d.joints.size();
  if (joints < 1 || joints > MorphDriver::most_joints)
    return wrong("follows " + std::to_string(joints) + " joints instead of 1 to " +
                 std::to_string(MorphDriver::most_joints));
  for (const JointIndex j : d.joints)
    if (j >= joint_count) return wrong("follows joint " + std::to_string(j) + ", which does not exist");
  std::vector<JointIndex> sorted = d.joints;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return wrong("follows the same joint twice");
  if (d.reference.size() != joints || !all_unit(d.reference))
    return wrong("needs one unit rotation per joint as its reference");
  if (!d.twist_axes.empty()) {
    const bool unit = std::all_of(d.twist_axes.begin(), d.twist_axes.end(),
                                  [](Vec3f a) { return std::abs(squared_length(Vec3d(a)) - 1) < 1e-4; });
    if (d.twist_axes.size() != joints || !unit) return wrong("needs one unit twist axis per joint, or none");
  }
  if (!std::isfinite(d.twist_weight) || d.twist_weight < 0) return wrong("has a twist weight that is not >= 0");
  if (!std::isfinite(d.radius) || d.radius <= 0) return wrong("has a radius that is not > 0");
  if (auto ok = validate_pose_kernel(d); !ok) return ok;
  if (d.centres.size() % joints != 0 || !all_unit(d.centres))
    return wrong("needs one unit rotation per joint for every centre");
  if (d.coefficients.size() != d.rows() * d.targets())
    return wrong("has " + std::to_string(d.coefficients.size()) + " coefficients for " + std::to_string(d.rows()) +
                 " basis functions and " + std::to_string(d.targets()) + " morph targets");
  if (!all_finite(d.coefficients)) return wrong("has a coefficient that is not finite");
  if (!all_finite(d.rest_weights)) return wrong("has a rest weight that is not finite");
  if (auto ok = validate_limits(d); !ok) return ok;
  if (d.first_weight + d.targets() > morph_weight_count)
    return wrong("moves morph targets that do not exist (" + std::to_string(d.first_weight + d.targets()) + " of " +
                 std::to_string(morph_weight_count) + ")");
  return {};
}

constinit const DeformerKind driver_kind{
    .name = "drivers",
    .member = "drivers",
    .describe = describe_drivers,
    .elsewhere = "the same along the file's clips, where their weights are baked; nothing in poses of its own",
    .learnt = true,
    .count = [](const Character& c) { return c.drivers.size(); },
    .summary =
        [](const Character& c) {
          std::size_t targets = 0, centres = 0;
          for (const MorphDriver& d : c.drivers) {
            targets += d.targets();
            centres += d.centre_count();
          }
          return std::to_string(c.drivers.size()) + " of " + std::to_string(targets) + " morph targets, " +
                 std::to_string(centres) + " centres";
        },
    .check = [](const Character& c) -> Result<void> {
      for (std::size_t d = 0; d < c.drivers.size(); ++d)
        if (auto ok = validate(c.drivers[d], c.skeleton.size(), c.morph_weights.size()); !ok)
          return Error{quoted("driver", d, c.drivers[d].name), ok.error().problem, ok.error().remedy};
      return {};
    },
    .clear = [](Character& c) { c.drivers.clear(); },
    .moved =
        [](const Character& c) {
          std::vector<MovedWeights> result;
          for (std::size_t d = 0; d < c.drivers.size(); ++d)
            result.push_back({quoted("driver", d, c.drivers[d].name), c.drivers[d].first_weight,
                              static_cast<std::uint32_t>(c.drivers[d].targets()), c.drivers[d].rest_weights});
          return result;
        },
    .renumber =
        [](Character& c, std::span<const std::uint32_t> place) {
          for (MorphDriver& d : c.drivers) d.first_weight = place[d.first_weight];
        }};

}  // namespace supple
