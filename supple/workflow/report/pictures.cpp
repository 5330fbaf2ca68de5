#include "supple/workflow/report/pictures.h"

#include <fmt/core.h>

#include <algorithm>

#include "supple/base/text.h"
#include "supple/geometry/bvh.h"
#include "supple/render/character.h"
#include "supple/render/colour_map.h"
#include "supple/render/legend.h"
#include "supple/render/sheet.h"

namespace supple::workflow {
namespace {

/// One pose with everything a picture needs of it.
struct Posed {
  std::vector<std::vector<Vec3f>> positions, normals;  // per part
  std::vector<std::vector<float>> values;              // per part, for scalar maps; metres or weights
  std::vector<Vec3f> joints;
};

bool is_hand(const Character& c) { return c.skeleton.find("wrist") && c.skeleton.find("middle-finger-tip"); }

/// +1 where the thumb points to +x (a left hand, palm down), -1 otherwise.
float thumb_side(const Character& c) {
  const std::vector<Affinef> world = to_world(c.skeleton, c.rest());
  const auto thumb = c.skeleton.find("thumb-tip");
  return thumb && world[*thumb].translation.x < 0 ? -1.0f : 1.0f;
}

bool is_bone_surface(const Part& part) { return part.name == "bones"; }

Posed evaluate(const Character& character, Skin& skin) {
  Posed posed;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    posed.positions.emplace_back(skin.positions(p).begin(), skin.positions(p).end());
    posed.normals.emplace_back(skin.normals(p).begin(), skin.normals(p).end());
  }
  for (const Affinef& m : skin.world()) posed.joints.push_back(m.translation);
  return posed;
}

std::vector<float> distances(std::span<const Vec3f> from, std::span<const Vec3f> to) {
  std::vector<float> result;
  for (std::size_t i = 0; i < from.size(); ++i) result.push_back(length(from[i] - to[i]));
  return result;
}

/// Distance of each vertex to the reference: to its own counterpart where the meshes match, to the surface otherwise.
std::vector<float> errors(const Posed& posed, std::size_t part, const Posed& reference,
                          const Character& reference_character) {
  if (part < reference.positions.size() && reference.positions[part].size() == posed.positions[part].size()) {
    return distances(posed.positions[part], reference.positions[part]);
  }
  std::vector<Bvh> surfaces;
  for (std::size_t p = 0; p < reference.positions.size(); ++p)
    surfaces.emplace_back(reference.positions[p], reference_character.parts[p].mesh.triangles);
  std::vector<float> result;
  for (const Vec3f& v : posed.positions[part]) {
    float nearest = std::numeric_limits<float>::infinity();
    for (const Bvh& b : surfaces) nearest = std::min(nearest, b.closest(v, nearest).distance);
    result.push_back(nearest);
  }
  return result;
}

/// What the colours of the chosen map stand for.
class MapPainter {
 public:
  static Result<MapPainter> make(const Character& character, const Look& look) {
    MapPainter painter(character, look);
    if (look.map.empty() || look.map == "weights" || look.map == "displacement") return painter;
    if (look.map == "error") {
      if (look.reference == nullptr)
        return Error{"--map error", "needs something to compare with", "name it with --reference"};
      return painter;
    }
    if (look.map.starts_with("weights:")) {
      const auto joint = character.skeleton.require(look.map.substr(8));
      if (!joint) return joint.error();
      painter.joint_ = *joint;
      return painter;
    }
    const std::vector<std::string> maps{"weights", "displacement", "error"};
    const std::string near = did_you_mean(look.map, maps);
    return Error{"--map " + look.map, "is not a map",
                 near.empty() ? "there are weights, weights:JOINT, displacement and error" : near};
  }

  bool scalar() const { return !look_->map.empty() && look_->map != "weights"; }
  bool of_weights() const { return look_->map.starts_with("weights"); }

