#include "supple/deform/drive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "supple/base/elementary.h"
#include "supple/base/twist.h"

namespace supple {
namespace {

/// Angles below the rounding of float quaternions are none, so that a pose that is an example gives just its weights.
constexpr double no_angle = 1e-6;
double angle_or_none(double angle) { return std::abs(angle) < no_angle ? 0 : angle; }

/// The rotation q = swing * twist, twist about the axis. Where q is half a turn of swing there is no twist to tell:
/// none.
Quatd twist_of(Quatd q, Vec3d axis) {
  const double along = dot(q.xyz(), axis);
  const Quatd twist{axis.x * along, axis.y * along, axis.z * along, q.w};
  return dot(twist, twist) < 1e-12 ? Quatd() : normalized(twist);
}

/// By the angle of swing and that of twist.
double squared_distance(Quatd a, Quatd b, Vec3d twist_axis, double twist_weight) {
  const Quatd twist_a = twist_of(a, twist_axis), twist_b = twist_of(b, twist_axis);
  const double swing = angle_or_none(angle_between(a * conjugate(twist_a), b * conjugate(twist_b)));
  const double twist = twist_weight * angle_or_none(angle_between(twist_a, twist_b));
  return swing * swing + twist * twist;
}

constexpr std::size_t at_once = 8;        // centres
constexpr std::size_t block = 32;         // centres of a pose kernel, whose values of all joints lie on the stack
constexpr std::size_t sums_at_once = 64;  // targets, likewise
static_assert(block % at_once == 0);

/// Distances of a setting to a few settings that lie one after another. Loops over these are innermost: they do not
/// wait for each other.
void distances(const MorphDriver& driver, std::span<const Quatf> setting, const Quatf* others, std::size_t count,
               double* result) {
  const std::size_t joints = setting.size();
  std::fill(result, result + count, 0.0);
  for (std::size_t k = 0; k < joints; ++k) {
    const Quatd from(setting[k]);
    if (driver.twist_axes.empty()) {  // by the whole angle
      double chord[at_once];
      for (std::size_t c = 0; c < count; ++c) {
        const Quatd to(others[c * joints + k]);
        const Quatd gap = from + to * (dot(from, to) < 0 ? 1.0 : -1.0);
        chord[c] = dot(gap, gap);
      }
      for (std::size_t c = 0; c < count; ++c) {
        const double angle = angle_or_none(angle_of_chord(chord[c]));
        result[c] += angle * angle;
      }
    } else {
      const Vec3d axis(driver.twist_axes[k]);
      for (std::size_t c = 0; c < count; ++c)
        result[c] += squared_distance(from, Quatd(others[c * joints + k]), axis, double{driver.twist_weight});
    }
  }
  for (std::size_t c = 0; c < count; ++c) result[c] = std::sqrt(result[c]);
}

/// exp(-chord^2 / (2 radius^2)): chord^2 = 4 sin^2(angle / 2), which is four times the square of the vector part of
/// a^-1 b. No cancellation near 0, and none of the two signs of a quaternion matters.
double chord_gaussian(Quatd a, Quatd b, double scale) {
  return decay(scale * squared_length((conjugate(a) * b).xyz()));
}

/// kappa of one joint for some centres that turn it; `place` says which of the block they are.
void joint_values(Quatd setting, const Quatf* centres, std::size_t stride, std::span<const std::uint8_t> place,
                  double radius, double* values) {
  const double scale = chord_scale(radius), from_rest = chord_gaussian(Quatd(), setting, scale);
  for (std::size_t begin = 0; begin < place.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, place.size() - begin);
    double apart[at_once] = {}, out[at_once] = {};  // squares of sines; every lane is computed, used or not
    for (std::size_t i = 0; i < count; ++i) {
      const Quatd centre(centres[place[begin + i] * stride]);
      apart[i] = squared_length((conjugate(setting) * centre).xyz());
      out[i] = squared_length(centre.xyz());
    }
    for (std::size_t i = 0; i < at_once; ++i) apart[i] = decay(scale * apart[i]) - from_rest * decay(scale * out[i]);
    for (std::size_t i = 0; i < count; ++i) values[place[begin + i]] = apart[i];
  }
}

/// Basis functions of a pose kernel for up to `block` centres.
void pose_values(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t first, std::size_t count,
                 double* values) {
  const std::size_t joints = setting.size();
  double kappa[MorphDriver::most_joints][block];
  std::array<bool, MorphDriver::most_joints> acts{};
  std::fill(values, values + count, 0.0);
  for (std::size_t k = 0; k < joints; ++k) {
    if (is_none(setting[k])) continue;
    const Quatf* centres = &driver.centres[first * joints + k];
    std::uint8_t place[block];
    std::size_t turned = 0;
    for (std::size_t c = 0; c < count; ++c)
      if (!is_none(centres[c * joints])) place[turned++] = static_cast<std::uint8_t>(c);
    if (turned == 0) continue;
    acts[k] = true;
    std::fill(kappa[k], kappa[k] + count, 0.0);
    joint_values(Quatd(setting[k]), centres, joints, {place, turned}, double{driver.radii[k]}, kappa[k]);
    for (std::size_t c = 0; c < count; ++c) values[c] += kappa[k][c];
  }
  const double weight{driver.pair_weight};
  for (const auto& [a, b] : driver.pairs) {
    if (!acts[a] || !acts[b]) continue;
    for (std::size_t c = 0; c < count; ++c) values[c] += weight * kappa[a][c] * kappa[b][c];
  }
}

/// Basis functions of a few centres.
void centre_values(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t first, std::size_t count,
                   double* values) {
  distances(driver, setting, &driver.centres[first * setting.size()], count, values);
  const double scale = 1 / double{driver.radius};
  const auto each = [&](auto kernel) {
    for (std::size_t c = 0; c < count; ++c) values[c] = kernel(values[c]);
  };
  switch (driver.kernel) {
    case RbfKernel::exponential:
      return each([=](double r) { return decay(r * scale); });
    case RbfKernel::gaussian:
      return each([=](double r) { return decay((r * scale) * (r * scale)); });
    case RbfKernel::linear:
      return;
    case RbfKernel::cubic:
      return each([](double r) { return r * r * r; });
    case RbfKernel::pose:
      return;  // see pose_values
  }
}

/// The terms after those of the centres.
double polynomial_term(std::span<const Quatf> setting, std::size_t term) {
  if (term == 0) return 1;
  return log_rotation(Quatd(setting[(term - 1) / 3]))[(term - 1) % 3];
}

}  // namespace

