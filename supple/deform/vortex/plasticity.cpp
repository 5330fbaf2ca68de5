#include "supple/deform/vortex/plasticity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/deform/vortex/field.h"

namespace supple {
namespace {

constexpr double regularisation = 1e-3;  // Tikhonov's, of the largest singular value
constexpr double least_volume = 0.01;    // of the shape's: a target with less has collapsed
constexpr std::size_t most_samples = 2600;
constexpr int flow_steps = 2, power_rounds = 30;
constexpr int refinements = 3;
/// Reaches to try, in units of the shortest radius. Short ones model detail, long ones bend and squash as a whole.
constexpr double reaches[] = {1.5, 2, 2.5, 1.25, 3, 4};
constexpr double good_enough = 0.01;  // residual

/// Symmetric positive definite, dense, by rows: L L^T in place. False where a pivot vanishes.
class Cholesky {
 public:
  explicit Cholesky(std::size_t n) : n_(n), a_(n * n) {}
  double& operator()(std::size_t row, std::size_t column) { return a_[row * n_ + column]; }

  bool factor() {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j; i < n_; ++i) {
        double sum = a_[i * n_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= a_[i * n_ + k] * a_[j * n_ + k];
        if (i == j && !(sum > 0)) return false;
        a_[i * n_ + j] = i == j ? std::sqrt(sum) : sum / a_[j * n_ + j];
      }
    }
    return true;
  }
  std::vector<double> solve(std::vector<double> b) const {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[k * n_ + i] * b[k];
      b[i] /= a_[i * n_ + i];
    }
    return b;
  }

 private:
  std::size_t n_;
  std::vector<double> a_;
};

/// How far across the surface each sample goes by each vortex: M of equation 15 with only its normal components, rows
/// by the root of their areas. The least W with M W = b is M^T y where M M^T y = b.
class AcrossSurface {
 public:
  AcrossSurface(const VortexSamples& samples, double reach)
      : samples_(samples), n_(samples.positions.size()), rows_(n_ * n_), normal_(n_) {
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = 0; i < n_; ++i) {
        const Vec3d d = samples.positions[j] - samples.positions[i];
        const double f = std::max(0.0, 1 - squared_length(d) / (reach * reach));
        rows_[j * n_ + i] = cross(d, samples.normals[j]) * (f * f * f * f * std::sqrt(samples.areas[j]));
      }
    }
    for (std::size_t a = 0; a < n_; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t i = 0; i < n_; ++i) sum += dot(rows_[a * n_ + i], rows_[b * n_ + i]);
        normal_(a, b) = normal_(b, a) = sum;
      }
    }
  }

  bool factor() {
    const double damping = regularisation * regularisation * largest_eigenvalue();
    for (std::size_t i = 0; i < n_; ++i) normal_(i, i) += damping;
    return damping > 0 && normal_.factor();
  }
  /// Adds to `vorticity` what moves samples across the surface by these distances, as nearly as it can.
  void add(std::span<const double> distances, std::span<Vec3d> vorticity) const {
    std::vector<double> b(n_);
    for (std::size_t j = 0; j < n_; ++j) b[j] = distances[j] * std::sqrt(samples_.areas[j]);
    const std::vector<double> y = normal_.solve(std::move(b));
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < n_; ++i) vorticity[i] += rows_[j * n_ + i] * y[j];
  }

 private:
  double largest_eigenvalue() {
    std::vector<double> x(n_), next(n_);
    for (std::size_t i = 0; i < n_; ++i) x[i] = 1 + 0.5 * static_cast<double>(i % 7);  // no eigenvector by chance
    double value = 0;
    for (int round = 0; round < power_rounds; ++round) {
      double size = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        next[i] = 0;
        for (std::size_t k = 0; k < n_; ++k) next[i] += normal_(i, k) * x[k];
        size += next[i] * next[i];
      }
      value = std::sqrt(size);
      if (!(value > 0)) return 0;
      for (std::size_t i = 0; i < n_; ++i) x[i] = next[i] / value;
    }
    return value;
  }

  const VortexSamples& samples_;
  std::size_t n_;
  std::vector<Vec3d> rows_;
  Cholesky normal_;
};

Result<void> check(const VortexMuscle& muscle, const std::string& item, const Mesh& surface, std::size_t samples) {
  if (muscle.target.size() != surface.positions.size())
    return Error{item,
                 "has a target of " + std::to_string(muscle.target.size()) + " points for a surface of " +
                     std::to_string(surface.positions.size()),
                 "give the same points, displaced"};
  if (!std::all_of(muscle.target.begin(), muscle.target.end(), [](Vec3f p) { return is_finite(p); }))
    return Error{item, "has a target shape that is not finite", ""};
  const double before = enclosed_volume(surface.positions, surface.triangles);
  const double after = enclosed_volume(muscle.target, surface.triangles);
  if (!(after > least_volume * before))
    return Error{item, "has a target that collapsed or is inside out", "give a shape with a volume"};
  if (samples > most_samples)
    return Error{item, "has too many samples for a target", "give at most " + std::to_string(most_samples)};
  return {};
}

