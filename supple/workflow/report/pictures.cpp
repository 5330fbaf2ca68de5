#include "supple/workflow/report/pictures.h"

#include <algorithm>
#include <optional>

#include "supple/render/character.h"
#include "supple/render/sheet.h"
#include "supple/workflow/report/map_painter.h"
#include "supple/workflow/report/part_looks.h"
#include "supple/workflow/report/posed.h"

namespace supple::workflow {
namespace {

/// All poses that are to be drawn, and how.
struct Stage {
  const Character& character;
  const Look& look;
  PartLooks looks;
  MapPainter painter;
  std::vector<bool> joints;     // that bones are drawn between
  std::vector<Posed> poses;     // #shots
  std::vector<Vec3f> points{};  // of all poses: what the camera holds

  bool bones_alone() const { return looks.all_hidden(); }
  Result<render::Scene> scene(std::size_t shot) const;
};

Result<render::Scene> Stage::scene(std::size_t shot) const {
  const Posed& posed = poses[shot];
  std::vector<std::vector<Vec3f>> colours(character.parts.size());
  std::vector<render::PosedPart> parts;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (looks.hidden(p)) continue;
    colours[p] = painter.colours(p, posed);
    render::PosedPart part{character.parts[p].name, posed.positions[p], posed.normals[p],
                           character.parts[p].mesh.triangles, colours[p]};
    looks.dress(p, part);
    parts.push_back(std::move(part));
  }
  render::CharacterLook style;
  style.bones = look.bones || bones_alone();
  if (bones_alone()) style.style.bone_width = 2;
  style.bones_by_category = look.map == "weights";
  style.style.wireframe = look.wireframe;
  if (!look.map.empty()) style.skin_opacity_with_bones = 1;
  return render::character_scene(parts, {character.skeleton.parents(), posed.joints, joints}, style);
}

/// Joints that skins use; of a bare skeleton all.
std::vector<bool> shown_joints(const Character& character) {
  std::vector<bool> joints = skinned_joints(character);
  if (std::find(joints.begin(), joints.end(), true) == joints.end()) joints.assign(joints.size(), true);
  return joints;
}

Result<void> add_poses(Stage& stage, std::span<const Shot> shots, Work& work) {
  const Character& c = stage.character;
  const Look& look = stage.look;
  auto skin = Skin::make(c, look.blend, {}, &work.warnings);
  if (!skin) return skin.error();
  const Posed rest = posed_by(*skin);
  std::optional<Skin> reference_skin;
  if (look.reference != nullptr) {
    auto made = Skin::make(look.reference->character());
    if (!made) return made.error();
    reference_skin = std::move(*made);
  }
  float largest = 0;
  for (const Shot& shot : shots) {
    auto shown = shot.seconds > 0 ? skin->animate(shot.pose, shot.seconds) : skin->evaluate(shot.pose);
    if (!shown) return shown.error();
    Posed posed = posed_by(*skin);
    Posed reference;
    if (reference_skin) {
      if (auto ok = reference_skin->evaluate(shot.reference_pose); !ok) return ok.error();
      reference = posed_by(*reference_skin);
    }
    for (std::size_t p = 0; p < c.parts.size(); ++p) {
      if (stage.painter.scalar()) posed.values.push_back(stage.painter.values(p, posed, rest, reference));
      if (stage.looks.hidden(p)) continue;
      stage.points.insert(stage.points.end(), posed.positions[p].begin(), posed.positions[p].end());
      if (!stage.painter.scalar() || is_bone_surface(c.parts[p])) continue;
      for (const float v : posed.values[p]) largest = std::max(largest, v);
    }
    for (std::size_t j = 0; j < posed.joints.size() && stage.bones_alone(); ++j)
      if (stage.joints[j]) stage.points.push_back(posed.joints[j]);
    stage.poses.push_back(std::move(posed));
  }
  stage.painter.set_range(largest);
  return {};
}

}  // namespace

Result<void> draw_each(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                       const Look& look, render::Size size, Work& work, const TakePicture& take) {
  const Character& c = model.character();
  if (c.parts.empty() && c.skeleton.size() < 2)
    return Error{c.name.empty() ? "the file" : c.name, "has neither a mesh nor a skeleton to draw", ""};
  auto painter = MapPainter::make(c, look);
  if (!painter) return painter.error();
  auto looks = PartLooks::make(model, look, work.warnings);
  if (!looks) return looks.error();
  Stage stage{c, look, std::move(*looks), std::move(*painter), shown_joints(c), {}};
  if (auto ok = add_poses(stage, shots, work); !ok) return ok;

  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  std::vector<render::Camera> cameras;
  for (const render::View& view : views)
    cameras.push_back(render::fit(stage.points, view, static_cast<double>(size.width) / size.height));
  const AddLegend legend = [painter = stage.painter](const render::Image& image) { return painter.with_legend(image); };
  for (std::size_t s = 0; s < shots.size(); ++s) {
    const auto scene = stage.scene(s);
    if (!scene) return scene.error();
    for (std::size_t v = 0; v < views.size(); ++v) {
      const std::size_t done = s * views.size() + v;
      if (!report(work.progress, "drawing",
                  static_cast<double>(done) / static_cast<double>(shots.size() * views.size())))
        return Error{"drawing", "was stopped", ""};
      auto image = renderer->draw(*scene, cameras[v], size);
      if (!image) return image.error();
      if (auto taken = take(std::move(*image), s, v, legend); !taken) return taken;
    }
  }
  return {};
}

Result<render::Image> draw_shots(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                                 const Look& look, render::Size size, const std::string& title, Work& work) {
  std::vector<render::SheetCell> cells;
  AddLegend with_legend;
  const auto take = [&](render::Image image, std::size_t s, std::size_t v, const AddLegend& legend) -> Result<void> {
    const std::string caption = shots.size() > 1 && views.size() > 1 ? shots[s].caption + ", " + views[v].name
                                : shots.size() > 1                   ? shots[s].caption
                                                                     : views[v].name;
    cells.push_back({std::move(image), caption});
    with_legend = legend;
    return {};
  };
  if (auto ok = draw_each(model, shots, views, look, size, work, take); !ok) return ok.error();
  if (cells.size() == 1) return with_legend(cells[0].picture);
  const std::size_t columns = views.size() > 1 && shots.size() > 1 ? views.size()
                              : cells.size() <= 4                  ? cells.size()
                                                                   : 0;
  auto sheet = render::contact_sheet(cells, {.title = title, .subtitle = "", .columns = columns});
  if (!sheet) return sheet.error();
  return with_legend(*sheet);
}

}  // namespace supple::workflow
