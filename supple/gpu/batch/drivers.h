// From the joints of one pose to the morph weights that drivers make of them, in double as in supple/deform/drive.cpp;
// and from slopes by the weights back to slopes by the rotations.
#pragma once

#include "supple/gpu/batch/slopes.h"
#include "supple/gpu/batch/tables.h"

namespace supple::gpu {

/// Angles below this are none, see supple/deform/drive.cpp.
inline constexpr double batch_no_angle = 1e-6;

SUPPLE_ON_DEVICE inline Turn<double> turn_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
SUPPLE_ON_DEVICE inline Turn<Sloped> variable(const Turn<double>& q) {
  return {Sloped::variable(q.x, 0), Sloped::variable(q.y, 1), Sloped::variable(q.z, 2), Sloped::variable(q.w, 3)};
}
SUPPLE_ON_DEVICE inline bool is_no_turn(const Turn<double>& q) {
  return q.x * q.x + q.y * q.y + q.z * q.z < batch_no_angle * batch_no_angle / 4;
}

/// The setting of joint k of a driver: reference^-1 * local.
template <class Real>
SUPPLE_ON_DEVICE Turn<double> setting_of(const BatchView& t, const BatchDriver& d, const Real* rotations,
                                         std::uint32_t k) {
  const std::uint32_t at = d.first_joint + k, j = t.driver_joints[at];
  Turn<double> local;
  if (rotations != nullptr) {
    const Real* q = rotations + std::size_t{4} * j;
    local = {double(q[0]), double(q[1]), double(q[2]), double(q[3])};
  } else {
    const float* q = t.rest_rotations + std::size_t{4} * j;
    local = {double(q[0]), double(q[1]), double(q[2]), double(q[3])};
  }
  return turn_between(turn_at(t.driver_references + std::size_t{4} * at), local);
}

/// 4 asin(sqrt(square)) for squares up to a half, whose cosine sqrt(1 - square) is known: see angle_of_chord().
SUPPLE_ON_DEVICE inline double angle_of_quarter(double square, double cosine) {
  const double u = square / (2 + 2 * cosine), v = u * u;  // sin^2(angle / 8), without cancellation
  double even = 0.008316835908052295, odd = 0.018984661645588874;
  even = even * v + 0.017289103526165393, odd = odd * v + 0.014555709389258173;
  even = even * v + 0.030381777528099507, odd = odd * v + 0.022376352269908584;
  even = even * v + 0.07499999995627613, odd = odd * v + 0.044642860940652514;
  even = even * v + 1.0, odd = odd * v + 0.16666666666686136;
  return 8 * std::sqrt(u) * (even + u * odd);
}

/// The square of the angle between two rotations: 4 asin(|a - b| / 2), b with the sign that is nearer.
SUPPLE_ON_DEVICE inline Sloped squared_angle(const Turn<double>& a, const Turn<double>& b) {
  const double sign = turn_dot(a, b) < 0 ? 1.0 : -1.0;
  const double gap[4] = {a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w};
  const double square =
      (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2] + gap[3] * gap[3]) / 4;  // sin^2(angle / 4)
  if (square >= 0.5) return 9.869604401089358;                                      // half a turn
  const double sine = std::sqrt(square), cosine = std::sqrt(1 - square), angle = angle_of_quarter(square, cosine);
  if (angle < batch_no_angle) return 0;
  const double factor = 2 * angle / (sine * cosine);  // the angle's slope by the gap is gap / (sine * cosine)
  Sloped made(angle * angle);
  for (int i = 0; i < 4; ++i) made.slopes[i] = factor * gap[i];
  return made;
}
SUPPLE_ON_DEVICE inline Turn<double> values_of(const Turn<Sloped>& q) {
  return {q.x.value, q.y.value, q.z.value, q.w.value};
}

