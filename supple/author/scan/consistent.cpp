#include "supple/author/scan/consistent.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "supple/author/scan/features.h"
#include "supple/author/scan/fit_quality.h"
#include "supple/author/scan/nonrigid.h"
#include "supple/author/scan/targets.h"
#include "supple/author/scan/warp.h"
#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr std::size_t fitted_at_once = 256;
/// Before the last solve: targets change anyway, so that few iterations are enough.
constexpr SolveLimits rough{150, 0.03};
/// Targets farther than this many times the root mean square of all are not believed; never less than
/// `least_skin_reach`.
constexpr double believed_distances = 5;
constexpr double least_skin_reach = 0.0015;  // metres
/// Of the skin: with less of it near the scan the two are not the same limb in the same pose.
constexpr double least_overlap = 0.2;

/// Features that were found are used only where at least this share of the targets is left.
constexpr double kept_targets = 0.99;

Error cancelled() { return Error{"fit", "was stopped", ""}; }

Result<void> check(const Mesh& base, std::span<const Vec3f> blended, const Mesh& scan,
                   const std::optional<std::vector<Feature>>& features, const FitOptions& options,
                   const std::vector<bool>& base_border, const std::vector<bool>& scan_border) {
  if (auto ok = validate(base); !ok) return Error{"base skin, " + ok.error().item, ok.error().problem, ""};
  if (auto ok = validate(scan); !ok) return Error{"scanned skin, " + ok.error().item, ok.error().problem, ""};
  if (base.triangles.empty()) return Error{"base skin", "has no triangles", ""};
  if (scan.triangles.empty()) return Error{"scanned skin", "has no triangles", "check its threshold"};
  if (blended.size() != base.positions.size()) {
    return Error{
        "blended skin",
        "has " + std::to_string(blended.size()) + " vertices, the base has " + std::to_string(base.positions.size()),
        ""};
  }
  for (std::size_t v = 0; v < blended.size(); ++v) {
    if (!is_finite(blended[v])) return Error{"blended skin, vertex " + std::to_string(v), "is not finite", ""};
  }
  if (!base_border.empty() && base_border.size() != base.positions.size()) {
    return Error{"border of the base skin", "has a flag for another number of vertices", ""};
  }
  if (!scan_border.empty() && scan_border.size() != scan.positions.size()) {
    return Error{"border of the scanned skin", "has a flag for another number of vertices", ""};
  }
  if (options.stiffness.empty() || options.iterations < 1) {
    return Error{"stiffness", "leaves nothing to be done", "give one length at least, and one iteration"};
  }
  for (const double s : options.stiffness) {
    if (!(s > 0) || !std::isfinite(s)) return Error{"stiffness", "is not a length", "give metres above 0"};
  }
  if (!(options.reach > 0)) return Error{"reach", "is not a length", "give metres above 0, such as 0.01"};
  if (!features) return {};
  for (const Feature& f : *features) {
    if (f.vertex >= base.positions.size()) {
      return Error{"feature \"" + f.name + "\"",
                   "names vertex " + std::to_string(f.vertex) + " of " + std::to_string(base.positions.size()),
                   "it may belong to a skin of another resolution"};
    }
    if (!is_finite(f.target)) return Error{"feature \"" + f.name + "\"", "has no finite target", ""};
  }
  return {};
}

Mesh with_normals(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  Mesh mesh{
      {positions.begin(), positions.end()}, std::vector<Vec3f>(positions.size()), {triangles.begin(), triangles.end()}};
  compute_normals(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/// How much of a skin finds the scan, and how far away it is.
struct Closeness {
  std::size_t found = 0;
  double rms = 0;  // metres
};
Closeness closeness(std::span<const std::optional<SurfacePoint>> targets) {
  Closeness result;
  for (const auto& t : targets) {
    if (!t) continue;
    ++result.found;
    result.rms += t->distance * t->distance;
  }
  if (result.found > 0) result.rms = std::sqrt(result.rms / static_cast<double>(result.found));
  return result;
}

Result<std::vector<Vec3f>> warp(std::span<const Vec3f> skin, std::span<const Feature> features, double reach) {
  std::vector<Vec3d> from, to;
  for (const Feature& f : features) {
    from.push_back(Vec3d(skin[f.vertex]));
    to.push_back(f.target);
  }
  const auto warp = PointWarp::build(from, to, reach);
  if (!warp) return warp.error();
  std::vector<Vec3f> moved(skin.size());
  parallel_for(skin.size(), fitted_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) moved[v] = Vec3f((*warp)(Vec3d(skin[v])));
  });
  return moved;
}

