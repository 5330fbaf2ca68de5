#include "supple/author/learn/attach.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/author/learn/rbf_fit.h"
#include "supple/deform/driver_layer.h"
#include "supple/rig/append_morphs.h"

namespace supple::learn {
namespace {

constexpr double margin = 0.01;  // of a coordinate's range, on both sides: interpolated poses may go a little farther

struct Mode {
  TargetSource source;
  std::size_t column = 0;  // in the correction's driver
  MorphTarget target;      // offsets per unit of the coordinate
};

/// Vertices where both offsets vanish are no part of a sparse target.
void drop_zeros(MorphTarget& target) {
  MorphTarget kept{target.name, {}, {}, {}, {}};
  for (std::size_t i = 0; i < target.vertices.size(); ++i) {
    const bool moved = !target.positions.empty() && !(target.positions[i] == Vec3f{});
    const bool turned = !target.normals.empty() && !(target.normals[i] == Vec3f{});
    if (!moved && !turned) continue;
    kept.vertices.push_back(target.vertices[i]);
    if (!target.positions.empty()) kept.positions.push_back(target.positions[i]);
    if (!target.normals.empty()) kept.normals.push_back(target.normals[i]);
  }
  target = std::move(kept);
}

std::vector<Mode> modes_of(const EigenSkin& skin, std::size_t number) {
  const Correction& c = skin.corrections[number];
  const bool own = !c.normal_singular_values.empty();
  std::vector<Mode> result;
  for (std::size_t m = 0; m < c.kept; ++m) {
    MorphTarget target{c.driver.name + " " + std::to_string(m + 1), c.support.vertices, c.positions[m], {}, {}};
    if (!own && !c.normals.empty()) target.normals = c.normals[m];
    drop_zeros(target);
    result.push_back({{number, m, false, 0, 0}, m, std::move(target)});
  }
  for (std::size_t m = 0; m < (own ? c.kept_normals : 0); ++m) {
    MorphTarget target{c.driver.name + " normals " + std::to_string(m + 1), c.support.vertices, {}, c.normals[m], {}};
    drop_zeros(target);
    result.push_back({{number, m, true, 0, 0}, c.positions.size() + m, std::move(target)});
  }
  return result;
}

MorphDriver driver_of(const Correction& correction, const std::vector<Mode>& modes) {
  std::vector<std::size_t> columns;
  for (const Mode& m : modes) columns.push_back(m.column);
  return with_modes(correction.driver, columns);
}

/// Lowest and highest coordinate of every mode over the poses and rest.
void find_ranges(const MorphDriver& driver, std::span<const Pose> poses, std::vector<Mode>& modes) {
  std::vector<float> at(modes.size());
  DriverLayer layer(std::span(&driver, 1));
  for (const Pose& pose : poses) {
    layer.drive(pose.local, at);
    for (std::size_t m = 0; m < modes.size(); ++m) {
      modes[m].source.low = std::min(modes[m].source.low, at[m]);
      modes[m].source.high = std::max(modes[m].source.high, at[m]);
    }
  }
}

/// Weight = (alpha - low) / (high - low).
void rescale(MorphDriver& driver, std::vector<Mode>& modes) {
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const double slack = margin * (double{modes[m].source.high} - double{modes[m].source.low});
    const double low = double{modes[m].source.low} - slack, range = double{modes[m].source.high} + slack - low;
    driver.rest_weights[m] = static_cast<float>(-low / range);
    for (std::size_t r = 0; r < driver.rows(); ++r) {
      double& c = driver.coefficients[r * modes.size() + m];
      c = driver.kernel == RbfKernel::pose ? double{static_cast<float>(c / range)} : c / range;  // as files hold them
    }
    for (Vec3f& u : modes[m].target.positions) u = Vec3f(Vec3d(u) * range);
    for (Vec3f& u : modes[m].target.normals) u = Vec3f(Vec3d(u) * range);
  }
}

/// rest -= sum of rest weight * offsets, so that the targets at their rest weights give the rest shape again.
std::vector<Vec3d> shifted(std::span<const Vec3f> rest, std::span<const Mode> modes, std::span<const float> weights,
                           std::vector<Vec3f> MorphTarget::*offsets) {
  std::vector<Vec3d> result;
  for (const Vec3f v : rest) result.emplace_back(v);
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const MorphTarget& target = modes[m].target;
    for (std::size_t i = 0; i < (target.*offsets).size(); ++i)
      result[target.vertices[i]] -= Vec3d((target.*offsets)[i]) * double{weights[m]};
  }
  return result;
}

void shift_rest(Part& part, std::vector<Mode>& modes, std::span<const float> weights) {
  const auto positions = shifted(part.mesh.positions, modes, weights, &MorphTarget::positions);
  std::transform(positions.begin(), positions.end(), part.mesh.positions.begin(), [](Vec3d v) { return Vec3f(v); });
  if (part.mesh.normals.empty()) return;
  const auto normals = shifted(part.mesh.normals, modes, weights, &MorphTarget::normals);
  std::vector<double> scale;
  for (const Vec3d& n : normals) scale.push_back(1 / std::max(length(n), 1e-3));
  for (std::size_t v = 0; v < normals.size(); ++v) part.mesh.normals[v] = Vec3f(normals[v] * scale[v]);
  const auto rescale_normals = [&](MorphTarget& target) {
    for (std::size_t i = 0; i < target.normals.size(); ++i)
      target.normals[i] = Vec3f(Vec3d(target.normals[i]) * scale[target.vertices.empty() ? i : target.vertices[i]]);
  };
  for (MorphTarget& target : part.morphs) rescale_normals(target);
  for (Mode& m : modes) rescale_normals(m.target);
}

}  // namespace

Attached attach(const EigenSkin& skin, const ExampleSet& set, Character& character, std::span<const std::size_t> parts,
                const AttachOptions& options) {
  std::vector<Pose> poses = options.poses;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.usable(i)) poses.push_back(set.pose(i));
  std::vector<Mode> all;
  std::vector<MorphDriver> drivers;
  std::vector<float> rest_weights;
  for (std::size_t c = 0; c < skin.corrections.size(); ++c) {
    std::vector<Mode> modes = modes_of(skin, c);
    if (modes.empty()) continue;
    find_ranges(driver_of(skin.corrections[c], modes), poses, modes);
    std::erase_if(modes, [](const Mode& m) { return m.target.vertices.empty() || !(m.source.high > m.source.low); });
    if (modes.empty()) continue;
    MorphDriver driver = driver_of(skin.corrections[c], modes);
    if (!options.signed_weights) rescale(driver, modes);
    driver.first_weight = static_cast<std::uint32_t>(all.size());
    rest_weights.insert(rest_weights.end(), driver.rest_weights.begin(), driver.rest_weights.end());
    drivers.push_back(std::move(driver));
    std::move(modes.begin(), modes.end(), std::back_inserter(all));
  }
  if (!options.signed_weights) shift_rest(character.parts[parts[0]], all, rest_weights);
  Attached result;
  std::vector<MorphTarget> targets;
  for (Mode& m : all) {
    result.targets.push_back(m.source);
    targets.push_back(std::move(m.target));
  }
  result.first_weight = append_morphs(character, parts, std::move(targets), rest_weights);
  for (MorphDriver& driver : drivers) {
    driver.first_weight += result.first_weight;
    character.drivers.push_back(std::move(driver));
  }
  return result;
}

}  // namespace supple::learn
