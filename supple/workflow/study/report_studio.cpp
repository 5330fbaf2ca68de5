#include "supple/workflow/study/report_studio.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/render/occlusion.h"
#include "supple/render/overlay.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {
namespace {

constexpr render::Size size{340, 440};
/// Skins as they are measured have ten times the vertices of what is built from them; occlusion would take longer than
/// all else in the report, and their own relief shows the shape.
constexpr std::size_t most_occluded = 40000;  // vertices

}  // namespace

Affined to_model_space(const Chain& chain, std::size_t scan) {
  if (scan == 0) return chain.assembled.to_model;
  return chain.assembled.to_model * inverse(chain.scans[scan].alignment.bones[0].motion);
}

std::vector<Vec3f> moved(std::span<const Vec3f> points, const Affined& by) {
  std::vector<Vec3f> result;
  result.reserve(points.size());
  for (const Vec3f& p : points) result.emplace_back(by.point(Vec3d(p)));
  return result;
}

render::Surface skin_surface(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  render::Surface result;
  result.name = "skin";
  result.positions.assign(positions.begin(), positions.end());
  result.triangles.assign(triangles.begin(), triangles.end());
  return result;
}

render::Surface moved_surface(const Mesh& mesh, const Affined& by) {
  render::Surface result = skin_surface(moved(mesh.positions, by), mesh.triangles);
  for (const Vec3f& n : mesh.normals) result.normals.emplace_back(by.vector(Vec3d(n)));
  return result;
}

render::Surface dots(std::span<const Vec3f> points, Vec3f colour) {
  constexpr float spread = 0.22f;  // metres: balls as joints are drawn in something of this size
  std::vector<render::JointShape> balls;
  for (const Vec3f& p : points) balls.push_back({p, colour});
  render::Surface result = render::bone_overlay({}, balls, spread);
  result.finish = render::Finish::data;
  return result;
}

void shade(render::Scene& scene) {
  std::size_t vertices = 0;
  for (const render::Surface& s : scene.surfaces)
    if (!s.occlusion.empty()) return;
  // What is seen through shows no shadows of its own.
  const auto glassy = std::stable_partition(scene.surfaces.begin(), scene.surfaces.end(),
                                            [](const render::Surface& s) { return s.opacity >= 1; });
  for (auto s = scene.surfaces.begin(); s != glassy; ++s) vertices += s->positions.size();
  if (vertices <= most_occluded) render::compute_occlusion(std::span(scene.surfaces.begin(), glassy), {.rays = 16});
}

void append(render::Surface& to, const render::Surface& surface) {
  const auto first = static_cast<std::uint32_t>(to.positions.size());
  to.positions.insert(to.positions.end(), surface.positions.begin(), surface.positions.end());
  to.normals.insert(to.normals.end(), surface.normals.begin(), surface.normals.end());
  to.colours.insert(to.colours.end(), surface.colours.begin(), surface.colours.end());
  for (const Triangle& t : surface.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

std::vector<float> distances_to(const Bvh& surface, std::span<const Vec3f> points) {
  std::vector<float> result(points.size());
  parallel_for(points.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) result[i] = surface.closest(points[i]).distance;
  });
  return result;
}

double scale_end_mm(std::vector<float> values) {
  constexpr double least = 0.1, share = 0.99;
  std::erase_if(values, [](float v) { return !std::isfinite(v); });
  double end = least;
  if (!values.empty()) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    end = std::max(end, double{*place} / metres_per_mm);
  }
  const double power = std::pow(10, std::floor(std::log10(end)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
    if (step * power >= end * (1 - 1e-9)) return step * power;
  return 10 * power;
}

Result<ScanStudio> ScanStudio::open(const Chain& chain, std::size_t pictures, Progress progress) {
  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  ScanStudio studio(std::move(*renderer), pictures, std::move(progress));
  auto palm = view_of(chain.assembled.character, "palm");
  if (!palm) return palm.error();
  auto oblique = view_of(chain.assembled.character, "oblique");
  if (!oblique) return oblique.error();
  studio.palm_ = std::move(*palm);
  studio.oblique_ = std::move(*oblique);
  return studio;
}

Result<render::Image> ScanStudio::shot(render::Scene& scene, const render::View& view, std::span<const Vec3f> subject) {
  if (!report(progress_, "drawing", std::min(1.0, static_cast<double>(drawn_) / static_cast<double>(expected_))))
    return Error{"drawing", "was stopped", ""};
  ++drawn_;
  scene.style = render::page_style();
  if (auto valid = render::validate(scene); !valid) return valid.error();
  shade(scene);
  const std::vector<Vec3f> points =
      subject.empty() ? render::points_of(scene) : std::vector<Vec3f>(subject.begin(), subject.end());
  constexpr double aspect = static_cast<double>(size.width) / size.height;
  return renderer_.draw(scene, render::fit(points, view, aspect, 0.03), size);
}

Result<std::string> ScanStudio::draw(render::Scene scene, const render::View& view, const std::string& description,
                                     std::span<const Vec3f> subject) {
  const auto image = shot(scene, view, subject);
  if (!image) return image.error();
  return html::picture(*image, description);
}

Result<std::string> ScanStudio::draw_named(render::Scene scene, const render::View& view,
                                           const std::string& description, const render::CategoryLegend& legend) {
  const auto image = shot(scene, view, {});
  if (!image) return image.error();
  return html::picture(render::with_legend(*image, legend), description);
}

}  // namespace supple::workflow
