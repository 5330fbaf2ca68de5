// From the joints of one pose to the morph weights that drivers make of them, and from slopes by the weights back to
// slopes by the rotations.
#pragma once

#include "supple/gpu/batch/basis.h"

namespace supple::gpu {

/// How far apart the four slopes by each row are: one number more, so that threads use different banks of memory.
inline constexpr unsigned slope_stride = 5;

/// Room of a few poses, which a team works on together: every one has its numbers after those of the pose before.
struct DriverRoom {
  double* settings = nullptr;  // 4 * #joints of all drivers: reference^-1 * local
  double* rows = nullptr;      // #rows of all drivers
  double* slopes = nullptr;    // slope_stride * #rows
  double* sums = nullptr;      // 4 * max_driver_joints, of all poses together
  double* kernels = nullptr;   // max_driver_joints for every thread of the team, likewise

  SUPPLE_ON_DEVICE double* settings_of(const BatchView& t, unsigned pose) const {
    return settings + std::size_t{4} * t.driver_joint_count * pose;
  }
};

/// Fills the settings of `Count` poses; rotations_of(k) gives those of pose k.
template <unsigned Count, class Team, class RotationsOf>
SUPPLE_ON_DEVICE void find_settings(const BatchView& t, const Team& team, const RotationsOf& rotations_of,
                                    const DriverRoom& room) {
  for (std::uint32_t i = team.rank(); i < Count * t.driver_joint_count; i += team.size()) {
    const Turn<double> setting = find_setting(t, i % t.driver_joint_count, rotations_of(i / t.driver_joint_count));
    double* const to = room.settings + std::size_t{4} * i;
    to[0] = setting.x, to[1] = setting.y, to[2] = setting.z, to[3] = setting.w;
  }
  team.sync();
}

/// Whether a driver that is cut off at rest is there; the pose kernel is 0 by itself.
SUPPLE_ON_DEVICE inline bool is_at_rest(const BatchDriver& d, const double* settings) {
  if (d.is_pose_kernel) return false;
  for (std::uint32_t k = 0; k < d.joints; ++k)
    if (!is_no_turn(setting_of(d, settings, k))) return false;
  return true;
}

/// A row that is a function of the angle between one joint and a centre.
struct PlainRow {
  RowKind kind;
  std::uint32_t setting;
  double over_radius = 0;
  Turn<double> centre = {};