  /// Values of one part in one pose.
  std::vector<float> values(std::size_t part, const Posed& posed, const Posed& rest, const Posed& reference) const {
    const Part& p = character_->parts[part];
    if (look_->map == "displacement") return distances(posed.positions[part], rest.positions[part]);
    if (look_->map == "error") return errors(posed, part, reference, look_->reference->character());
    std::vector<float> none(p.mesh.positions.size());
    if (!p.skin) return none;
    const auto& joints = character_->skins[*p.skin].joints;
    const auto found = std::find(joints.begin(), joints.end(), joint_);
    return found == joints.end() ? none
                                 : render::weights_of(p.weights, static_cast<std::uint32_t>(found - joints.begin()));
  }

  void set_range(float max) {
    max_ = of_weights() ? 1 : look_->map_max_mm > 0 ? static_cast<float>(look_->map_max_mm / 1000) : max;
  }

  std::vector<Vec3f> colours(std::size_t part, const Posed& posed) const {
    if (look_->map.empty()) return {};
    const Part& p = character_->parts[part];
    if (!scalar()) return p.skin ? render::weight_colours(p.weights) : std::vector<Vec3f>();
    return render::map_colours(posed.values[part], 0, max_, map());
  }

  render::Image with_legend(const render::Image& image) const {
    if (look_->map.empty()) return image;
    if (scalar()) {
      if (of_weights())
        return render::with_legend(image, render::ScaleLegend{character_->skeleton.name(joint_), "", 0, 1, map()});
      return render::with_legend(image, render::ScaleLegend{look_->map, "mm", 0, max_ * 1000, map()});
    }
    render::CategoryLegend legend{"weights", {}};
    for (const Part& p : character_->parts) {
      if (!p.skin) continue;
      const auto& joints = character_->skins[*p.skin].joints;
      for (std::size_t k = 0; k < joints.size(); ++k)
        legend.entries.push_back({character_->skeleton.name(joints[k]), render::category_colour(k)});
      break;
    }
    return render::with_legend(image, legend);
  }

 private:
  MapPainter(const Character& character, const Look& look) : character_(&character), look_(&look) {}
  render::ColourMap map() const { return look_->map == "error" ? render::ColourMap::ember : render::ColourMap::sea; }

  const Character* character_;
  const Look* look_;
  JointIndex joint_ = no_joint;
  float max_ = 1;
};

Result<render::Scene> scene_of(const Character& c, const Posed& posed, const MapPainter& painter, const Look& look) {
  std::vector<std::vector<Vec3f>> colours(c.parts.size());
  std::vector<render::PosedPart> parts;
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    colours[p] = painter.colours(p, posed);
    render::PosedPart part{c.parts[p].name, posed.positions[p], posed.normals[p], c.parts[p].mesh.triangles,
                           colours[p]};
    if (c.parts[p].material) {
      const auto& rgba = c.materials[*c.parts[p].material].base_color;
      part.colour = {rgba[0], rgba[1], rgba[2]};
    }
    part.opacity = is_bone_surface(c.parts[p]) ? 1 : look.opacity;
    part.finish = !look.map.empty()             ? render::Finish::data
                  : is_bone_surface(c.parts[p]) ? render::Finish::matte
                                                : render::Finish::skin;
    parts.push_back(part);
  }
  render::CharacterLook style;
  style.bones = look.bones;
  style.bones_by_category = look.map == "weights";
  style.style.wireframe = look.wireframe;
  if (!look.map.empty()) style.skin_opacity_with_bones = 1;
  return render::character_scene(parts, {c.skeleton.parents(), posed.joints, skinned_joints(c)}, style);
}

}  // namespace

std::string default_view(const Character& character) { return is_hand(character) ? "dorsal" : "three-quarter"; }

std::string detail_view(const Character& character) { return is_hand(character) ? "oblique" : "three-quarter"; }

