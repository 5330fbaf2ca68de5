#include "supple/files/kinodynamic_shapes.h"

#include "supple/base/angle.h"
#include "supple/deform/field/star.h"
#include "supple/deform/vortex/frame.h"
#include "supple/files/obj.h"

namespace supple {
namespace {

using gltf::fail;
using gltf::Item;
using gltf::short_decimal;

Json vector_json(Vec3f v) { return Json::array({short_decimal(v.x), short_decimal(v.y), short_decimal(v.z)}); }

Json quaternion_json(Quatf q) {
  return Json::array({short_decimal(q.x), short_decimal(q.y), short_decimal(q.z), short_decimal(q.w)});
}

Vec3d vector_or(const Item& item, const char* key, Vec3d otherwise) {
  const auto v = item.floats(key, 3);
  return v ? Vec3d(Vec3f{(*v)[0], (*v)[1], (*v)[2]}) : otherwise;
}

/// Four numbers are a quaternion; three are degrees about x, then y, then z of the joint.
Quatd orientation_of(const Item& item) {
  const auto v = item.floats("orientation");
  if (!v) return {};
  if (v->size() == 4) return Quatd(Quatf{(*v)[0], (*v)[1], (*v)[2], (*v)[3]});
  if (v->size() != 3) fail(item.path("orientation"), "must be three angles in degrees or a quaternion x, y, z, w");
  return from_axis_angle(Vec3d{0, 0, 1}, double{(*v)[2]} * degree) *
         from_axis_angle(Vec3d{0, 1, 0}, double{(*v)[1]} * degree) *
         from_axis_angle(Vec3d{1, 0, 0}, double{(*v)[0]} * degree);
}

void make_orientation_plain(const Item& item, Json& json) {
  const Quatd q = orientation_of(item);
  if (item.has("orientation") && json["orientation"].size() == 3) json["orientation"] = quaternion_json(Quatf(q));
}

}  // namespace

RecipeShapes::RecipeShapes(const Character& character, std::filesystem::path folder, Warnings* warnings)
    : world_(to_world(character.skeleton, character.rest())),
      usual_gravity_(Vec3d(VortexMuscle{}.gravity) / character.unit.value_or(1)),
      folder_(std::move(folder)),
      warnings_(warnings) {}

const std::vector<std::string>& RecipeShapes::further_keys() {
  static const std::vector<std::string> keys{"mesh", "space", "surface", "margin", "modelled_under_gravity"};
  return keys;
}

Vec3f RecipeShapes::gravity_at_rest(JointIndex joint, Quatf orientation, Vec3f gravity) const {
  return Vec3f(transpose(muscle_frame(joint, {}, to_matrix(Quatd(orientation)), world_).axes) * Vec3d(gravity));
}

Mesh RecipeShapes::read_shape(const Item& item, const char* key) const {
  const std::string path = (folder_ / item.required_text(key)).string();
  const auto model = read_obj(path, warnings_);
  if (!model) fail(item.path(key), model.error().item + ": " + model.error().problem, model.error().remedy);
  if (model->part.mesh.triangles.empty()) fail(item.path(key), "'" + path + "' has no triangles");
  return model->part.mesh;
}

Json RecipeShapes::plain_tissue(const Item& item, JointIndex joint) const {
  Json json = item.json();
  make_orientation_plain(item, json);
  if (!item.has("surface")) {
    if (item.has("margin")) fail(item.path("margin"), "is of a surface in a file");
    return json;
  }
  for (const char* key : {"center", "orientation", "radii", "star"})
    if (item.has(key)) fail(item.path(key), "comes from the surface", "leave one out");
  StarFit fit;
  if (item.text("kind", "") == "bone") fit.kind = TissueKind::bone;
  if (item.has("margin")) fit.margin = double{item.required_float("margin")};
  if (!(fit.margin > 0)) fail(item.path("margin"), "must be above zero");
  const auto star = fit_star(read_shape(item, "surface"), joint, world_[joint], fit);
  if (!star) fail(item.path("surface"), star.error().problem, star.error().remedy);
  json.erase("surface");
  json.erase("margin");
  json["center"] = vector_json(star->center);
  json["orientation"] = quaternion_json(star->orientation);
  json["radii"] = vector_json(star->radii);
  json["star"] = Json::array();
  for (const float s : star->star) json["star"].push_back(short_decimal(s));
  return json;
}

/// The surface and the target of a muscle, from the world at rest (or from the muscle's own frame) into its frame.
void RecipeShapes::place_surface(const Item& item, JointIndex joint, Json& json) const {
  const std::string space = item.text("space", "world");
  if (space != "world" && space != "muscle") fail(item.path("space"), "is not known", "write world or muscle");
  const bool from_mesh = item.has("mesh"), from_target = item.has("target") && json["target"].is_string();
  if (from_mesh && item.has("surface")) fail(item.path("mesh"), "and surface say the same", "give one");
  if (item.has("space") && !from_mesh && !from_target) fail(item.path("space"), "is of a mesh or target in a file");
  const Quatd turn = orientation_of(item);
  Vec3d center = vector_or(item, "center", {});
  const auto placed = [&](const Mesh& mesh) {
    std::vector<Vec3f> points = mesh.positions;
    if (space == "muscle") return points;
    const MuscleFrame frame = muscle_frame(joint, center, to_matrix(turn), world_);
    for (Vec3f& p : points) p = Vec3f(transpose(frame.axes) * (Vec3d(p) - frame.origin));
    return points;
  };
  const auto points_json = [](const std::vector<Vec3f>& points) {
    Json list = Json::array();
    for (const Vec3f p : points) list.push_back(vector_json(p));
    return list;
  };
  Mesh mesh;
  if (from_mesh) {
    mesh = read_shape(item, "mesh");
    if (!item.has("center") && space == "world") {
      center = rotate(turn, Vec3d(bounds(placed(mesh)).center()));
      json["center"] = vector_json(Vec3f(center));
      center = Vec3d(Vec3f(center));  // as it will be read
    }
    const std::vector<Vec3f> points = placed(mesh);
    json.erase("mesh");
    json["surface"] = {{"positions", points_json(points)}, {"triangles", mesh.triangles}};
    const Box box = bounds(points);
    if (!item.has("radii")) json["radii"] = vector_json((box.high - box.low) * 0.5f);
  }
  if (from_target) {
    const Mesh target = read_shape(item, "target");
    if (from_mesh && (target.triangles != mesh.triangles || target.positions.size() != mesh.positions.size()))
      fail(item.path("target"), "has other points or triangles than the mesh", "displace the points of the same mesh");
    json["target"] = points_json(placed(target));
  }
  json.erase("space");
}

Json RecipeShapes::plain_muscle(const Item& item, JointIndex joint) const {
  Json json = item.json();
  make_orientation_plain(item, json);
  place_surface(item, joint, json);
  if (item.has("skin_weights") && json["skin_weights"].is_object())
    json["skin_weights"] = Json::array({json["skin_weights"]});
  Vec3f gravity = usual_gravity_;
  if (!item.has("gravity") && gravity != VortexMuscle{}.gravity) json["gravity"] = vector_json(gravity);
  if (item.has("gravity")) {  // a vector, or how many times the usual one
    gravity =
        json["gravity"].is_number() ? gravity * item.required_float("gravity") : Vec3f(vector_or(item, "gravity", {}));
    json["gravity"] = vector_json(gravity);
  }
  if (item.has("modelled_gravity") && item.has("modelled_under_gravity"))
    fail(item.path("modelled_gravity"), "and modelled_under_gravity say the same", "give one");
  if (!item.has("modelled_gravity") && item.flag("modelled_under_gravity", true))
    json["modelled_gravity"] = vector_json(gravity_at_rest(joint, Quatf(orientation_of(item)), gravity));
  json.erase("modelled_under_gravity");
  return json;
}

}  // namespace supple