  /// The row of a number beyond the last is another one.
  SUPPLE_ON_DEVICE PlainRow(const BatchView& t, std::uint32_t at)
      : kind(at < t.row_count ? t.row_kinds[at] : RowKind::other), setting(at < t.row_count ? t.row_settings[at] : 0) {
    if (kind == RowKind::other) return;
    over_radius = t.row_over_radii[at];
    const double* const c = t.row_centres + at;
    const std::size_t stride = t.row_count;
    centre = {c[0], c[stride], c[2 * stride], c[3 * stride]};
  }
  SUPPLE_ON_DEVICE Turn<double> setting_in(const double* settings) const {
    return turn_at(settings + std::size_t{4} * setting);
  }
  /// Of a few poses: 0 at rest.
  template <unsigned Count>
  SUPPLE_ON_DEVICE void find(const BatchView& t, const DriverRoom& room, double (&values)[Count]) const {
    Turn<double> q[Count];
    for (unsigned k = 0; k < Count; ++k) q[k] = setting_in(room.settings_of(t, k));
    squared_angles<Count>(q, centre, values);
    for (unsigned k = 0; k < Count; ++k) {
      double slope;
      const double value = radial_value(kind, over_radius, values[k], &slope);
      values[k] = is_no_turn(setting_in(room.settings_of(t, k))) ? 0 : value;
    }
  }
  /// Slopes by the setting.
  SUPPLE_ON_DEVICE Turn<double> slopes(const double* settings) const {
    const Sloped square = squared_angle(setting_in(settings), centre);
    double factor;
    radial_value(kind, over_radius, square.value, &factor);
    const double* const by = square.slopes;
    return {factor * by[0], factor * by[1], factor * by[2], factor * by[3]};
  }
};
/// Row `at` of any driver.
SUPPLE_ON_DEVICE SUPPLE_APART inline double any_row(const BatchView& t, const double* settings, std::uint32_t at,
                                                    const JointKernels& kernels) {
  const BatchDriver& d = t.drivers[t.row_drivers[at]];
  return is_at_rest(d, settings) ? 0 : basis_of(t, d, settings, at - d.first_row, kernels).value;
}
/// And its slopes, of a driver that follows one joint.
SUPPLE_ON_DEVICE SUPPLE_APART inline Turn<double> slopes_of_any_row(const BatchView& t, const double* settings,
                                                                    std::uint32_t at, const JointKernels& kernels) {
  const BatchDriver& d = t.drivers[t.row_drivers[at]];
  const std::uint32_t row = at - d.first_row;
  const BasisSlope slope = slope_of_basis(t, d, settings, row, 0, basis_of(t, d, settings, row, kernels), kernels);
  const double* const by = slope.of.slopes;
  return {slope.factor * by[0], slope.factor * by[1], slope.factor * by[2], slope.factor * by[3]};
}

/// Writes the values of the basis functions of all drivers to room.rows: all at once, so that no thread of a team is
/// idle, and each for all poses, so that none waits for its own arithmetic. Settings are found first; what rows need is
/// read before.
template <unsigned Count, class Team, class RotationsOf>
SUPPLE_ON_DEVICE void drive_rows(const BatchView& t, const Team& team, const RotationsOf& rotations_of,
                                 const DriverRoom& room) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  PlainRow row(t, team.rank());
  find_settings<Count>(t, team, rotations_of, room);
  for (std::uint32_t at = team.rank(); at < t.row_count; at += team.size()) {
    double values[Count];
    if (row.kind != RowKind::other) {
      row.find(t, room, values);
    } else {
      for (unsigned k = 0; k < Count; ++k) values[k] = any_row(t, room.settings_of(t, k), at, kernels);
    }
    for (unsigned k = 0; k < Count; ++k) room.rows[std::size_t{k} * t.row_count + at] = values[k];
    row = PlainRow(t, at + team.size());
  }
  team.sync();
}
/// The weights of the part's morph target m in `Count` poses, from what drive_rows() wrote. given_of(k) are the
/// character's weights in pose k; null: as at rest. `held` marks weights that their limits hold: they have no slopes.
template <unsigned Count, class Real, class GivenOf>
SUPPLE_ON_DEVICE void find_weights(const BatchView& t, std::uint32_t m, const GivenOf& given_of, const double* rows,
                                   Real (&weights)[Count], bool (&held)[Count]) {
  for (bool& is_held : held) is_held = false;
  const std::uint32_t count = t.target_row_counts[m];
  if (count == no_rows) {
    for (unsigned k = 0; k < Count; ++k) {
      const Real* const given = given_of(k);
      weights[k] = given != nullptr ? given[t.first_weight + m] : static_cast<Real>(t.rest_weights[t.first_weight + m]);
    }
    return;
  }
  const double* const coefficients = t.coefficients + t.target_coefficients[m];
  const std::uint32_t stride = t.target_strides[m];
  const double* const values = rows + t.target_rows[m];
  double sums[Count] = {};
  for (std::uint32_t row = 0; row < count; ++row) {
    const double coefficient = coefficients[std::size_t{row} * stride];
    for (unsigned k = 0; k < Count; ++k) sums[k] += values[std::size_t{k} * t.row_count + row] * coefficient;
  }
  for (unsigned k = 0; k < Count; ++k) {
    double weight = double(t.driver_rest[m]) + sums[k];
    if (t.is_limited) {
      const double least = double(t.driver_least[m]), most = double(t.driver_most[m]);
      held[k] = weight < least || weight > most;
      if (held[k]) weight = weight < least ? least : most;
    }
    weights[k] = static_cast<Real>(weight);
  }
}

