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

/// Weight = (alpha - low) / (high - low), limits too.
void rescale(MorphDriver& driver, std::vector<Mode>& modes) {
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const double slack = margin * (double{modes[m].source.high} - double{modes[m].source.low});
    const double low = double{modes[m].source.low} - slack, range = double{modes[m].source.high} + slack - low;
    driver.rest_weights[m] = static_cast<float>(-low / range);
    const auto weight_of = [&](float coordinate) { return static_cast<float>((double{coordinate} - low) / range); };
    if (!driver.least.empty()) driver.least[m] = std::min(weight_of(driver.least[m]), driver.rest_weights[m]);
    if (!driver.most.empty()) driver.most[m] = std::max(weight_of(driver.most[m]), driver.rest_weights[m]);
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

/// All modes that a skin keeps, as targets, and what drives them: `first_weight` counts from the first of them.
struct DrivenModes {
  std::vector<Mode> modes;
  std::vector<MorphDriver> drivers;
  std::vector<float> rest_weights;  // #modes
};

DrivenModes driven_modes(const EigenSkin& skin, const ExampleSet& set, const AttachOptions& options) {
  std::vector<Pose> poses = options.poses;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set.usable(i)) poses.push_back(set.pose(i));
  DrivenModes all;
  for (std::size_t c = 0; c < skin.corrections.size(); ++c) {
    std::vector<Mode> modes = modes_of(skin, c);
    if (modes.empty()) continue;
    find_ranges(driver_of(skin.corrections[c], modes), poses, modes);
    std::erase_if(modes, [](const Mode& m) { return m.target.vertices.empty() || !(m.source.high > m.source.low); });
    if (modes.empty()) continue;
    MorphDriver driver = driver_of(skin.corrections[c], modes);
    if (!options.signed_weights) rescale(driver, modes);
    driver.first_weight = static_cast<std::uint32_t>(all.modes.size());
    all.rest_weights.insert(all.rest_weights.end(), driver.rest_weights.begin(), driver.rest_weights.end());
    all.drivers.push_back(std::move(driver));
    std::move(modes.begin(), modes.end(), std::back_inserter(all.modes));
  }
  return all;
}

std::vector<MorphTarget> targets_of(std::vector<Mode> modes) {
  std::vector<MorphTarget> targets;
  for (Mode& m : modes) targets.push_back(std::move(m.target));
  return targets;
}

/// Drivers of some of the modes alone, whose places among all are `chosen`, rising.
std::vector<MorphDriver> drivers_of(const DrivenModes& all, std::span<const std::size_t> chosen) {
  std::vector<MorphDriver> result;
  std::uint32_t first = 0;
  for (const MorphDriver& driver : all.drivers) {
    std::vector<std::size_t> columns;
    for (const std::size_t m : chosen)
      if (m >= driver.first_weight && m < driver.first_weight + driver.targets())
        columns.push_back(m - driver.first_weight);
    if (columns.empty()) continue;
    MorphDriver own = with_modes(driver, columns);
    own.first_weight = first;
    first += static_cast<std::uint32_t>(columns.size());
    result.push_back(std::move(own));
  }
  return result;
}

void add_drivers(Character& character, std::vector<MorphDriver> drivers, std::uint32_t first_weight) {
  for (MorphDriver& driver : drivers) {
    driver.first_weight += first_weight;
    character.drivers.push_back(std::move(driver));
  }
}

/// What modes of merged parts do to one of them. `places`: for each of its vertices the merged one.
std::vector<Mode> modes_on_part(std::span<const Mode> modes, std::span<const std::uint32_t> places,
                                std::size_t merged_vertices) {
  constexpr std::uint32_t still = 0xffffffffu;
  std::vector<Mode> result;
  std::vector<std::uint32_t> entry(merged_vertices);
  for (const Mode& mode : modes) {
    const MorphTarget& target = mode.target;
    std::fill(entry.begin(), entry.end(), still);
    for (std::uint32_t i = 0; i < target.vertices.size(); ++i) entry[target.vertices[i]] = i;
    Mode& own = result.emplace_back(Mode{mode.source, mode.column, {target.name, {}, {}, {}, {}}});
    for (std::uint32_t v = 0; v < places.size(); ++v) {
      const std::uint32_t i = entry[places[v]];
      if (i == still) continue;
      own.target.vertices.push_back(v);
      if (!target.positions.empty()) own.target.positions.push_back(target.positions[i]);
      if (!target.normals.empty()) own.target.normals.push_back(target.normals[i]);
    }
  }
  return result;
}

}  // namespace

Attached attach(const EigenSkin& skin, const ExampleSet& set, Character& character, std::span<const std::size_t> parts,
                const AttachOptions& options) {
  DrivenModes all = driven_modes(skin, set, options);
  if (!options.signed_weights) shift_rest(character.parts[parts[0]], all.modes, all.rest_weights);
  Attached result;
  for (const Mode& m : all.modes) result.targets.push_back(m.source);
  result.first_weight = append_morphs(character, parts, targets_of(std::move(all.modes)), all.rest_weights);
  add_drivers(character, std::move(all.drivers), result.first_weight);
  return result;
}

void attach(const EigenSkin& skin, const ExampleSet& set, Character& character, const MergedParts& merged,
            std::span<const std::vector<std::size_t>> meshes, const AttachOptions& options) {
  const DrivenModes all = driven_modes(skin, set, options);
  const std::size_t vertices = merged.part().mesh.positions.size();
  for (const std::vector<std::size_t>& mesh : meshes) {
    std::vector<std::size_t> surfaces;      // of the mesh that were learnt, then the others
    std::vector<std::vector<Mode>> shares;  // of those that were learnt
    for (std::size_t i = 0; i < merged.parts.size(); ++i) {
      if (std::ranges::find(mesh, merged.parts[i]) == mesh.end()) continue;
      surfaces.push_back(merged.parts[i]);
      shares.push_back(modes_on_part(all.modes, merged.vertices[i], vertices));
    }
    for (const std::size_t p : mesh)
      if (std::ranges::find(surfaces, p) == surfaces.end()) surfaces.push_back(p);
    std::vector<std::size_t> acting;
    std::vector<float> rest_weights;
    for (std::size_t m = 0; m < all.modes.size(); ++m) {
      if (std::ranges::all_of(shares, [&](const auto& share) { return share[m].target.vertices.empty(); })) continue;
      acting.push_back(m);
      rest_weights.push_back(all.rest_weights[m]);
    }
    if (acting.empty()) continue;
    const std::size_t had = character.parts[surfaces[0]].morphs.size();
    std::vector<std::vector<MorphTarget>> targets;
    for (std::size_t s = 0; s < shares.size(); ++s) {
      std::vector<Mode> own;
      for (const std::size_t m : acting) own.push_back(std::move(shares[s][m]));
      if (!options.signed_weights) shift_rest(character.parts[surfaces[s]], own, rest_weights);
      targets.push_back(targets_of(std::move(own)));
    }
    // The first surface gets its targets at once; the others get as many that move nothing, and then their own.
    const std::uint32_t first_weight = append_morphs(character, surfaces, std::move(targets[0]), rest_weights);
    for (std::size_t s = 1; s < targets.size(); ++s)
      std::ranges::move(targets[s], character.parts[surfaces[s]].morphs.begin() + static_cast<std::ptrdiff_t>(had));
    add_drivers(character, drivers_of(all, acting), first_weight);
  }
}

}  // namespace supple::learn
