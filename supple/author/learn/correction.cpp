#include "supple/author/learn/correction.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/modes.h"
#include "supple/author/learn/rbf_fit.h"
#include "supple/base/parallel.h"
#include "supple/deform/drive.h"

namespace supple::learn {
namespace {

constexpr std::size_t most_modes = 12;

/// Fields of some examples, on the support and times its mask.
std::vector<std::vector<Vec3f>> masked(const Support& support, const std::vector<Vec3f>& fields, std::size_t vertices,
                                       std::span<const std::size_t> examples) {
  std::vector<std::vector<Vec3f>> result(examples.size());
  parallel_for(examples.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const Vec3f* field = &fields[examples[e] * vertices];
      result[e].reserve(support.vertices.size());
      for (std::size_t i = 0; i < support.vertices.size(); ++i)
        result[e].push_back(field[support.vertices[i]] * support.mask[i]);
    }
  });
  return result;
}

/// Modes of positions and normals, and the coordinates of both side by side.
DenseMatrix learn_modes(Correction& c, const Residual& residual, std::span<const std::size_t> examples,
                        NormalModes normals) {
  const auto& fields = residual.fields;
  std::vector<float> weights;
  for (const std::size_t e : examples) weights.push_back(residual.example(e).weight);
  const auto positions = masked(c.support, fields.positions, fields.vertices, examples);
  PrincipalModes modes =
      principal_modes(std::vector<std::span<const Vec3f>>(positions.begin(), positions.end()), weights, most_modes);
  PrincipalModes own;
  if (normals != NormalModes::none) {
    const auto directions = masked(c.support, fields.normals, fields.vertices, examples);
    const std::vector<std::span<const Vec3f>> spans(directions.begin(), directions.end());
    if (normals == NormalModes::own) own = principal_modes(spans, weights, most_modes);
    if (normals == NormalModes::shared) c.normals = companion_modes(modes, spans, weights);
  }
  const std::size_t first = modes.modes.size(), second = own.modes.size();
  DenseMatrix coordinates(examples.size(), first + second);
  for (std::size_t e = 0; e < examples.size(); ++e) {
    for (std::size_t m = 0; m < first; ++m) coordinates(e, m) = modes.coordinates(e, m);
    for (std::size_t m = 0; m < second; ++m) coordinates(e, first + m) = own.coordinates(e, m);
  }
  c.positions = std::move(modes.modes);
  c.singular_values.assign(modes.singular_values.begin(),
                           modes.singular_values.begin() + static_cast<std::ptrdiff_t>(first));
  if (normals == NormalModes::own) c.normals = std::move(own.modes);
  c.normal_singular_values.assign(own.singular_values.begin(),
                                  own.singular_values.begin() + static_cast<std::ptrdiff_t>(second));
  for (const std::size_t e : examples) c.examples.push_back(residual.chosen[e]);
  return coordinates;
}

std::vector<RbfSample> samples_of(const Correction& c, const Residual& residual,
                                  std::span<const std::size_t> examples) {
  std::vector<RbfSample> samples;
  for (const std::size_t e : examples)
    samples.push_back({residual.example(e).name, residual.settings.of(e, c.driver.joints)});
  return samples;
}

}  // namespace

Correction make_correction(const Skeleton& skeleton, std::vector<JointIndex> joints, const EigenSkinOptions& options) {
  Correction result;
  for (const JointIndex j : joints) {
    result.driver.name += (result.driver.name.empty() ? "" : " + ") + skeleton.name(j);
    result.driver.reference.push_back(skeleton.rest(j).rotation);
    if (options.swing_twist) result.driver.twist_axes.push_back(bone_axis(skeleton, j));
  }
  result.driver.joints = std::move(joints);
  result.driver.kernel = options.kernel;
  return result;
}

Result<void> learn_exactly(Correction& c, const Residual& residual, std::span<const std::size_t> examples,
                           const EigenSkinOptions& options) {
  const DenseMatrix coordinates = learn_modes(c, residual, examples, options.normals);
  return interpolate(c.driver, samples_of(c, residual, examples), coordinates, options.radius_factor);
}

void learn_smoothly(Correction& c, const Residual& residual, std::span<const std::size_t> examples,
                    std::span<const std::vector<Quatf>> zeros, const EigenSkinOptions& options) {
  const DenseMatrix coordinates = learn_modes(c, residual, examples, options.normals);
  if (c.driver.kernel != RbfKernel::gaussian) c.driver.kernel = RbfKernel::exponential;
  c.left_out = smooth(c.driver, samples_of(c, residual, examples), zeros, coordinates);
}

void limit_to_training(Correction& c, const Residual& residual) {
  std::vector<std::vector<Quatf>> settings;
  for (std::size_t e = 0; e < residual.chosen.size(); ++e) settings.push_back(residual.settings.of(e, c.driver.joints));
  set_limits(c.driver, settings);
}

std::vector<double> coordinates_at(const Correction& c, std::span<const Quatf> setting) {
  std::vector<double> result(c.driver.targets(), 0.0);
  for (std::size_t r = 0; r < c.driver.rows(); ++r) {
    const double value = basis_value(c.driver, setting, r);
    for (std::size_t m = 0; m < result.size(); ++m) result[m] += value * c.driver.coefficients[r * result.size() + m];
  }
  for (std::size_t m = 0; m < result.size(); ++m) {
    if (!c.driver.least.empty()) result[m] = std::max(result[m], double{c.driver.least[m]});
    if (!c.driver.most.empty()) result[m] = std::min(result[m], double{c.driver.most[m]});
  }
  return result;
}

void subtract(const Correction& c, std::span<const std::size_t> examples, Residual& residual, double sign) {
  const bool own = !c.normal_singular_values.empty();
  const std::size_t vertices = residual.fields.vertices;
  parallel_for(examples.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t e = examples[k];
      const std::vector<double> at = coordinates_at(c, residual.settings.of(e, c.driver.joints));
      const auto add = [&](const std::vector<std::vector<Vec3f>>& modes, std::size_t count, std::size_t first,
                           std::vector<Vec3f>& fields) {
        for (std::size_t m = 0; m < count; ++m) {
          const auto alpha = static_cast<float>(sign * at[first + m]);
          for (std::size_t i = 0; i < c.support.vertices.size(); ++i)
            fields[e * vertices + c.support.vertices[i]] -= modes[m][i] * alpha;
        }
      };
      add(c.positions, c.kept, 0, residual.fields.positions);
      if (own) add(c.normals, c.kept_normals, c.positions.size(), residual.fields.normals);
      if (!own && !c.normals.empty()) add(c.normals, c.kept, 0, residual.fields.normals);
    }
  });
}

}  // namespace supple::learn