/// Where what belongs to each of a few poses is: `rotations` and `weight_slopes` are read, `rotation_slopes` are added
/// to. Slopes by weights that their limits hold must be 0: see find_weights().
template <class Real>
struct DrivenPose {
  const Real *rotations, *weight_slopes;
  Real* rotation_slopes;
};

/// Slopes by a row, from those by the weights that it goes into, of `Count` poses; pose_of(k) gives pose k.
template <unsigned Count, class PoseOf>
SUPPLE_ON_DEVICE void slopes_by_row(const BatchView& t, std::uint32_t at, const PoseOf& pose_of,
                                    double (&slopes)[Count]) {
  const std::uint32_t first = t.row_targets[at], targets = t.row_target_counts[at];
  const double* const coefficients = t.coefficients + t.row_coefficients[at];
  for (double& slope : slopes) slope = 0;
  for (std::uint32_t m = 0; m < targets; ++m) {
    const double coefficient = coefficients[m];
    for (unsigned k = 0; k < Count; ++k) slopes[k] += double(pose_of(k).weight_slopes[first + m]) * coefficient;
  }
}

/// Adds to the slopes by the rotation of joint k of a driver, from those by its setting: setting = reference^-1 *
/// local, so a slope by the local rotation is reference * slope by the setting.
template <class Real>
SUPPLE_ON_DEVICE void add_setting_slope(const BatchView& t, const BatchDriver& d, std::uint32_t k,
                                        const Turn<double>& by_setting, Real* rotation_slopes) {
  const std::uint32_t at = d.first_joint + k;
  const double* r = t.driver_references + std::size_t{4} * at;
  const Turn<double> slope = turn_between(Turn<double>{-r[0], -r[1], -r[2], r[3]}, by_setting);
  Real* const to = rotation_slopes + std::size_t{4} * t.driver_joints[at];
  add_to(to, static_cast<Real>(slope.x)), add_to(to + 1, static_cast<Real>(slope.y));
  add_to(to + 2, static_cast<Real>(slope.z)), add_to(to + 3, static_cast<Real>(slope.w));
}

/// Drivers of one joint, as most are: rows of all of them at once, then their sums.
template <unsigned Count, class Team, class PoseOf>
SUPPLE_ON_DEVICE void slopes_by_single_joints(const BatchView& t, const Team& team, const PoseOf& pose_of,
                                              const DriverRoom& room) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  const auto slopes_at = [&](unsigned k, std::uint32_t row) {
    return room.slopes + slope_stride * (std::size_t{k} * t.row_count + row);
  };
  for (std::uint32_t at = team.rank(); at < t.row_count; at += team.size()) {
    const PlainRow row(t, at);
    if (row.kind == RowKind::other && t.drivers[t.row_drivers[at]].joints != 1) continue;
    double by_row[Count];
    slopes_by_row<Count>(t, at, pose_of, by_row);
    const auto put = [&](unsigned k, const Turn<double>& by) {
      double* const to = slopes_at(k, at);
      to[0] = by_row[k] * by.x, to[1] = by_row[k] * by.y, to[2] = by_row[k] * by.z, to[3] = by_row[k] * by.w;
    };
    if (row.kind != RowKind::other) {
      for (unsigned k = 0; k < Count; ++k) put(k, row.slopes(room.settings_of(t, k)));
    } else {
      for (unsigned k = 0; k < Count; ++k)
        put(k, by_row[k] != 0 ? slopes_of_any_row(t, room.settings_of(t, k), at, kernels) : Turn<double>{});
    }
  }
  team.sync();
  for (std::uint32_t i = team.rank(); i < 4 * Count * t.driver_count; i += team.size()) {
    const BatchDriver& d = t.drivers[i / 4 % t.driver_count];
    if (d.joints != 1 || d.rows == 0) continue;
    double* const first = slopes_at(i / (4 * t.driver_count), d.first_row) + i % 4;
    double sum = 0;
    for (std::uint32_t row = 0; row < d.rows; ++row) sum += first[slope_stride * std::size_t{row}];
    first[0] = sum;  // where the first row was
  }
  team.sync();
  for (std::uint32_t i = team.rank(); i < Count * t.joint_count; i += team.size()) {
    const std::uint32_t j = i % t.joint_count, k = i / t.joint_count;
    for (std::uint32_t n = t.joint_driver_first[j]; n < t.joint_driver_first[j + 1]; ++n) {
      const BatchDriver& d = t.drivers[t.joint_drivers[n]];
      add_setting_slope(t, d, 0, turn_at(slopes_at(k, d.first_row)), pose_of(k).rotation_slopes);
    }
  }
  team.sync();
}

