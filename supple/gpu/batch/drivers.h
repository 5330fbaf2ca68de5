// From the joints of one pose to the morph weights that drivers make of them, and from slopes by the weights back to
// slopes by the rotations.
#pragma once

#include "supple/gpu/batch/basis.h"

namespace supple::gpu {

/// Whether a driver that is cut off at rest is there; the pose kernel is 0 by itself.
SUPPLE_ON_DEVICE inline bool is_at_rest(const BatchDriver& d, const DriverRoom& room) {
  if (d.kernel == RbfKernel::pose) return false;
  for (std::uint32_t k = 0; k < d.joints; ++k)
    if (!is_no_turn(setting_of(d, room, k))) return false;
  return true;
}

/// Row `at` of all, of any driver.
SUPPLE_ON_DEVICE SUPPLE_APART inline double any_row(const BatchView& t, const DriverRoom& room, std::uint32_t at,
                                                    const JointKernels& kernels) {
  const BatchDriver& d = t.drivers[t.rows[at].driver];
  return is_at_rest(d, room) ? 0 : basis_of(t, d, room, at - d.first_row, kernels).value;
}
SUPPLE_ON_DEVICE inline double plain_row(const BatchRow& r, const DriverRoom& room) {
  const Turn<double> setting = turn_at(room.settings + std::size_t{4} * r.first_joint);
  if (is_no_turn(setting)) return 0;
  double slope;
  return radial_value(r.kernel, r.over_radius, squared_angle(setting, turn_at(r.centre)).value, &slope);
}

/// Writes the values of the basis functions of all drivers to room.rows: all at once, so that no thread of a team is
/// idle.
template <class Real, class Team>
SUPPLE_ON_DEVICE void drive_rows(const BatchView& t, const Team& team, const Real* rotations, const DriverRoom& room) {
  find_settings(t, team, rotations, room);
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t at = team.rank(); at < t.row_count; at += team.size()) {
    const BatchRow r = t.rows[at];
    room.rows[at] = r.is_plain ? plain_row(r, room) : any_row(t, room, at, kernels);
  }
}
/// The weight of the part's morph target m, from what drive_rows() wrote. `given` are the character's weights; null: as
/// at rest.
template <class Real>
SUPPLE_ON_DEVICE Real weight_of(const BatchView& t, std::uint32_t m, const Real* given, const double* rows) {
  if (t.target_drivers[m] == no_driver)
    return given != nullptr ? given[t.first_weight + m] : static_cast<Real>(t.rest_weights[t.first_weight + m]);
  const BatchDriver& d = t.drivers[t.target_drivers[m]];
  const double* coefficients = t.coefficients + d.first_coefficient + (m - d.first_target);
  double sum = 0;
  for (std::uint32_t row = 0; row < d.rows; ++row)
    sum += rows[d.first_row + row] * coefficients[std::size_t{row} * d.targets];
  return static_cast<Real>(double(t.driver_rest[m]) + sum);
}

/// The slope by a row, from those by the weights that it goes into.
template <class Real>
SUPPLE_ON_DEVICE double slope_by_row(const BatchView& t, const BatchRow& r, const Real* weight_slopes) {
  double sum = 0;
  for (std::uint32_t m = 0; m < r.target_count; ++m)
    sum += double(weight_slopes[r.first_target + m]) * t.coefficients[r.first_coefficient + m];
  return sum;
}

/// Adds to the slopes by the rotation of joint k of a driver, from those by its setting: setting = reference^-1 *
/// local, so a slope by the local rotation is reference * slope by the setting.
template <class Real>
SUPPLE_ON_DEVICE void add_setting_slope(const BatchView& t, const BatchDriver& d, std::uint32_t k,
                                        const Turn<double>& by_setting, Real* rotation_slopes) {
  const std::uint32_t at = d.first_joint + k;
  const double* r = t.driver_references + std::size_t{4} * at;
  const Turn<double> slope = turn_between(Turn<double>{-r[0], -r[1], -r[2], r[3]}, by_setting);
  Real* to = rotation_slopes + std::size_t{4} * t.driver_joints[at];
  to[0] += static_cast<Real>(slope.x), to[1] += static_cast<Real>(slope.y);
  to[2] += static_cast<Real>(slope.z), to[3] += static_cast<Real>(slope.w);
}

/// Slopes by the setting of a driver's only joint, times `by_row`.
struct SettingSlopes {
  double by[4];
};
SUPPLE_ON_DEVICE SUPPLE_APART inline SettingSlopes slopes_of_any_row(const BatchView& t, const DriverRoom& room,
                                                                     std::uint32_t at, const JointKernels& kernels) {
  const BatchDriver& d = t.drivers[t.rows[at].driver];
  const std::uint32_t row = at - d.first_row;
  const BasisSlope slope = slope_of_basis(t, d, room, row, 0, basis_of(t, d, room, row, kernels), kernels);
  SettingSlopes made;
  for (int i = 0; i < 4; ++i) made.by[i] = slope.factor * slope.of.slopes[i];
  return made;
}
SUPPLE_ON_DEVICE inline SettingSlopes slopes_of_plain_row(const BatchRow& r, const DriverRoom& room) {
  const Turn<double> setting = turn_at(room.settings + std::size_t{4} * r.first_joint);
  const Sloped square = squared_angle(setting, turn_at(r.centre));
  double factor;
  radial_value(r.kernel, r.over_radius, square.value, &factor);
  SettingSlopes made;
  for (int i = 0; i < 4; ++i) made.by[i] = factor * square.slopes[i];
  return made;
}