/// The stiff to soft iterations, from `start`. `reliable` receives which vertices had a target at the end.
Result<std::vector<Vec3f>> fit(const Mesh& base, std::span<const Vec3f> start, const FacingSurface& scan,
                               const FitOptions& options, const std::vector<bool>& base_border,
                               std::vector<bool>& reliable, const Progress& progress) {
  const SmoothDisplacement smooth(base.positions, base.triangles);
  const std::size_t n = start.size();
  TargetLimits limits{options.reach, options.least_cosine, smooth.mean_edge()};
  Mesh skin = with_normals(start, base.triangles);
  std::vector<Vec3d> d(n);
  std::vector<Pull> pulls(n);
  const double steps = static_cast<double>(options.stiffness.size()) * options.iterations;
  double step = 0;
  for (const double stiffness : options.stiffness) {
    for (int iteration = 0; iteration < options.iterations; ++iteration) {
      if (!report(progress, "fit", step++ / steps)) return cancelled();
      const auto targets = find_targets(skin, scan, limits, base_border);
      for (std::size_t v = 0; v < n; ++v) {
        const auto around = smooth.neighbours().of(v);
        // What lies beside a vertex without a target may be the rim of what is missing.
        const bool believed =
            targets[v] && std::all_of(around.begin(), around.end(), [&](std::uint32_t u) { return targets[u]; });
        reliable[v] = believed;
        pulls[v] = {};
        if (!believed) continue;
        const Vec3d normal = targets[v]->normal;
        const double way = dot(targets[v]->point - Vec3d(skin.positions[v]), normal);
        pulls[v] = {d[v] + normal * way, normal, true};
      }
      smooth.solve(pulls, stiffness, step < steps ? rough : SolveLimits{}, d);
      for (std::size_t v = 0; v < n; ++v) skin.positions[v] = Vec3f(Vec3d(start[v]) + d[v]);
      compute_normals(skin.positions, skin.triangles, skin.normals);
      limits.reach = std::min(options.reach, std::max(least_skin_reach, believed_distances * closeness(targets).rms));
    }
  }
  return std::move(skin.positions);
}

/// Features that somebody set, but not on the scan.
void warn_of_lost_features(std::span<const Feature> features, const Mesh& scan, double reach, Warnings& warnings) {
  const Bvh surface(scan.positions, scan.triangles);
  for (const Feature& f : features) {
    const double away = double{surface.closest(Vec3f(f.target)).distance};
    if (away <= reach) continue;
    char text[64];
    std::snprintf(text, sizeof text, "its target lies %.0f mm from the skin of the scan", 1000 * away);
    warnings.push_back("feature \"" + f.name + "\" at vertex " + std::to_string(f.vertex) + ": " + text +
                       "; correct target_mm, or take the point away");
  }
}

std::string rounded_percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

}  // namespace

Result<FittedSkin> fit_skin(const Mesh& base, std::span<const Vec3f> blended, const Mesh& scan,
                            const std::optional<std::vector<Feature>>& features, const FitOptions& options,
                            const std::vector<bool>& base_border, const std::vector<bool>& scan_border,
                            Warnings* warnings, const Progress& progress) {
  if (auto ok = check(base, blended, scan, features, options, base_border, scan_border); !ok) return ok.error();
  if (!report(progress, "features", 0)) return cancelled();
  const FacingSurface surface(scan, scan_border);
  const Mesh posed = with_normals(blended, base.triangles);
  const TargetLimits limits{options.reach, options.least_cosine,
                            SmoothDisplacement(base.positions, base.triangles).mean_edge()};
  const auto near = [&](const Mesh& skin) { return closeness(find_targets(skin, surface, limits, base_border)); };
  const Closeness before = near(posed);
  const double overlap = static_cast<double>(before.found) / static_cast<double>(blended.size());
  if (overlap < least_overlap) {
    return Error{"scanned skin",
                 "is found near only " + rounded_percent(overlap) + " of the base skin brought into its pose",
                 "check the alignment of the bones and the threshold of the skin"};
  }

  FittedSkin result;
  result.blended.assign(blended.begin(), blended.end());
  result.features = features ? *features : find_features(base, posed, surface, {.limits = limits}, base_border);
  auto warped = warp(blended, result.features, options.feature_reach);
  if (!warped) return warped.error();
  if (!features && !result.features.empty()) {
    const Closeness after = near(with_normals(*warped, base.triangles));
    const bool loses = static_cast<double>(after.found) < kept_targets * static_cast<double>(before.found);
    if (loses || after.rms > before.rms) {
      if (warnings != nullptr)
        warnings->push_back("the features that were found bring the skin no nearer to the scan: not used");
      result.features.clear();
      warped = result.blended;
    }
  }
  result.warped = std::move(*warped);
  result.reliable.resize(blended.size());
  auto fitted = fit(base, result.warped, surface, options, base_border, result.reliable, progress);
  if (!fitted) return fitted.error();
  result.positions = std::move(*fitted);
  result.scores = score_features(result, surface);
  result.quality = measure_fit(base, result, scan, base_border, scan_border);
  if (warnings != nullptr) {
    if (features) warn_of_lost_features(*features, scan, options.reach, *warnings);
    for (std::string& doubt : doubts_about_fit(result.quality, options.reach)) warnings->push_back(std::move(doubt));
  }
  report(progress, "fit", 1);
  return result;
}

}  // namespace supple::scan
