#include "supple/learn/rbf_fit.h"

#include <algorithm>
#include <limits>

#include "supple/deform/corrective/coordinates.h"

namespace supple::learn {
namespace {

constexpr double same_setting = 1e-4;  // radians
constexpr double radius_factor = 10;   // of the mean distance to the nearest centre

}  // namespace

Result<RbfFit> fit_rbf(CorrectiveDriver& driver, std::span<const RbfSample> samples, const DenseMatrix& coordinates) {
  const std::size_t joints = driver.joint_count(), n = samples.size() + 1, modes = coordinates.columns;
  RbfFit fit;
  fit.centres.assign(joints, Quatf{});
  for (const RbfSample& s : samples) fit.centres.insert(fit.centres.end(), s.setting.begin(), s.setting.end());
  const std::span<const Quatf> centres(fit.centres);
  const auto setting = [&](std::size_t c) { return centres.subspan(c * joints, joints); };
  const auto name = [&](std::size_t c) {
    return c == 0 ? std::string("the rest pose") : "'" + samples[c - 1].name + "'";
  };
  double spacing = 0;
  for (std::size_t a = 0; a < n; ++a) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const double r = setting_distance(setting(a), setting(b));
      if (r < same_setting)
        return Error{"examples " + name(std::min(a, b)) + " and " + name(std::max(a, b)), "set the joint the same way",
                     "leave one of them out, or give it another pose"};
      nearest = std::min(nearest, r);
    }
    spacing += nearest / static_cast<double>(n);
  }
  driver.centres = static_cast<std::uint32_t>(n);
  driver.modes = static_cast<std::uint32_t>(modes);
  if (driver.radius == 0) driver.radius = static_cast<float>(n > 1 ? radius_factor * spacing : 1);
  // Interpolation conditions, and for the cubic kernel: the weights of the centres annihilate the polynomial.
  const std::size_t rows = driver.rows();
  DenseMatrix a(rows, rows), b(rows, modes);
  for (std::uint32_t c = 0; c < n; ++c) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      a(c, r) = basis_value(driver, centres, setting(c), r);
      if (r >= n) a(r, c) = a(c, r);
    }
    if (c == 0) continue;
    for (std::size_t m = 0; m < modes; ++m) b(c, m) = coordinates(c - 1, m);
  }
  // Rotations about one axis leave the polynomial's other directions undetermined: a small weight settles them at 0.
  for (std::size_t r = n; r < rows; ++r) a(r, r) -= 1e-9;
  auto solved = solve(std::move(a), std::move(b));
  if (!solved) return Error{"examples of " + name(n - 1), "do not determine the coordinates", "use another kernel"};
  fit.coefficients = std::move(*solved);
  return fit;
}

}  // namespace supple::learn