double setting_distance(const MorphDriver& driver, std::span<const Quatf> a, std::span<const Quatf> b) {
  double result = 0;
  distances(driver, a, b.data(), 1, &result);
  return result;
}

bool is_none(Quatf rotation) { return squared_length(Vec3d(rotation.xyz())) < no_angle * no_angle / 4; }

double joint_kernel(Quatd setting, Quatd centre, double radius) {
  const double scale = chord_scale(radius);
  return chord_gaussian(setting, centre, scale) -
         chord_gaussian(Quatd(), setting, scale) * chord_gaussian(Quatd(), centre, scale);
}

double basis_value(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t row) {
  const std::size_t centres = driver.centre_count();
  if (row >= centres) return polynomial_term(setting, row - centres);
  double value = 0;
  (driver.kernel == RbfKernel::pose ? pose_values : centre_values)(driver, setting, row, 1, &value);
  return value;
}

/// Adds to some weights, from `first` on, what the rows give them, within their limits.
static void add_rows(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t first,
                     std::span<float> weights) {
  double sum[sums_at_once] = {}, values[block];
  const auto add = [&](std::size_t row, double value) {
    const double* coefficients = &driver.coefficients[row * driver.targets() + first];
    for (std::size_t m = 0; m < weights.size(); ++m) sum[m] += value * coefficients[m];
  };
  const std::size_t centres = driver.centre_count(), rows = driver.rows();
  const bool pose = driver.kernel == RbfKernel::pose;
  const std::size_t step = pose ? block : at_once;
  for (std::size_t begin = 0; begin < centres; begin += step) {
    const std::size_t count = std::min(step, centres - begin);
    (pose ? pose_values : centre_values)(driver, setting, begin, count, values);
    for (std::size_t c = 0; c < count; ++c) add(begin + c, values[c]);
  }
  for (std::size_t row = centres; row < rows; ++row) add(row, polynomial_term(setting, row - centres));
  for (std::size_t m = 0; m < weights.size(); ++m)
    weights[m] = driver.limited(first + m, static_cast<float>(double{weights[m]} + sum[m]));
}

void drive(std::span<const MorphDriver> drivers, std::span<const Transformf> local, std::span<float> morph_weights) {
  for (const MorphDriver& driver : drivers) {
    std::array<Quatf, MorphDriver::most_joints> rotations;
    bool at_rest = true;
    for (std::size_t k = 0; k < driver.joints.size(); ++k) {
      rotations[k] = conjugate(driver.reference[k]) * local[driver.joints[k]].rotation;
      at_rest = at_rest && is_none(rotations[k]);
    }
    const std::span out = morph_weights.subspan(driver.first_weight, driver.targets());
    std::copy(driver.rest_weights.begin(), driver.rest_weights.end(), out.begin());
    if (at_rest) continue;
    const std::span setting = std::span(std::as_const(rotations)).first(driver.joints.size());
    for (std::size_t begin = 0; begin < out.size(); begin += sums_at_once)
      add_rows(driver, setting, begin, out.subspan(begin, std::min(sums_at_once, out.size() - begin)));
  }
}

void drive(std::span<const MorphDriver> drivers, Pose& pose) { drive(drivers, pose.local, pose.morph_weights); }

}  // namespace supple