/// A driver of several joints.
template <class Real, class Team>
SUPPLE_ON_DEVICE SUPPLE_APART void slopes_by_joined_driver(const BatchView& t, const Team& team, const BatchDriver& d,
                                                           const double* settings, const DriverRoom& room,
                                                           const DrivenPose<Real>& pose) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t i = team.rank(); i < 4 * d.joints; i += team.size()) room.sums[i] = 0;
  team.sync();
  for (std::uint32_t first = 0; first < d.rows; first += team.size()) {
    // Every thread has a row of its own; they add up joint by joint, all of them in every step.
    const std::uint32_t row = first + team.rank();
    double by_row[1] = {0};
    BasisValue value;
    if (row < d.rows) {
      slopes_by_row<1>(
          t, d.first_row + row, [&](unsigned) { return pose; }, by_row);
      value = basis_of(t, d, settings, row, kernels);
    }
    for (std::uint32_t k = 0; k < d.joints; ++k) {
      BasisSlope slope;
      if (by_row[0] != 0) slope = slope_of_basis(t, d, settings, row, k, value, kernels);
      for (std::uint32_t i = 0; i < 4; ++i) {
        const double sum = team.sum(by_row[0] * slope.factor * slope.of.slopes[i]);
        if (team.rank() == 0) room.sums[4 * k + i] += sum;
      }
    }
  }
  team.sync();
  for (std::uint32_t k = team.rank(); k < d.joints; k += team.size())
    add_setting_slope(t, d, k, turn_at(room.sums + std::size_t{4} * k), pose.rotation_slopes);
  team.sync();
}

/// Adds to the slopes by rotations (#joints * 4) what slopes by the driven weights make of them, of `Count` poses.
template <unsigned Count, class Team, class PoseOf>
SUPPLE_ON_DEVICE void slopes_by_drivers(const BatchView& t, const Team& team, const PoseOf& pose_of,
                                        const DriverRoom& room) {
  find_settings<Count>(
      t, team, [&](unsigned k) { return pose_of(k).rotations; }, room);
  slopes_by_single_joints<Count>(t, team, pose_of, room);
  for (std::uint32_t n = 0; n < t.joined_count; ++n)
    for (unsigned k = 0; k < Count; ++k)
      slopes_by_joined_driver(t, team, t.drivers[t.joined_drivers[n]], room.settings_of(t, k), room, pose_of(k));
}

/// From slopes by the part's weights to slopes by the character's (#weights): 0 where the pose has no say.
template <class Real, class Team>
SUPPLE_ON_DEVICE void spread_weight_slopes(const BatchView& t, const Team& team, const Real* part_slopes,
                                           Real* slopes) {
  for (std::uint32_t w = team.rank(); w < t.weight_count; w += team.size()) {
    const bool own = w >= t.first_weight && w - t.first_weight < t.target_count &&
                     t.target_row_counts[w - t.first_weight] == no_rows;
    slopes[w] = own ? part_slopes[w - t.first_weight] : Real(0);
  }
}

}  // namespace supple::gpu
