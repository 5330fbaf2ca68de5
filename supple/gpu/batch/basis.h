// Basis functions of the joints of one pose, which drivers make morph weights of, and their slopes by the rotations; in
// double as in supple/deform/drive.cpp.
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

/// Where joint k of a driver is, of the settings of a pose: 4 numbers of each joint of all drivers, reference^-1 *
/// local.
SUPPLE_ON_DEVICE inline Turn<double> setting_of(const BatchDriver& d, const double* settings, std::uint32_t k) {
  return turn_at(settings + std::size_t{4} * (d.first_joint + k));
}
/// Setting `at` of a pose with these local rotations (null: as at rest).
template <class Real>
SUPPLE_ON_DEVICE Turn<double> find_setting(const BatchView& t, std::uint32_t at, const Real* rotations) {
  const std::size_t j = std::size_t{4} * t.driver_joints[at];
  Turn<double> local = {};
  if (rotations != nullptr)
    local = {double(rotations[j]), double(rotations[j + 1]), double(rotations[j + 2]), double(rotations[j + 3])};
  else
    local = {double(t.rest_rotations[j]), double(t.rest_rotations[j + 1]), double(t.rest_rotations[j + 2]),
             double(t.rest_rotations[j + 3])};
  return turn_between(turn_at(t.driver_references + std::size_t{4} * at), local);
}

/// asin(x)^2 / x^2 of x^2 up to a half is a polynomial of x^2, without the roots and divisions that the angle itself
/// would take: interpolated at Chebyshev nodes, to 4e-16.
inline constexpr int arc_terms = 18;
SUPPLE_ON_DEVICE constexpr double arc_term(int i) {
  constexpr double series[arc_terms] = {
      0.9999999999999998,   0.3333333333336239,   0.17777777771542846, 0.11428571957076086, 0.081269605781923,
      0.061574423044727364, 0.048599889486560285, 0.04118585704847234, 0.02076148720348778, 0.11067290731777447,
      -0.3792345962104177,  1.5080499520508546,   -4.072870215777421,  8.329550989544446,   -12.110677571177652,
      12.080701723504074,   -7.375868506853218,   2.1474532497337413};
  return series[i];
}
inline constexpr double square_of_half_a_turn = 9.869604401089358;

/// sin^2(angle / 4) of the angle between two rotations, b with the sign that is nearer: a quarter of the square of
/// their `gap`.
SUPPLE_ON_DEVICE inline double squared_sine(const Turn<double>& a, const Turn<double>& b, double (&gap)[4]) {
  const double sign = turn_dot(a, b) < 0 ? 1.0 : -1.0;
  gap[0] = a.x + sign * b.x, gap[1] = a.y + sign * b.y, gap[2] = a.z + sign * b.z, gap[3] = a.w + sign * b.w;
  return (gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2] + gap[3] * gap[3]) / 4;
}
/// The square of an angle of at most half a turn; tiny ones are none.
SUPPLE_ON_DEVICE inline double squared_angle_of_sine(double square, double arc) {
  if (square >= 0.5) return square_of_half_a_turn;
  const double made = 16 * square * arc;
  return made < batch_no_angle * batch_no_angle ? 0 : made;
}

