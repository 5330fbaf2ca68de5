#include "supple/author/learn/rbf_fit.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "supple/deform/drive.h"
#include "supple/deform/driver_layer.h"

namespace supple::learn {
namespace {

constexpr double same_setting = 1e-4;  // radians

struct Spacing {
  double mean_nearest = 0;
  std::size_t first = 0, second = 0;  // the two nearest centres
  double smallest = std::numeric_limits<double>::infinity();
};

Spacing spacing_of(const MorphDriver& driver) {
  const std::size_t n = driver.centre_count(), joints = driver.joints.size();
  const std::span<const Quatf> centres(driver.centres);
  Spacing result;
  for (std::size_t a = 0; a < n; ++a) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b) continue;
      const double r =
          setting_distance(driver, centres.subspan(a * joints, joints), centres.subspan(b * joints, joints));
      nearest = std::min(nearest, r);
      if (r < result.smallest) result.smallest = r, result.first = std::min(a, b), result.second = std::max(a, b);
    }
    if (n > 1) result.mean_nearest += nearest / static_cast<double>(n);
  }
  return result;
}

void put_centres(MorphDriver& driver, std::span<const RbfSample> samples, std::span<const std::vector<Quatf>> zeros) {
  driver.centres.assign(driver.joints.size(), Quatf{});
  for (const RbfSample& s : samples) driver.centres.insert(driver.centres.end(), s.setting.begin(), s.setting.end());
  for (const auto& z : zeros) driver.centres.insert(driver.centres.end(), z.begin(), z.end());
}

std::span<const Quatf> centre(const MorphDriver& driver, std::size_t c) {
  return std::span(driver.centres).subspan(c * driver.joints.size(), driver.joints.size());
}

/// Basis functions (columns) at the centres (rows).
DenseMatrix kernel_matrix(const MorphDriver& driver) {
  const std::size_t n = driver.centre_count(), rows = driver.rows();
  DenseMatrix a(rows, rows);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      a(c, r) = basis_value(driver, centre(driver, c), r);
      if (r >= n) a(r, c) = a(c, r);  // cubic kernel: the weights of the centres annihilate the polynomial
    }
  return a;
}

}  // namespace

Result<void> interpolate(MorphDriver& driver, std::span<const RbfSample> samples, const DenseMatrix& coordinates,
                         double radius_factor) {
  put_centres(driver, samples, {});
  driver.radius = static_cast<float>(samples.empty() ? 1 : radius_factor * spacing_of(driver).mean_nearest);
  return interpolate_within(driver, samples, coordinates);
}

Result<void> interpolate_within(MorphDriver& driver, std::span<const RbfSample> samples,
                                const DenseMatrix& coordinates) {
  put_centres(driver, samples, {});
  const Spacing spacing = spacing_of(driver);
  const auto name = [&](std::size_t c) {
    return c == 0 ? std::string("the rest pose") : "'" + samples[c - 1].name + "'";
  };
  if (spacing.smallest < same_setting)
    return Error{"examples " + name(spacing.first) + " and " + name(spacing.second), "set the joint the same way",
                 "leave one of them out, or give it another pose"};
  driver.rest_weights.assign(coordinates.columns, 0.0f);
  const std::size_t n = driver.centre_count(), rows = driver.rows(), modes = coordinates.columns;
  DenseMatrix a = kernel_matrix(driver), b(rows, modes);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t m = 0; m < modes; ++m) b(s + 1, m) = coordinates(s, m);
  // Rotations about one axis leave the polynomial's other directions undetermined: a small weight settles them at 0.
  for (std::size_t r = n; r < rows; ++r) a(r, r) -= 1e-9;
  auto solved = solve(std::move(a), std::move(b));
  if (!solved) return Error{"examples up to " + name(n - 1), "do not determine the coordinates", "use another kernel"};
  driver.coefficients = std::move(solved->values);
  return {};
}

