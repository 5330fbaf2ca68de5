#include "supple/author/scan/features.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "supple/author/scan/patch_fit.h"
#include "supple/base/parallel.h"
#include "supple/geometry/topology.h"

namespace supple::scan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Places from which distances along the skin are averaged.
constexpr std::size_t tip_sources = 24;
/// A tip is the farthest of all vertices within this share of the skin's diagonal, along the skin.
constexpr double tip_radius = 0.08;
/// Of the vertices of a patch: seen on the scan, there and back.
constexpr double least_share = 0.7;
/// Points of a patch that are compared, about.
constexpr std::size_t patch_points = 80;
/// A patch that lies this many times worse than the median of all, and more than `good_residual`, is not the same
/// place.
constexpr double most_residual = 2.5;
constexpr double good_residual = 0.0002;  // metres: noise of a scan
/// A motion that differs from the median of its nearest features' by more than this is not believed, metres.
constexpr double most_difference = 0.0015;
constexpr std::size_t compared_features = 6;

/// Lengths of the shortest ways along edges from `source`, as far as `within`.
std::vector<double> distances_along(std::span<const Vec3f> positions, const Adjacency& neighbours, std::uint32_t source,
                                    double within = infinity) {
  std::vector<double> distance(positions.size(), infinity);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [so_far, v] = queue.top();
    queue.pop();
    if (so_far > distance[v]) continue;
    for (const std::uint32_t u : neighbours.of(v)) {
      const double d = so_far + length(Vec3d(positions[u]) - Vec3d(positions[v]));
      if (d < distance[u] && d <= within) {
        distance[u] = d;
        queue.push({d, u});
      }
    }
  }
  return distance;
}

struct Patch {
  std::vector<Vec3d> points, normals;
};

/// Vertices that can be reached from `centre` within `radius` of it, thinned to about patch_points; none where too few
/// of them are `seen`.
Patch patch_around(const Mesh& skin, const Adjacency& neighbours, std::uint32_t centre, double radius,
                   const std::vector<char>& seen) {
  std::vector<std::uint32_t> members{centre};
  std::vector<bool> taken(skin.positions.size());
  taken[centre] = true;
  std::size_t seen_members = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (seen[members[i]] != 0) ++seen_members;
    for (const std::uint32_t u : neighbours.of(members[i])) {
      if (taken[u] || length(Vec3d(skin.positions[u]) - Vec3d(skin.positions[centre])) > radius) continue;
      taken[u] = true;
      members.push_back(u);
    }
  }
  if (static_cast<double>(seen_members) < least_share * static_cast<double>(members.size())) return {};
  Patch patch;
  const std::size_t step = std::max<std::size_t>(1, members.size() / patch_points);
  for (std::size_t i = 0; i < members.size(); i += step) {
    patch.points.push_back(Vec3d(skin.positions[members[i]]));
    patch.normals.push_back(Vec3d(skin.normals[members[i]]));
  }
  return patch;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct FeatureCandidate {
  Feature feature;
  Vec3d from{};
  double residual = 0;
};

/// A feature's way from the blended skin to the scan.
struct FeatureWay {
  Vec3d from{}, to{};
};

/// How far a feature's way is from the median of those around it; none where it is the only one.
std::optional<double> unlike_neighbours(std::span<const FeatureWay> ways, std::size_t own) {
  std::vector<const FeatureWay*> others;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (i != own) others.push_back(&ways[i]);
  }
  const std::size_t count = std::min(compared_features, others.size());
  if (count == 0) return std::nullopt;
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count), others.end(),
                    [&](const FeatureWay* a, const FeatureWay* b) {
                      return squared_length(a->from - ways[own].from) < squared_length(b->from - ways[own].from);
                    });
  Vec3d middle{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back((others[i]->to - others[i]->from)[axis]);
    middle[axis] = median(std::move(values));
  }
  return length(ways[own].to - ways[own].from - middle);
}

}  // namespace

std::vector<std::uint32_t> find_tips(const Mesh& skin, const std::vector<bool>& excluded) {
  const std::size_t n = skin.positions.size();
  const Adjacency neighbours = vertex_neighbours(n, skin.triangles);
  const std::vector<std::uint32_t> sources = spread_samples(skin.positions, tip_sources);
  std::vector<std::vector<double>> distances(sources.size());
  parallel_for(sources.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) distances[i] = distances_along(skin.positions, neighbours, sources[i]);
  });
  std::vector<double> mean(n);
  for (const std::vector<double>& from_one : distances) {
    for (std::size_t v = 0; v < n; ++v) mean[v] += std::isfinite(from_one[v]) ? from_one[v] : 0;
  }
  const double radius = tip_radius * bounds(skin.positions).diagonal();
  std::vector<std::uint32_t> tips;
  for (std::uint32_t v = 0; v < n; ++v) {
    const auto around = neighbours.of(v);
    const auto beats = [&](std::uint32_t u) { return mean[v] > mean[u] || (mean[v] == mean[u] && v < u); };
    if (around.empty() || (!excluded.empty() && excluded[v]) || !std::all_of(around.begin(), around.end(), beats)) {
      continue;
    }
    const std::vector<double> reached = distances_along(skin.positions, neighbours, v, radius);
    bool is_tip = true;
    for (std::uint32_t u = 0; u < n && is_tip; ++u) is_tip = u == v || !std::isfinite(reached[u]) || beats(u);
    if (is_tip) tips.push_back(v);
  }
  return tips;
}