/// Squares of the angles between some rotations and another one.
template <unsigned Count>
SUPPLE_ON_DEVICE void squared_angles(const Turn<double> (&a)[Count], const Turn<double>& b, double (&squares)[Count]) {
  double arc[Count], gap[4];
  for (unsigned k = 0; k < Count; ++k) squares[k] = squared_sine(a[k], b, gap), arc[k] = arc_term(arc_terms - 1);
  for (int i = arc_terms - 2; i >= 0; --i)
    for (unsigned k = 0; k < Count; ++k) arc[k] = arc[k] * squares[k] + arc_term(i);
  for (unsigned k = 0; k < Count; ++k) squares[k] = squared_angle_of_sine(squares[k], arc[k]);
}
/// The square of the angle between two rotations, and its slopes by `a`.
SUPPLE_ON_DEVICE inline Sloped squared_angle(const Turn<double>& a, const Turn<double>& b) {
  double gap[4];
  const double square = squared_sine(a, b, gap);
  double arc = arc_term(arc_terms - 1), by_square = 0;
  for (int i = arc_terms - 2; i >= 0; --i) {
    by_square = by_square * square + arc;
    arc = arc * square + arc_term(i);
  }
  Sloped made(squared_angle_of_sine(square, arc));
  if (square >= 0.5 || made.value == 0) return made;
  const double factor = 8 * (arc + square * by_square);  // the slope by the gap is that by the square, times gap / 2
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
    if constexpr (std::is_same_v<T, Sloped>) {
      return squared_angle(values_of(setting), centre);
    } else {
      double square[1];
      squared_angles<1>({setting}, centre, square);
      return square[0];
    }
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
SUPPLE_ON_DEVICE inline double radial_value(RowKind kind, double over_radius, double square, double* slope) {
#if defined(__CUDA_ARCH__)
  const double over = square > 0 ? rsqrt(square) : 0, r = square * over;
#else
  const double r = std::sqrt(square), over = r > 0 ? 1 / r : 0;
#endif
  switch (kind) {
    case RowKind::exponential: {
      const double e = std::exp(-r * over_radius);
      *slope = -0.5 * e * over_radius * over;
      return e;
    }
    case RowKind::gaussian: {
      const double scale = over_radius * over_radius, e = std::exp(-square * scale);
      *slope = -e * scale;
      return e;
    }
    case RowKind::linear:
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
SUPPLE_ON_DEVICE inline BasisValue basis_of(const BatchView& t, const BatchDriver& d, const double* settings,
                                            std::uint32_t row, const JointKernels& kernels) {
  if (row >= d.centres) {  // the polynomial: 1, then three numbers of each rotation vector
    const std::uint32_t term = row - d.centres;
    return {term == 0 ? 1 : rotation_vector(setting_of(d, settings, (term - 1) / 3), (term - 1) % 3), 0};
  }
  BasisValue made;
  double sum = 0;
  if (!d.is_pose_kernel) {
    for (std::uint32_t k = 0; k < d.joints; ++k)
      sum += squared_distance_of(t, d, k, setting_of(d, settings, k), centre_of(t, d, row, k));
    made.value = radial_value(d.kind, d.over_radius, sum, &made.slope);
    return made;
  }
  for (std::uint32_t k = 0; k < d.joints; ++k) {
    const Turn<double> centre = centre_of(t, d, row, k);
    kernels[k] =
        is_no_turn(centre) ? 0 : joint_kernel_of(t.driver_radii[d.first_joint + k], setting_of(d, settings, k), centre);
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
SUPPLE_ON_DEVICE inline BasisSlope slope_of_basis(const BatchView& t, const BatchDriver& d, const double* settings,
                                                  std::uint32_t row, std::uint32_t k, const BasisValue& value,
                                                  const JointKernels& kernels) {
  if (row >= d.centres) {
    const std::uint32_t term = row - d.centres;
    if (term == 0 || (term - 1) / 3 != k) return {};
    return {1, rotation_vector(variable(setting_of(d, settings, k)), (term - 1) % 3)};
  }
  const Turn<double> centre = centre_of(t, d, row, k);
  if (d.is_pose_kernel && is_no_turn(centre)) return {};
  const Turn<Sloped> setting = variable(setting_of(d, settings, k));
  if (!d.is_pose_kernel) return {value.slope, squared_distance_of(t, d, k, setting, centre)};
  return {1 + d.pair_weight * paired_kernels(t, d, k, kernels),
          joint_kernel_of(t.driver_radii[d.first_joint + k], setting, centre)};
}

}  // namespace supple::gpu