double smooth(MorphDriver& driver, std::span<const RbfSample> samples, std::span<const std::vector<Quatf>> zeros,
              const DenseMatrix& coordinates) {
  constexpr double rest_noise = 1e-9;  // rest is exact
  put_centres(driver, samples, zeros);
  driver.rest_weights.assign(coordinates.columns, 0.0f);
  const std::size_t n = driver.centre_count(), modes = coordinates.columns;
  const double spacing = std::max(spacing_of(driver).mean_nearest, 0.05);
  double energy = 0;
  DenseMatrix wanted(n, modes);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t m = 0; m < modes; ++m) {
      wanted(s + 1, m) = coordinates(s, m);
      energy += coordinates(s, m) * coordinates(s, m);
    }
  driver.coefficients.assign(n * modes, 0.0);
  double best = std::numeric_limits<double>::infinity();
  float best_radius = driver.radius = static_cast<float>(spacing);
  for (const double radius_factor : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    driver.radius = static_cast<float>(radius_factor * spacing);
    const DenseMatrix kernel = kernel_matrix(driver);
    for (const double noise : {1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0}) {
      DenseMatrix a = kernel, identity(n, n);
      for (std::size_t c = 0; c < n; ++c) {
        a(c, c) += c == 0 ? rest_noise : noise;
        identity(c, c) = 1;
      }
      const auto inverse = solve(std::move(a), std::move(identity));
      if (!inverse) continue;
      std::vector<double> coefficients(n * modes, 0.0);
      double missed = 0;
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t m = 0; m < modes; ++m) {
          double sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += (*inverse)(c, k) * wanted(k, m);
          coefficients[c * modes + m] = sum;
          // What is left of sample c when it is predicted from the others (Sundararajan, Keerthi 2001).
          const double left = sum / (*inverse)(c, c);
          if (c >= 1 && c <= samples.size()) missed += left * left;
        }
      if (missed < best) best = missed, best_radius = driver.radius, driver.coefficients = std::move(coefficients);
    }
  }
  driver.radius = best_radius;
  return energy > 0 ? best / energy : 1;
}

void set_limits(MorphDriver& driver, std::span<const std::vector<Quatf>> settings) {
  driver.least = driver.most = {};
  std::vector<float> low = driver.rest_weights, high = low, at = low;
  // The same driver with settings as its joints' rotations.
  MorphDriver plain = driver;
  plain.first_weight = 0;
  std::iota(plain.joints.begin(), plain.joints.end(), JointIndex{0});
  plain.reference.assign(plain.joints.size(), Quatf{});
  DriverLayer layer(std::span(&plain, 1));
  std::vector<Transformf> local(plain.joints.size());
  for (const std::vector<Quatf>& setting : settings) {
    for (std::size_t k = 0; k < setting.size(); ++k) local[k].rotation = setting[k];
    layer.drive(local, at);
    for (std::size_t m = 0; m < at.size(); ++m) {
      low[m] = std::min(low[m], at[m]);
      high[m] = std::max(high[m], at[m]);
    }
  }
  const auto limit = [](float rest, float reached) {
    return static_cast<float>(double{rest} + limit_slack * (double{reached} - double{rest}));
  };
  for (std::size_t m = 0; m < at.size(); ++m) {
    driver.least.push_back(limit(driver.rest_weights[m], low[m]));
    driver.most.push_back(limit(driver.rest_weights[m], high[m]));
  }
}

MorphDriver with_modes(const MorphDriver& driver, std::span<const std::size_t> modes) {
  MorphDriver result = driver;
  result.coefficients.clear();
  for (const auto numbers : {&MorphDriver::rest_weights, &MorphDriver::least, &MorphDriver::most}) {
    (result.*numbers).clear();
    if ((driver.*numbers).empty()) continue;  // no limits
    for (const std::size_t m : modes) (result.*numbers).push_back((driver.*numbers)[m]);
  }
  for (std::size_t r = 0; r < driver.rows(); ++r)
    for (const std::size_t m : modes) result.coefficients.push_back(driver.coefficients[r * driver.targets() + m]);
  return result;
}

}  // namespace supple::learn
