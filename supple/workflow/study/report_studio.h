// Pictures of what the stages of a scan project made, all seen from the same side.
#pragma once

#include <limits>

#include "supple/geometry/bvh.h"
#include "supple/render/legend.h"
#include "supple/workflow/report/pictures.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

/// Millimetres of a colour scale, and metres of the scenes.
inline constexpr float metres_per_mm = 0.001f;
/// What has no value in a map of distances: shown grey.
inline constexpr float no_value = std::numeric_limits<float>::quiet_NaN();

/// From a scan's own space to model space, where its root bone lies as in every other scan.
Affined to_model_space(const Chain& chain, std::size_t scan);

std::vector<Vec3f> moved(std::span<const Vec3f> points, const Affined& by);
render::Surface skin_surface(std::span<const Vec3f> positions, std::span<const Triangle> triangles);
/// With its own normals where it has some, moved.
render::Surface moved_surface(const Mesh& mesh, const Affined& by);
/// Small balls on a surface.
render::Surface dots(std::span<const Vec3f> points, Vec3f colour);
/// Ambient occlusion, where it does not take too long: once for a scene that is drawn several times.
void shade(render::Scene& scene);
void append(render::Surface& to, const render::Surface& surface);

/// Metres from points to a surface.
std::vector<float> distances_to(const Bvh& surface, std::span<const Vec3f> points);
/// A round number of millimetres that all but 1 % of the values (metres) stay below: the end of a colour scale, at
/// least 0.1.
double scale_end_mm(std::vector<float> values);

/// Draws pictures for a page.
class ScanStudio {
 public:
  /// The error says why nothing can be drawn here. About `pictures` will be asked for.
  static Result<ScanStudio> open(const Chain& chain, std::size_t pictures, Progress progress);

  const render::View& palm() const { return palm_; }
  /// From the thumb's side of the palm: shows most of bent fingers.
  const render::View& oblique() const { return oblique_; }
  /// An <img> element; a scene that is not shaded yet is. The camera sees all of `subject`, in model space; none: all
  /// of the scene.
  Result<std::string> draw(render::Scene scene, const render::View& view, const std::string& description,
                           std::span<const Vec3f> subject = {});
  /// The same with names beside colours.
  Result<std::string> draw_named(render::Scene scene, const render::View& view, const std::string& description,
                                 const render::CategoryLegend& legend);

 private:
  ScanStudio(render::Renderer renderer, std::size_t pictures, Progress progress)
      : renderer_(std::move(renderer)), expected_(pictures), progress_(std::move(progress)) {}
  Result<render::Image> shot(render::Scene& scene, const render::View& view, std::span<const Vec3f> subject);

  render::Renderer renderer_;
  render::View palm_, oblique_;
  std::size_t expected_ = 1, drawn_ = 0;
  Progress progress_;
};

}  // namespace supple::workflow
