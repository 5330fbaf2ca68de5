// Pictures of skins: the way of one fit, and every scan's skin beside what was fitted to it (the paper's figures 6 and
// 7).
#include <fmt/core.h>

#include <algorithm>

#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/chart.h"
#include "supple/workflow/report/html.h"
#include "supple/workflow/study/report_sections.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow::scan_report {
namespace {

const Vec3f feature_colour = render::from_hex(0x1f5fd0);

/// The scan that linear blending misses most: the one whose fit has the longest way to go.
std::size_t hardest_scan(const Judged& judged) {
  const auto worst =
      std::max_element(judged.errors.begin(), judged.errors.end(),
                       [](const ScanError& a, const ScanError& b) { return a.methods[0].rms < b.methods[0].rms; });
  return worst == judged.errors.end() ? 0 : worst->scan;
}

render::Scene with_dots(render::Surface skin, std::span<const Vec3f> points) {
  render::Scene scene;
  scene.surfaces.push_back(std::move(skin));
  if (!points.empty()) scene.surfaces.push_back(dots(points, feature_colour));
  return scene;
}

std::vector<Vec3f> at_features(std::span<const scan::Feature> features, std::span<const Vec3f> positions) {
  std::vector<Vec3f> result;
  for (const scan::Feature& f : features) result.push_back(positions[f.vertex]);
  return result;
}

/// Metres from every fitted vertex to the scan; none where it had no believable place to go to.
std::vector<float> fit_distances(const ScanWork& work) {
  const Bvh measured(work.surfaces.skin.positions, work.surfaces.skin.triangles);
  std::vector<float> result = distances_to(measured, work.fit.positions);
  for (std::size_t v = 0; v < result.size(); ++v)
    if (!work.fit.reliable[v]) result[v] = no_value;
  return result;
}

}  // namespace

Result<std::string> pictures_of_fitting(const Chain& chain, const Judged& judged, ScanStudio& studio) {
  const std::size_t s = hardest_scan(judged);
  if (s == 0) return std::string();
  const ScanWork& work = chain.scans[s];
  const scan::FittedSkin& fit = work.fit;
  const Affined base_to_model = to_model_space(chain, 0), to_model = to_model_space(chain, s);
  const std::vector<Triangle>& triangles = chain.base_skin.triangles;
  const std::vector<Vec3f> base = moved(chain.base_skin.positions, base_to_model),
                           blended = moved(fit.blended, to_model), warped = moved(fit.warped, to_model),
                           fitted = moved(fit.positions, to_model);
  std::vector<Vec3f> targets;
  for (const scan::Feature& f : fit.features) targets.emplace_back(to_model.point(f.target));

  struct Step {
    std::string caption;
    render::Scene scene;
    std::span<const Vec3f> subject;
  };
  std::vector<Step> steps;
  steps.push_back({"base mesh", with_dots(skin_surface(base, triangles), at_features(fit.features, base)), base});
  steps.push_back({"measured", with_dots(moved_surface(work.surfaces.skin, to_model), targets), fitted});
  steps.push_back(
      {"base mesh by SSD", with_dots(skin_surface(blended, triangles), at_features(fit.features, blended)), fitted});
  steps.push_back({"warped to the features", with_dots(skin_surface(warped, triangles), {}), fitted});
  steps.push_back({"fitted", with_dots(skin_surface(fitted, triangles), {}), fitted});
  std::vector<std::string> figures;
  for (Step& step : steps) {
    auto picture =
        studio.draw(std::move(step.scene), studio.oblique(), work.entry->name + ", " + step.caption, step.subject);
    if (!picture) return picture.error();
    figures.push_back(html::figure(*picture, step.caption));
  }
  return fmt::format(
             "<h3>The way of one fit: {}</h3>\n<p>The scan that linear blending misses most. Dots are the {} features "
             "found on both surfaces.</p>\n",
             html::escaped(work.entry->name), fit.features.size()) +
         html::gallery(figures, "12rem");
}

Result<std::string> pictures_of_fits(const Chain& chain, ScanStudio& studio) {
  if (!chain.has_skin()) return std::string();
  std::vector<std::vector<float>> distances;
  std::vector<float> all;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    distances.push_back(chain.scans[s].shows_skin() ? fit_distances(chain.scans[s]) : std::vector<float>());
    all.insert(all.end(), distances.back().begin(), distances.back().end());
  }
  const double end = scale_end_mm(std::move(all));
  std::string text = "<h3>Measured, fitted, and the distance between them</h3>\n" +
                     colour_bar(render::ColourMap::ember, end, "fitted mesh to the measured skin, mm");
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    if (!work.shows_skin()) continue;
    const Affined to_model = to_model_space(chain, s);
    const std::vector<Vec3f> fitted = moved(work.fit.positions, to_model);
    render::Scene shape = with_dots(skin_surface(fitted, chain.base_skin.triangles), {});
    shade(shape);
    render::Scene map = shape;
    map.surfaces[0].colours =
        render::map_colours(distances[s - 1], 0, static_cast<float>(end) * metres_per_mm, render::ColourMap::ember);
    map.surfaces[0].finish = render::Finish::data;
    const scan::FitQuality& q = work.fit.quality;
    std::vector<std::pair<render::Scene, std::string>> row;
    row.emplace_back(with_dots(moved_surface(work.surfaces.skin, to_model), {}), work.entry->name + ", measured");
    row.emplace_back(std::move(shape), "fitted");
    row.emplace_back(std::move(map),
                     fmt::format("{:.3f} mm root mean square, {:.2f} at most", q.forward_rms * mm, q.forward_max * mm) +
                         (q.unreliable > 0 ? fmt::format("; grey: {} vertices left to smoothness", q.unreliable) : ""));
    std::vector<std::string> figures;
    for (auto& [scene, caption] : row) {
      auto picture = studio.draw(std::move(scene), studio.oblique(), work.entry->name + ": " + caption, fitted);
      if (!picture) return picture.error();
      figures.push_back(html::figure(*picture, html::escaped(caption)));
    }
    text += html::gallery(figures, "19rem");
  }
  return text;
}

}  // namespace supple::workflow::scan_report
