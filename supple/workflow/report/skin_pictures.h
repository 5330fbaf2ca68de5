// Pictures of one surface whose colours stand for numbers, drawn off-screen for a page.
#pragma once

#include "supple/workflow/report/pictures.h"

namespace supple::workflow {

/// The surface as it stands, and what it shows.
struct ShownSurface {
  std::span<const Vec3f> positions, normals;  // #V, world space
  std::span<const Vec3f> colours;             // #V linear RGB, or empty: as skin
  std::span<const float> occlusion;           // #V
};

class SkinPictures {
 public:
  /// The error says why nothing can be drawn here. The character must outlive it.
  static Result<SkinPictures> open(const Character& character, std::size_t part);

  /// Ambient occlusion of the surface; it takes longer than a picture, and one shape serves many.
  std::vector<float> occlusion(std::span<const Vec3f> positions, std::span<const Vec3f> normals) const;
  /// The camera looks along the view at all of `subject`, with `margin` of the picture around it.
  Result<render::Image> image(const ShownSurface& shown_surface, std::span<const Vec3f> subject,
                              const render::View& view, render::Size size, double margin = 0.06);
  /// The same as an <img> element.
  Result<std::string> draw(const ShownSurface& shown_surface, std::span<const Vec3f> subject, const render::View& view,
                           render::Size size, const std::string& description, double margin = 0.06);
  const std::vector<render::View>& views() const { return views_; }
  /// The one that shows most of a bent joint.
  const render::View& detail() const { return detail_; }
  /// The view in which most of some quantity faces the eye: `amounts` (#V) lie on a surface with these normals.
  const render::View& view_of_most(std::span<const Vec3f> normals, std::span<const float> amounts) const;

 private:
  SkinPictures(render::Renderer renderer, const Part& part) : renderer_(std::move(renderer)), part_(&part) {}
  render::Surface surface(std::span<const Vec3f> positions, std::span<const Vec3f> normals) const;

  render::Renderer renderer_;
  const Part* part_;
  Vec3f colour_ = render::skin_colour;
  std::vector<render::View> views_;
  render::View detail_;
};

}  // namespace supple::workflow
