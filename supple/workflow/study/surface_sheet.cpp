#include "supple/workflow/study/surface_sheet.h"

#include "supple/render/colour_map.h"
#include "supple/render/sheet.h"
#include "supple/workflow/study/report_studio.h"

namespace supple::workflow {
namespace {

constexpr render::Size scan_picture{520, 560};
constexpr float skin_opacity = 0.28f;

/// Scans have the patient's axes: x to the left, y to the back, z to the head.
const render::View views[] = {{"front", {0, -1, 0}, {0, 0, 1}}, {"left", {1, 0, 0}, {0, 0, 1}}};

render::Scene scene_of(const Mesh& skin, std::span<const scan::BonePart> parts) {
  render::Scene scene;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    render::Surface surface = moved_surface(parts[p].surface, {});
    surface.name = "piece " + std::to_string(p + 1);
    surface.colour = parts.size() > 1 ? render::category_colour(p) : render::bone_colour;
    surface.finish = render::Finish::matte;
    scene.surfaces.push_back(std::move(surface));
  }
  if (skin.triangles.empty()) return scene;
  scene.surfaces.push_back(moved_surface(skin, {}));
  scene.surfaces.back().opacity = skin_opacity;
  return scene;
}

}  // namespace

Result<render::Image> draw_surfaces(const Mesh& skin, std::span<const scan::BonePart> parts, const std::string& title) {
  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  std::vector<render::SheetCell> cells;
  const auto pieces = std::to_string(parts.size()) + (parts.size() == 1 ? " piece" : " pieces") + " of bone";
  for (const bool with_skin : {true, false}) {
    render::Scene scene = scene_of(with_skin ? skin : Mesh{}, parts);
    if (auto valid = render::validate(scene); !valid) return valid.error();
    shade(scene);
    for (const render::View& view : views) {
      const std::vector<Vec3f> points = render::points_of(scene);
      constexpr double aspect = static_cast<double>(scan_picture.width) / scan_picture.height;
      auto picture = renderer->draw(scene, render::fit(points, view, aspect), scan_picture);
      if (!picture) return picture.error();
      cells.push_back({std::move(*picture), (with_skin ? "skin over bone, " : pieces + ", ") + view.name});
    }
  }
  return render::contact_sheet(cells, {title, "", 2});
}

}  // namespace supple::workflow