Result<render::View> view_of(const Character& character, const std::string& name) {
  if (is_hand(character)) {
    // Hands lie palm down with the fingers along -z: seen with the fingers up.
    const Vec3f up{0, 0, -1};
    const float thumb = thumb_side(character);
    if (name == "palm") return render::View{name, {0.1f * thumb, -1, 0.15f}, up};
    if (name == "dorsal") return render::View{name, {0, 1, 0.15f}, up};
    if (name == "thumb") return render::View{name, {thumb, -0.1f, 0.25f}, up};
    if (name == "oblique") return render::View{name, {0.6f * thumb, -0.75f, 0.5f}, up};
  }
  return render::find_view(name);
}

std::vector<render::View> views_around(const Character& character) {
  std::vector<render::View> result;
  if (!is_hand(character)) {
    for (const render::View& view : render::views()) result.push_back(view);
    return result;
  }
  for (const char* name : {"palm", "dorsal", "thumb", "oblique"})
    if (auto view = view_of(character, name)) result.push_back(std::move(*view));
  return result;
}

Result<render::Image> draw_shots(const Model& model, std::span<const Shot> shots, std::span<const render::View> views,
                                 const Look& look, render::Size size, const std::string& title,
                                 const Progress& progress) {
  const Character& c = model.character();
  auto painter = MapPainter::make(c, look);
  if (!painter) return painter.error();
  auto skin = Skin::make(c, look.blend);
  if (!skin) return skin.error();
  if (skin->parts() == 0) return Error{c.name.empty() ? "the file" : c.name, "has no mesh to draw", ""};
  const Posed rest = evaluate(c, *skin);

  std::optional<Skin> reference_skin;
  if (look.reference != nullptr) {
    auto made = Skin::make(look.reference->character());
    if (!made) return made.error();
    reference_skin = std::move(*made);
  }
  std::vector<Posed> poses;
  std::vector<Vec3f> points;
  float largest = 0;
  for (const Shot& shot : shots) {
    if (auto ok = skin->evaluate(shot.pose); !ok) return ok.error();
    Posed posed = evaluate(c, *skin), reference;
    if (reference_skin) {
      if (auto ok = reference_skin->evaluate(shot.reference_pose); !ok) return ok.error();
      reference = evaluate(look.reference->character(), *reference_skin);
    }
    for (std::size_t p = 0; p < c.parts.size(); ++p) {
      points.insert(points.end(), posed.positions[p].begin(), posed.positions[p].end());
      if (!painter->scalar()) continue;
      posed.values.push_back(painter->values(p, posed, rest, reference));
      if (!is_bone_surface(c.parts[p])) {
        for (const float v : posed.values[p]) largest = std::max(largest, v);
      }
    }
    poses.push_back(std::move(posed));
  }
  painter->set_range(largest);

  auto renderer = render::Renderer::create();
  if (!renderer) return renderer.error();
  std::vector<render::SheetCell> cells;
  const double aspect = static_cast<double>(size.width) / size.height;
  for (std::size_t s = 0; s < poses.size(); ++s) {
    const auto scene = scene_of(c, poses[s], *painter, look);
    if (!scene) return scene.error();
    for (const render::View& view : views) {
      if (!report(progress, "drawing",
                  static_cast<double>(cells.size()) / static_cast<double>(shots.size() * views.size())))
        return Error{"drawing", "was stopped", ""};
      auto image = renderer->draw(*scene, render::fit(points, view, aspect), size);
      if (!image) return image.error();
      const std::string caption = shots.size() > 1 && views.size() > 1 ? shots[s].caption + ", " + view.name
                                  : shots.size() > 1                   ? shots[s].caption
                                                                       : view.name;
      cells.push_back({std::move(*image), caption});
    }
  }
  if (cells.size() == 1) return painter->with_legend(cells[0].picture);
  const std::size_t columns = views.size() > 1 && shots.size() > 1 ? views.size()
                              : cells.size() <= 4                  ? cells.size()
                                                                   : 0;
  auto sheet = render::contact_sheet(cells, {.title = title, .subtitle = "", .columns = columns});
  if (!sheet) return sheet.error();
  return painter->with_legend(*sheet);
}

}  // namespace supple::workflow