/// Drivers of one joint, as most are: rows of all of them at once, then their sums.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_single_joints(const BatchView& t, const Team& team, const Real* weight_slopes,
                                              const DriverRoom& room, Real* rotation_slopes) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t at = team.rank(); at < t.row_count; at += team.size()) {
    const BatchRow r = t.rows[at];
    if (!r.is_plain && t.drivers[r.driver].joints != 1) continue;
    const double by_row = slope_by_row(t, r, weight_slopes);
    SettingSlopes slopes{};
    if (by_row != 0) slopes = r.is_plain ? slopes_of_plain_row(r, room) : slopes_of_any_row(t, room, at, kernels);
    for (std::uint32_t i = 0; i < 4; ++i) room.slopes[4 * std::size_t{at} + i] = by_row * slopes.by[i];
  }
  team.sync();
  for (std::uint32_t i = team.rank(); i < 4 * t.driver_count; i += team.size()) {  // sums where the first rows were
    const BatchDriver& d = t.drivers[i / 4];
    if (d.joints != 1 || d.rows == 0) continue;
    double* const first = room.slopes + 4 * std::size_t{d.first_row} + i % 4;
    double sum = 0;
    for (std::uint32_t row = 0; row < d.rows; ++row) sum += first[4 * std::size_t{row}];
    first[0] = sum;
  }
  team.sync();
  for (std::uint32_t j = team.rank(); j < t.joint_count; j += team.size())  // which several drivers may follow
    for (std::uint32_t k = t.joint_driver_first[j]; k < t.joint_driver_first[j + 1]; ++k) {
      const BatchDriver& d = t.drivers[t.joint_drivers[k]];
      add_setting_slope(t, d, 0, turn_at(room.slopes + 4 * std::size_t{d.first_row}), rotation_slopes);
    }
  team.sync();
}

/// A driver of several joints.
template <class Real, class Team>
SUPPLE_ON_DEVICE SUPPLE_APART void slopes_by_joined_driver(const BatchView& t, const Team& team, const BatchDriver& d,
                                                           const Real* weight_slopes, const DriverRoom& room,
                                                           Real* rotation_slopes) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t i = team.rank(); i < 4 * d.joints; i += team.size()) room.sums[i] = 0;
  team.sync();
  for (std::uint32_t first = 0; first < d.rows; first += team.size()) {
    // Every thread has a row of its own; they add up joint by joint, all of them in every step.
    const std::uint32_t row = first + team.rank();
    const double by_row = row < d.rows ? slope_by_row(t, t.rows[d.first_row + row], weight_slopes) : 0;
    BasisValue value;
    if (row < d.rows) value = basis_of(t, d, room, row, kernels);
    for (std::uint32_t k = 0; k < d.joints; ++k) {
      BasisSlope slope;
      if (by_row != 0) slope = slope_of_basis(t, d, room, row, k, value, kernels);
      for (std::uint32_t i = 0; i < 4; ++i) {
        const double sum = team.sum(by_row * slope.factor * slope.of.slopes[i]);
        if (team.rank() == 0) room.sums[4 * k + i] += sum;
      }
    }
  }
  team.sync();
  for (std::uint32_t k = team.rank(); k < d.joints; k += team.size())
    add_setting_slope(t, d, k, turn_at(room.sums + std::size_t{4} * k), rotation_slopes);
  team.sync();
}

/// Adds to the slopes by rotations (#joints * 4) what slopes by the driven weights make of them.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_drivers(const BatchView& t, const Team& team, const Real* rotations,
                                        const Real* weight_slopes, const DriverRoom& room, Real* rotation_slopes) {
  find_settings(t, team, rotations, room);
  slopes_by_single_joints(t, team, weight_slopes, room, rotation_slopes);
  for (std::uint32_t n = 0; n < t.joined_count; ++n)
    slopes_by_joined_driver(t, team, t.drivers[t.joined_drivers[n]], weight_slopes, room, rotation_slopes);
}

/// From slopes by the part's weights to slopes by the character's (#weights): 0 where the pose has no say.
template <class Real, class Team>
SUPPLE_ON_DEVICE void spread_weight_slopes(const BatchView& t, const Team& team, const Real* part_slopes,
                                           Real* slopes) {
  for (std::uint32_t w = team.rank(); w < t.weight_count; w += team.size()) {
    const bool own =
        w >= t.first_weight && w - t.first_weight < t.target_count && t.target_drivers[w - t.first_weight] == no_driver;
    slopes[w] = own ? part_slopes[w - t.first_weight] : Real(0);
  }
}

}  // namespace supple::gpu