/// The rotation q = swing * twist: its twist about the axis.
template <class T>
SUPPLE_ON_DEVICE Turn<T> twist_about(const Turn<T>& q, const double* axis) {
  const T along = q.x * T(axis[0]) + q.y * T(axis[1]) + q.z * T(axis[2]);
  const T square = along * along + q.w * q.w;
  if (value_of(square) < 1e-12) return {T(0), T(0), T(0), T(1)};
  const T length = root(square);
  const double n = value_of(length);
  // 1 / length, by hand: its derivative is -1 / length^2 times that of the length.
  const T over = T(2 / n) - length * T(1 / (n * n));
  return {along * T(axis[0]) * over, along * T(axis[1]) * over, along * T(axis[2]) * over, q.w * over};
}
template <class T>
SUPPLE_ON_DEVICE Turn<T> product_with_inverse(const Turn<T>& a, const Turn<T>& b) {
  return {b.w * a.x - a.w * b.x - a.y * b.z + a.z * b.y, b.w * a.y - a.w * b.y - a.z * b.x + a.x * b.z,
          b.w * a.z - a.w * b.z - a.x * b.y + a.y * b.x, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}
/// Of rotations whose product with the other's inverse is `d`: the square of the angle, none where it is tiny.
template <class T>
SUPPLE_ON_DEVICE T squared_angle_of(const Turn<T>& d, double weight) {
  const T sine = root(d.x * d.x + d.y * d.y + d.z * d.z);
  const T angle = T(2) * angle_of(sine, value_of(d.w) < 0 ? -d.w : d.w);
  return value_of(angle) < batch_no_angle ? T(0) : angle * angle * T(weight * weight);
}

/// What joint k adds to the squared distance between a setting and a centre.
template <class T>
SUPPLE_ON_DEVICE T squared_distance_of(const BatchView& t, const BatchDriver& d, std::uint32_t k,
                                       const Turn<T>& setting, const Turn<double>& centre) {
  if (!d.has_twist) {
    if constexpr (std::is_same_v<T, Sloped>)
      return squared_angle(values_of(setting), centre);
    else
      return squared_angle(setting, centre).value;
  }
  const double* axis = t.driver_twists + std::size_t{3} * (d.first_joint + k);
  const Turn<T> twist = twist_about(setting, axis);
  const Turn<double> centre_twist = twist_about(centre, axis);
  const Turn<T> swing = product_with_inverse(setting, twist);
  const Turn<double> centre_swing = product_with_inverse(centre, centre_twist);
  return squared_angle_of(turn_between(swing, centre_swing), 1) +
         squared_angle_of(turn_between(twist, centre_twist), d.twist_weight);
}

/// kappa of joint k, see MorphDriver::pairs.
template <class T>
SUPPLE_ON_DEVICE T joint_kernel_of(double radius, const Turn<T>& setting, const Turn<double>& centre) {
  const T scale(2 / (radius * radius));
  const Turn<T> apart = turn_between(setting, centre);
  const T from_rest = decay_of(scale * (setting.x * setting.x + setting.y * setting.y + setting.z * setting.z));
  const double centre_rest =
      std::exp(-value_of(scale) * (centre.x * centre.x + centre.y * centre.y + centre.z * centre.z));
  return decay_of(scale * (apart.x * apart.x + apart.y * apart.y + apart.z * apart.z)) - from_rest * T(centre_rest);
}

/// Basis function of a distance, and its slope by the squared distance.
SUPPLE_ON_DEVICE inline double radial_value(const BatchDriver& d, double square, double* slope) {
  const double r = std::sqrt(square), over = r > 0 ? 1 / r : 0;
  switch (d.kernel) {
    case RbfKernel::exponential: {
      const double e = std::exp(-r / d.radius);
      *slope = -0.5 * e / d.radius * over;
      return e;
    }
    case RbfKernel::gaussian: {
      const double e = std::exp(-square / (d.radius * d.radius));
      *slope = -e / (d.radius * d.radius);
      return e;
    }
    case RbfKernel::linear:
      *slope = 0.5 * over;
      return r;
    default:  // cubic
      *slope = 1.5 * r;
      return r * square;
  }
}

/// Number `axis` of the rotation vector: see log_rotation().
template <class T>
SUPPLE_ON_DEVICE T rotation_vector(const Turn<T>& q, std::uint32_t axis) {
  const T sign(value_of(q.w) < 0 ? -1 : 1), w = q.w * sign, part = (axis == 0 ? q.x : axis == 1 ? q.y : q.z) * sign;
  const T square = q.x * q.x + q.y * q.y + q.z * q.z;
  if (value_of(square) < 1e-16) return part * T(2 / value_of(w));
  const T sine = root(square), angle = T(2) * angle_of(sine, w);
  const double n = value_of(sine);
  return part * angle * (T(2 / n) - sine * T(1 / (n * n)));
}

/// One basis function at a setting: what it is, and what its slopes need besides.
struct BasisValue {
  double value = 0;
  double slope = 0;  // by the squared distance, of kernels that have one
};
/// Room for the kernel of every joint of a driver; threads of a team have theirs side by side.
struct JointKernels {
  double* first = nullptr;
  std::size_t stride = 1;
  SUPPLE_ON_DEVICE double& operator[](std::uint32_t k) const { return first[k * stride]; }
};

SUPPLE_ON_DEVICE inline Turn<double> centre_of(const BatchView& t, const BatchDriver& d, std::uint32_t row,
                                               std::uint32_t k) {
  return turn_at(t.centre_turns + std::size_t{4} * (d.first_centre + std::size_t{row} * d.joints + k));
}
/// The sum of the kernels of all joints that joint k is paired with.
SUPPLE_ON_DEVICE inline double paired_kernels(const BatchView& t, const BatchDriver& d, std::uint32_t k,
                                              const JointKernels& kernels) {
  const std::uint32_t* range = t.neighbour_ranges + d.first_neighbour + k;
  double sum = 0;
  for (std::uint32_t i = range[0]; i < range[1]; ++i) sum += kernels[t.neighbours[i]];
  return sum;
}

/// Fills `kernels` where the driver is one of the pose kernel.
template <class Real>
SUPPLE_ON_DEVICE BasisValue basis_of(const BatchView& t, const BatchDriver& d, const Real* rotations, std::uint32_t row,
                                     const JointKernels& kernels) {
  if (row >= d.centres) {  // the polynomial: 1, then three numbers of each rotation vector
    const std::uint32_t term = row - d.centres;
    return {term == 0 ? 1 : rotation_vector(setting_of(t, d, rotations, (term - 1) / 3), (term - 1) % 3), 0};
  }
  BasisValue made;
  double sum = 0;
  if (d.kernel != RbfKernel::pose) {
    for (std::uint32_t k = 0; k < d.joints; ++k)
      sum += squared_distance_of(t, d, k, setting_of(t, d, rotations, k), centre_of(t, d, row, k));
    made.value = radial_value(d, sum, &made.slope);
    return made;
  }
  for (std::uint32_t k = 0; k < d.joints; ++k) {
    const Turn<double> centre = centre_of(t, d, row, k);
    kernels[k] = is_no_turn(centre)
                     ? 0
                     : joint_kernel_of(t.driver_radii[d.first_joint + k], setting_of(t, d, rotations, k), centre);
  }
  for (std::uint32_t k = 0; k < d.joints; ++k)  // every pair is met twice
    made.value += kernels[k] * (1 + 0.5 * d.pair_weight * paired_kernels(t, d, k, kernels));
  return made;
}

/// Slopes of a basis function by the setting of joint k: `factor` times those of `of`.
struct BasisSlope {
  double factor = 0;
  Sloped of;
};
template <class Real>
SUPPLE_ON_DEVICE BasisSlope slope_of_basis(const BatchView& t, const BatchDriver& d, const Real* rotations,
                                           std::uint32_t row, std::uint32_t k, const BasisValue& value,
                                           const JointKernels& kernels) {
  if (row >= d.centres) {
    const std::uint32_t term = row - d.centres;
    if (term == 0 || (term - 1) / 3 != k) return {};
    return {1, rotation_vector(variable(setting_of(t, d, rotations, k)), (term - 1) % 3)};
  }
  const Turn<double> centre = centre_of(t, d, row, k);
  if (d.kernel == RbfKernel::pose && is_no_turn(centre)) return {};
  const Turn<Sloped> setting = variable(setting_of(t, d, rotations, k));
  if (d.kernel != RbfKernel::pose) return {value.slope, squared_distance_of(t, d, k, setting, centre)};
  return {1 + d.pair_weight * paired_kernels(t, d, k, kernels),
          joint_kernel_of(t.driver_radii[d.first_joint + k], setting, centre)};
}

/// Room of one pose, which its team shares.
struct DriverRoom {
  double* rows = nullptr;     // #rows of all drivers
  double* slopes = nullptr;   // 4 * #rows
  double* sums = nullptr;     // 4 * max_driver_joints
  double* kernels = nullptr;  // max_driver_joints for every thread of the team
};

/// Whether a driver that is cut off at rest is there; the pose kernel is 0 by itself.
template <class Real>
SUPPLE_ON_DEVICE bool is_at_rest(const BatchView& t, const BatchDriver& d, const Real* rotations) {
  if (d.kernel == RbfKernel::pose) return false;
  for (std::uint32_t k = 0; k < d.joints; ++k)
    if (!is_no_turn(setting_of(t, d, rotations, k))) return false;
  return true;
}

/// Writes the values of the basis functions of all drivers to room.rows: all at once, so that no thread of a team is
/// idle.
template <class Real, class Team>
SUPPLE_ON_DEVICE void drive_rows(const BatchView& t, const Team& team, const Real* rotations, const DriverRoom& room) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t row = team.rank(); row < t.row_count; row += team.size()) {
    const BatchDriver& d = t.drivers[t.row_drivers[row]];
    room.rows[row] = is_at_rest(t, d, rotations) ? 0 : basis_of(t, d, rotations, row - d.first_row, kernels).value;
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
SUPPLE_ON_DEVICE double slope_by_row(const BatchView& t, const BatchDriver& d, std::uint32_t row,
                                     const Real* weight_slopes) {
  const double* coefficients = t.coefficients + d.first_coefficient + std::size_t{row} * d.targets;
  double sum = 0;
  for (std::uint32_t m = 0; m < d.targets; ++m) sum += double(weight_slopes[d.first_target + m]) * coefficients[m];
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

/// Drivers of one joint, as most are: rows of all of them at once, then their sums.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_single_joints(const BatchView& t, const Team& team, const Real* rotations,
                                              const Real* weight_slopes, const DriverRoom& room,
                                              Real* rotation_slopes) {
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t at = team.rank(); at < t.row_count; at += team.size()) {
    const BatchDriver& d = t.drivers[t.row_drivers[at]];
    if (d.joints != 1) continue;
    const std::uint32_t row = at - d.first_row;
    const double by_row = slope_by_row(t, d, row, weight_slopes);
    BasisSlope slope;
    if (by_row != 0 && row < d.centres && d.kernel != RbfKernel::pose) {  // the distance and its slopes at once
      slope.of = squared_distance_of(t, d, 0, variable(setting_of(t, d, rotations, 0)), centre_of(t, d, row, 0));
      radial_value(d, slope.of.value, &slope.factor);
    } else if (by_row != 0) {
      slope = slope_of_basis(t, d, rotations, row, 0, basis_of(t, d, rotations, row, kernels), kernels);
    }
    for (std::uint32_t i = 0; i < 4; ++i)
      room.slopes[4 * std::size_t{at} + i] = by_row * slope.factor * slope.of.slopes[i];
  }
  team.sync();
  for (std::uint32_t i = team.rank(); i < 4 * t.driver_count; i += team.size()) {  // sums where the first rows were
    const BatchDriver& d = t.drivers[i / 4];
    if (d.joints != 1) continue;
    double* const first = room.slopes + 4 * std::size_t{d.first_row} + i % 4;
    for (std::uint32_t row = 1; row < d.rows; ++row) first[0] += first[4 * std::size_t{row}];
  }
  team.sync();
  for (std::uint32_t j = team.rank(); j < t.joint_count; j += team.size())  // which several drivers may follow
    for (std::uint32_t n = 0; n < t.driver_count; ++n) {
      const BatchDriver& d = t.drivers[n];
      if (d.joints == 1 && d.rows > 0 && t.driver_joints[d.first_joint] == j)
        add_setting_slope(t, d, 0, turn_at(room.slopes + 4 * std::size_t{d.first_row}), rotation_slopes);
    }
  team.sync();
}

