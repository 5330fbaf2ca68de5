// One surface, many colourings: the shape is lit once, and the view can follow what is to be seen.
#include "supple/workflow/report/skin_pictures.h"

#include <algorithm>

#include "supple/render/occlusion.h"
#include "supple/workflow/report/html.h"

namespace supple::workflow {

Result<SkinPictures> SkinPictures::open(const Character& character, std::size_t part) {
  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  auto detail = view_of(character, detail_view(character));
  if (!detail) return detail.error();
  SkinPictures drawn(std::move(*renderer), character.parts[part]);
  drawn.views_ = views_around(character);
  drawn.detail_ = std::move(*detail);
  if (const auto material = character.parts[part].material) {
    const auto& rgba = character.materials[*material].base_color;
    drawn.colour_ = {rgba[0], rgba[1], rgba[2]};
  }
  return drawn;
}

const render::View& SkinPictures::view_of_most(std::span<const Vec3f> normals, std::span<const float> amounts) const {
  const render::View* best = workflow::view_of_most(views_, normals, amounts);
  return best == nullptr ? detail_ : *best;
}

render::Surface SkinPictures::surface(std::span<const Vec3f> positions, std::span<const Vec3f> normals) const {
  render::Surface result;
  result.name = part_->name;
  result.positions.assign(positions.begin(), positions.end());
  result.normals.assign(normals.begin(), normals.end());
  result.triangles = part_->mesh.triangles;
  result.colour = colour_;
  return result;
}

std::vector<float> SkinPictures::occlusion(std::span<const Vec3f> positions, std::span<const Vec3f> normals) const {
  render::Surface bare = surface(positions, normals);
  render::compute_occlusion(std::span(&bare, 1), {.rays = 32});
  return bare.occlusion;
}

Result<render::Image> SkinPictures::image(const ShownSurface& shown_surface, std::span<const Vec3f> subject,
                                          const render::View& view, render::Size size, double margin) {
  render::Surface shown = surface(shown_surface.positions, shown_surface.normals);
  shown.colours.assign(shown_surface.colours.begin(), shown_surface.colours.end());
  shown.occlusion.assign(shown_surface.occlusion.begin(), shown_surface.occlusion.end());
  shown.finish = shown_surface.colours.empty() ? render::Finish::skin : render::Finish::data;
  render::Scene scene;
  scene.surfaces.push_back(std::move(shown));
  scene.style = render::page_style();
  if (auto valid = render::validate(scene); !valid) return valid.error();
  const double aspect = static_cast<double>(size.width) / size.height;
  return renderer_.draw(scene, render::fit(subject, view, aspect, margin), size);
}

Result<std::string> SkinPictures::draw(const ShownSurface& shown_surface, std::span<const Vec3f> subject,
                                       const render::View& view, render::Size size, const std::string& description,
                                       double margin) {
  const auto drawn = image(shown_surface, subject, view, size, margin);
  return drawn ? html::picture(*drawn, description) : Result<std::string>(drawn.error());
}

}  // namespace supple::workflow