/// Where samples are to come to lie, and the way out there.
struct Wanted {
  std::vector<Vec3d> positions, normals;
};

/// The target, resized to the volume of the shape: vortices cannot inflate.
Wanted wanted(const VortexMuscle& muscle, const Mesh& surface, const VortexSamples& samples) {
  Vec3d center{};
  for (const Vec3f p : muscle.target) center += Vec3d(p) / static_cast<double>(muscle.target.size());
  const double resize = std::cbrt(enclosed_volume(surface.positions, surface.triangles) /
                                  enclosed_volume(muscle.target, surface.triangles));
  const std::size_t count = samples.positions.size();
  Wanted w{std::vector<Vec3d>(samples.positions), std::vector<Vec3d>(count)};
  for (std::size_t i = 0; i < surface.positions.size(); ++i) {
    const Vec3d there = center + (Vec3d(muscle.target[i]) - center) * resize;
    w.positions[samples.sample_of[i]] += (there - Vec3d(surface.positions[i])) * samples.share[i];
  }
  for (const Triangle& t : surface.triangles) {
    const Vec3d a(muscle.target[t[0]]), b(muscle.target[t[1]]), c(muscle.target[t[2]]), patch = cross(b - a, c - a);
    for (const std::uint32_t v : t) w.normals[samples.sample_of[v]] += patch;
  }
  for (std::size_t i = 0; i < count; ++i) w.normals[i] = normalized(w.normals[i], samples.normals[i]);
  return w;
}

double mean_square(std::span<const double> values, std::span<const double> areas) {
  double sum = 0, area = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i] * values[i] * areas[i];
    area += areas[i];
  }
  return sum / area;
}

/// With vortices of one reach. Only the way across the surface counts: points may slide along it.
PlasticShape fit(const VortexSamples& samples, const Wanted& wanted, double change, double reach) {
  PlasticShape best;
  best.residual = std::numeric_limits<double>::infinity();
  AcrossSurface system(samples, reach);
  if (!system.factor()) return best;
  std::vector<Vec3d> vorticity(samples.positions.size());
  std::vector<double> across(vorticity.size());
  const VortexField field{samples.positions, vorticity, 1, reach};
  for (int round = 0; round <= refinements; ++round) {
    for (std::size_t i = 0; i < vorticity.size(); ++i) {
      const Vec3d there = vortex_flow([&](Vec3d p) { return field.velocity(p); }, samples.positions[i], flow_steps);
      across[i] = dot(wanted.positions[i] - there, round == 0 ? samples.normals[i] : wanted.normals[i]);
    }
    const double residual = std::sqrt(mean_square(across, samples.areas)) / change;
    if (round > 0 && !(residual < best.residual)) break;  // also where it is not finite
    if (round > 0) best = {vorticity, reach, residual};
    system.add(across, vorticity);
  }
  return best;
}

}  // namespace

Result<PlasticShape> plastic_shape(const VortexMuscle& muscle, const std::string& item, const Mesh& surface,
                                   const VortexSamples& samples) {
  PlasticShape shape;
  if (muscle.target.empty()) return shape;
  if (auto ok = check(muscle, item, surface, samples.positions.size()); !ok) return ok.error();
  const double radius = double{std::min({muscle.radii.x, muscle.radii.y, muscle.radii.z})};
  const Wanted there = wanted(muscle, surface, samples);
  std::vector<double> across(samples.positions.size());
  for (std::size_t i = 0; i < across.size(); ++i)
    across[i] = dot(there.positions[i] - samples.positions[i], samples.normals[i]);
  const double change = std::sqrt(mean_square(across, samples.areas));
  constexpr double rounding = 1e-6;  // of the radius: floats are no finer
  if (!(change > rounding * radius)) return shape;
  shape.residual = std::numeric_limits<double>::infinity();
  for (const double reach : reaches) {
    PlasticShape next = fit(samples, there, change, reach * radius);
    if (next.residual < shape.residual) shape = std::move(next);
    if (shape.residual <= good_enough) break;
  }
  if (!(shape.residual < 1))
    return Error{item, "has a target that no vortices lead to", "ask for less, or give a smoother surface"};
  return shape;
}

}  // namespace supple
