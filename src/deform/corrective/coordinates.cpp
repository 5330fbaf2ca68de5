#include "supple/deform/corrective/coordinates.h"

#include <algorithm>
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

/// Angles below the rounding of float quaternions are none, so that a pose that is an example gives just its
/// coordinates.
constexpr double no_angle = 1e-6;

}  // namespace

double setting_distance(std::span<const Quatf> a, std::span<const Quatf> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double angle = angle_between(Quatd(a[k]), Quatd(b[k]));
    sum += angle < no_angle ? 0 : angle * angle;
  }
  return std::sqrt(sum);
}

double basis_value(const CorrectiveDriver& driver, std::span<const Quatf> centres, std::span<const Quatf> setting,
                   std::uint32_t row) {
  if (row < driver.centres) {
    const double r = setting_distance(setting, centres.subspan(row * setting.size(), setting.size()));
    return kernel_value(driver.kernel, r, double{driver.radius});
  }
  if (row == driver.centres) return 1;
  const std::uint32_t term = row - driver.centres - 1;
  return log_rotation(Quatd(setting[term / 3]))[term % 3];
}

void corrective_coordinates(const CorrectiveTable& table, std::span<const Transformf> local,
                            std::span<float> coordinates) {
  constexpr std::uint32_t at_once = 8;  // modes whose sums stay in registers
  std::fill(coordinates.begin(), coordinates.end(), 0.0f);
  for (const CorrectiveDriver& driver : table.drivers) {
    std::array<Quatf, 2> rotations;
    bool at_rest = true;
    for (std::size_t k = 0; k < driver.joint_count(); ++k) {
      const JointIndex j = driver.joints[k];
      rotations[k] = conjugate(table.rest[j]) * local[j].rotation;
      at_rest = at_rest && angle_between(Quatd(), Quatd(rotations[k])) < no_angle;
    }
    if (at_rest) continue;
    const std::span setting = std::span(std::as_const(rotations)).first(driver.joint_count());
    const std::span centres(table.centres.data() + driver.first_centre, driver.centres * setting.size());
    const double* coefficients = table.coefficients.data() + driver.first_coefficient;
    for (std::uint32_t begin = 0; begin < driver.modes; begin += at_once) {
      const std::uint32_t count = std::min(at_once, driver.modes - begin);
      double sum[at_once] = {};
      for (std::uint32_t row = 0; row < driver.rows(); ++row) {
        const double value = basis_value(driver, centres, setting, row);
        for (std::uint32_t m = 0; m < count; ++m) sum[m] += value * coefficients[row * driver.modes + begin + m];
      }
      for (std::uint32_t m = 0; m < count; ++m) coordinates[driver.first_mode + begin + m] = static_cast<float>(sum[m]);
    }
  }
}

}  // namespace supple