std::vector<std::uint32_t> spread_samples(std::span<const Vec3f> positions, std::size_t count,
                                          const std::vector<bool>& excluded) {
  std::vector<float> nearest(positions.size(), std::numeric_limits<float>::infinity());
  if (!excluded.empty()) {
    for (std::size_t v = 0; v < nearest.size(); ++v) nearest[v] = excluded[v] ? -1 : nearest[v];
  }
  std::vector<std::uint32_t> samples;
  while (samples.size() < count && !nearest.empty()) {
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (!(*farthest > 0)) break;
    const auto chosen = static_cast<std::uint32_t>(farthest - nearest.begin());
    samples.push_back(chosen);
    for (std::size_t v = 0; v < nearest.size(); ++v) {
      nearest[v] = std::min(nearest[v], squared_length(positions[v] - positions[chosen]));
    }
  }
  return samples;
}

std::vector<Feature> find_features(const Mesh& base, const Mesh& blended, const FacingSurface& scan,
                                   const FeatureOptions& options, const std::vector<bool>& excluded) {
  const std::vector<std::uint32_t> tips = find_tips(base, excluded);
  std::vector<std::uint32_t> vertices = tips;
  for (const std::uint32_t v : spread_samples(base.positions, options.samples, excluded)) {
    const bool near_tip = std::any_of(tips.begin(), tips.end(), [&](std::uint32_t tip) {
      return length(base.positions[tip] - base.positions[v]) < static_cast<float>(options.patch);
    });
    if (!near_tip) vertices.push_back(v);
  }

  const Adjacency neighbours = vertex_neighbours(base.positions.size(), base.triangles);
  const auto targets = find_targets(blended, scan, options.limits, excluded);
  std::vector<char> seen;
  for (const auto& target : targets) seen.push_back(target.has_value());
  std::vector<std::optional<FeatureCandidate>> found(vertices.size());
  parallel_for(vertices.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Patch patch = patch_around(blended, neighbours, vertices[i], options.patch, seen);
      const auto fit = fit_patch(patch.points, patch.normals, scan, options.limits, least_share);
      if (!fit || fit->residual > fit->before) continue;
      const Vec3d from(blended.positions[vertices[i]]), normal(blended.normals[vertices[i]]);
      const auto place = scan.nearest(fit->motion.point(from), fit->motion.vector(normal), options.limits.reach,
                                      options.limits.least_cosine);
      if (place) found[i] = FeatureCandidate{{"", vertices[i], place->point}, from, fit->residual};
    }
  });

  std::vector<FeatureCandidate> candidates;
  std::vector<double> residuals;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) continue;
    const bool is_tip = i < tips.size();
    found[i]->feature.name = is_tip ? "tip " + std::to_string(i + 1) : "patch " + std::to_string(i + 1 - tips.size());
    candidates.push_back(*found[i]);
    residuals.push_back(found[i]->residual);
  }
  if (candidates.empty()) return {};
  const double worst = std::max(most_residual * median(std::move(residuals)), good_residual);
  std::erase_if(candidates, [&](const FeatureCandidate& c) { return c.residual > worst; });
  // Whether a feature moves as those around it do, which bend no faster than skin does.
  std::vector<FeatureWay> ways;
  for (const FeatureCandidate& c : candidates) ways.push_back({c.from, c.feature.target});
  std::vector<Feature> features;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (unlike_neighbours(ways, i).value_or(infinity) <= most_difference) features.push_back(candidates[i].feature);
  }
  return features;
}

std::vector<FeatureScore> score_features(const FittedSkin& fit, const FacingSurface& scan) {
  std::vector<FeatureWay> ways;
  for (const Feature& f : fit.features) ways.push_back({Vec3d(fit.blended[f.vertex]), f.target});
  std::vector<FeatureScore> scores;
  for (std::size_t i = 0; i < ways.size(); ++i)
    scores.push_back({scan.distance(ways[i].to), unlike_neighbours(ways, i).value_or(0),
                      length(ways[i].to - Vec3d(fit.positions[fit.features[i].vertex]))});
  return scores;
}

}  // namespace supple::scan
