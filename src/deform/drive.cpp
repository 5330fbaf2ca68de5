#include "supple/deform/drive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "supple/base/twist.h"

namespace supple {
namespace {

double kernel_value(RbfKernel kernel, double r, double radius) {
  switch (kernel) {
    case RbfKernel::exponential:
      return std::exp(-r / radius);
    case RbfKernel::gaussian:
      return std::exp(-(r / radius) * (r / radius));
    case RbfKernel::linear:
      return r;
    case RbfKernel::cubic:
      return r * r * r;
  }
  return 0;
}

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

double squared_distance(Quatd a, Quatd b, const Vec3f* twist_axis, double twist_weight) {
  if (twist_axis == nullptr) {
    // By the chord |a - b| = 2 sin(angle / 4): as exact as the arc tangent of a^-1 b, and half its cost.
    const Quatd gap = dot(a, b) < 0 ? a + b : a + -b;
    const double angle = angle_or_none(4 * std::asin(std::min(1.0, std::sqrt(dot(gap, gap)) / 2)));
    return angle * angle;
  }
  const Vec3d axis(*twist_axis);
  const Quatd twist_a = twist_of(a, axis), twist_b = twist_of(b, axis);
  const double swing = angle_or_none(angle_between(a * conjugate(twist_a), b * conjugate(twist_b)));
  const double twist = twist_weight * angle_or_none(angle_between(twist_a, twist_b));
  return swing * swing + twist * twist;
}

}  // namespace

double setting_distance(const MorphDriver& driver, std::span<const Quatf> a, std::span<const Quatf> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += squared_distance(Quatd(a[k]), Quatd(b[k]), driver.twist_axes.empty() ? nullptr : &driver.twist_axes[k],
                            double{driver.twist_weight});
  return std::sqrt(sum);
}

/// Basis function of a centre.
static double centre_value(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t centre) {
  const std::span<const Quatf> at(driver.centres.data() + centre * setting.size(), setting.size());
  return kernel_value(driver.kernel, setting_distance(driver, setting, at), double{driver.radius});
}

double basis_value(const MorphDriver& driver, std::span<const Quatf> setting, std::size_t row) {
  const std::size_t centres = driver.centre_count();
  if (row < centres) return centre_value(driver, setting, row);
  if (row == centres) return 1;
  const std::size_t term = row - centres - 1;
  return log_rotation(Quatd(setting[term / 3]))[term % 3];
}

void drive(std::span<const MorphDriver> drivers, std::span<const Transformf> local, std::span<float> morph_weights) {
  constexpr std::size_t at_once = 8;  // targets whose sums stay in registers
  for (const MorphDriver& driver : drivers) {
    std::array<Quatf, 2> rotations;
    bool at_rest = true;
    for (std::size_t k = 0; k < driver.joints.size(); ++k) {
      rotations[k] = conjugate(driver.reference[k]) * local[driver.joints[k]].rotation;
      at_rest = at_rest && angle_between(Quatd(), Quatd(rotations[k])) < no_angle;
    }
    const std::span out = morph_weights.subspan(driver.first_weight, driver.targets());
    std::copy(driver.rest_weights.begin(), driver.rest_weights.end(), out.begin());
    if (at_rest) continue;
    const std::span setting = std::span(std::as_const(rotations)).first(driver.joints.size());
    const std::size_t centres = driver.centre_count(), rows = driver.rows();
    for (std::size_t begin = 0; begin < out.size(); begin += at_once) {
      const std::size_t count = std::min(at_once, out.size() - begin);
      double sum[at_once] = {};
      for (std::size_t row = 0; row < rows; ++row) {
        const double value = row < centres ? centre_value(driver, setting, row) : basis_value(driver, setting, row);
        for (std::size_t m = 0; m < count; ++m) sum[m] += value * driver.coefficients[row * out.size() + begin + m];
      }
      for (std::size_t m = 0; m < count; ++m) out[begin + m] = static_cast<float>(double{out[begin + m]} + sum[m]);
    }
  }
}

void drive(std::span<const MorphDriver> drivers, Pose& pose) { drive(drivers, pose.local, pose.morph_weights); }

}  // namespace supple