/// Adds to the slopes by rotations (#joints * 4) what slopes by the driven weights make of them.
template <class Real, class Team>
SUPPLE_ON_DEVICE void slopes_by_drivers(const BatchView& t, const Team& team, const Real* rotations,
                                        const Real* weight_slopes, const DriverRoom& room, Real* rotation_slopes) {
  slopes_by_single_joints(t, team, rotations, weight_slopes, room, rotation_slopes);
  const JointKernels kernels{room.kernels + team.rank(), team.size()};
  for (std::uint32_t n = 0; n < t.driver_count; ++n) {
    const BatchDriver& d = t.drivers[n];
    if (d.joints < 2) continue;
    for (std::uint32_t i = team.rank(); i < 4 * d.joints; i += team.size()) room.sums[i] = 0;
    team.sync();
    for (std::uint32_t first = 0; first < d.rows; first += team.size()) {
      // Every thread has a row of its own; they add up joint by joint, all of them in every step.
      const std::uint32_t row = first + team.rank();
      const double by_row = row < d.rows ? slope_by_row(t, d, row, weight_slopes) : 0;
      BasisValue value;
      if (row < d.rows) value = basis_of(t, d, rotations, row, kernels);
      for (std::uint32_t k = 0; k < d.joints; ++k) {
        BasisSlope slope;
        if (by_row != 0) slope = slope_of_basis(t, d, rotations, row, k, value, kernels);
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
