#include "supple/rig/pose.h"

#include <algorithm>
#include <array>
#include <numbers>

#include "supple/base/twist.h"

namespace supple {
namespace {

Quatd dof_rotation(std::span<const Dof> dofs, std::span<const double> angles) {
  Quatd q;
  for (std::size_t d = 0; d < dofs.size(); ++d) q = q * from_axis_angle(Vec3d(dofs[d].axis), angles[d]);
  return q;
}

/// Rotation vector from what the angles give to what is wanted.
Vec3d mismatch(std::span<const Dof> dofs, std::span<const double> angles, Quatd wanted) {
  return log_rotation(conjugate(dof_rotation(dofs, angles)) * wanted);
}

/// Gauss-Newton with a little damping from one start; returns the remaining angle.
double fit_angles(std::span<const Dof> dofs, Quatd wanted, std::span<double> angles) {
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Vec3d r = mismatch(dofs, angles, wanted);
    // Column d: axis d as seen after the rotations that follow it.
    std::array<Vec3d, 3> columns{};
    Quatd after;
    for (std::size_t d = dofs.size(); d-- > 0;) {
      columns[d] = rotate(conjugate(after), Vec3d(dofs[d].axis));
      after = from_axis_angle(Vec3d(dofs[d].axis), angles[d]) * after;
    }
    Mat3d normal = Mat3d::diagonal({1e-9, 1e-9, 1e-9});
    Vec3d right{};
    for (std::size_t a = 0; a < 3; ++a) {
      right[a] = dot(columns[a], r);
      for (std::size_t b = 0; b < 3; ++b) normal[b][a] += dot(columns[a], columns[b]);
    }
    const Vec3d step = inverse(normal) * right;
    for (std::size_t d = 0; d < dofs.size(); ++d) angles[d] += step[d];
    if (length(step) < 1e-12) break;
  }
  return length(mismatch(dofs, angles, wanted));
}

}  // namespace

Pose rest_pose(const Skeleton& skeleton) { return {{skeleton.rest().begin(), skeleton.rest().end()}, {}}; }

void to_world(const Skeleton& skeleton, std::span<const Transformf> local, std::span<Affinef> world) {
  const std::span<const JointIndex> parents = skeleton.parents();
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const Affinef m = local[j].affine();
    world[j] = parents[j] == no_joint ? m : world[parents[j]] * m;
  }
}

std::vector<Affinef> to_world(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affinef> world(skeleton.size());
  to_world(skeleton, pose.local, world);
  return world;
}

void set_angles(Pose& pose, const Skeleton& skeleton, JointIndex j, std::span<const float> angles, bool clamp) {
  const std::span<const Dof> dofs = skeleton.dofs(j);
  Quatf q = skeleton.rest(j).rotation;
  for (std::size_t d = 0; d < std::min(dofs.size(), angles.size()); ++d) {
    const float angle = clamp ? std::clamp(angles[d], dofs[d].min, dofs[d].max) : angles[d];
    q = q * from_axis_angle(dofs[d].axis, angle);
  }
  pose.local[j].rotation = normalized(q);
}

std::vector<float> get_angles(const Pose& pose, const Skeleton& skeleton, JointIndex j, float* residual) {
  const std::span<const Dof> dofs = skeleton.dofs(j);
  const Quatd wanted = normalized(Quatd(conjugate(skeleton.rest(j).rotation) * pose.local[j].rotation));
  std::array<double, 3> best{};
  double best_residual = length(log_rotation(wanted));
  // Euler-like angles have several solutions: the start nearest to rest that fits wins.
  constexpr double pi = std::numbers::pi;
  for (const double start : {0.0, pi / 2, -pi / 2, 0.9 * pi, -0.9 * pi}) {
    for (std::size_t d = 0; d < dofs.size(); ++d) {
      std::array<double, 3> angles{};
      angles[d] = start;
      const double left = fit_angles(dofs, wanted, std::span(angles).first(dofs.size()));
      if (left < best_residual - 1e-9) {
        best_residual = left;
        best = angles;
      }
    }
    if (best_residual < 1e-6) break;
  }
  if (residual != nullptr) *residual = static_cast<float>(best_residual);
  std::vector<float> result;
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    result.push_back(static_cast<float>(std::remainder(best[d], 2 * pi)));
  }
  return result;
}

Result<void> rotate(Pose& pose, const Skeleton& skeleton, JointIndex joint, std::string_view dof, float radians) {
  const std::span<const Dof> dofs = skeleton.dofs(joint);
  std::string list;
  for (std::size_t d = 0; d < dofs.size(); ++d) {
    if (dofs[d].name == dof) {
      std::vector<float> angles = get_angles(pose, skeleton, joint);
      angles[d] = radians;
      set_angles(pose, skeleton, joint, angles);
      return {};
    }
    list += (list.empty() ? "it has " : ", ") + dofs[d].name;
  }
  return Error{"joint '" + skeleton.name(joint) + "'", "has no degree of freedom '" + std::string(dof) + "'",
               list.empty() ? "it has none" : list};
}

Result<void> rotate(Pose& pose, const Skeleton& skeleton, std::string_view joint, std::string_view dof, float radians) {
  const auto found = skeleton.require(joint);
  return found ? rotate(pose, skeleton, *found, dof, radians) : Result<void>(found.error());
}

}  // namespace supple
