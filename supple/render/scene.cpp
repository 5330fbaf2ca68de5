// Checks of a scene before anything is drawn.
#include "supple/render/scene.h"

namespace supple::render {
namespace {

std::string label(const Surface& surface, std::size_t number) {
  return surface.name.empty() ? "surface " + std::to_string(number) : "surface '" + surface.name + "'";
}

Result<void> validate(const Surface& surface, const std::string& item) {
  const std::size_t count = surface.positions.size();
  const auto per_vertex = [&](std::size_t size, const char* what) -> Result<void> {
    if (size == 0 || size == count) return {};
    return Error{item, "has " + std::to_string(count) + " vertices but " + std::to_string(size) + " " + what,
                 "give one for each vertex, or none"};
  };
  if (auto r = per_vertex(surface.normals.size(), "normals"); !r) return r;
  if (auto r = per_vertex(surface.colours.size(), "colours"); !r) return r;
  if (auto r = per_vertex(surface.occlusion.size(), "occlusion values"); !r) return r;
  if (surface.texture != nullptr) {
    if (surface.texture->image.pixels.empty()) return Error{item, "has a texture without pixels", ""};
    if (surface.texcoords.size() != count)
      return Error{item,
                   "has a texture, and " + std::to_string(surface.texcoords.size()) + " texture coordinates for " +
                       std::to_string(count) + " vertices",
                   "give one for each vertex"};
  }
  if (!(surface.opacity >= 0 && surface.opacity <= 1)) {
    return Error{item, "has an opacity outside 0 to 1", "use 1 for a surface that hides what is behind it"};
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (!is_finite(surface.positions[v])) {
      return Error{item, "vertex " + std::to_string(v) + " has a position that is not finite",
                   "check the pose and the weights of this vertex"};
    }
  }
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const std::uint32_t v : surface.triangles[t]) {
      if (v < count) continue;
      return Error{
          item, "triangle " + std::to_string(t) + " uses vertex " + std::to_string(v) + " of " + std::to_string(count),
          "repair the file's indices"};
    }
  }
  return {};
}

}  // namespace

Style page_style() {
  Style style;
  style.background_center = style.background_edge = from_hex(0xf3f5f7);
  style.samples = 4;
  return style;
}

Result<void> validate(const Scene& scene) {
  for (std::size_t i = 0; i < scene.surfaces.size(); ++i) {
    if (auto r = validate(scene.surfaces[i], label(scene.surfaces[i], i)); !r) return r;
  }
  for (std::size_t i = 0; i < scene.bones.size(); ++i) {
    if (is_finite(scene.bones[i].head) && is_finite(scene.bones[i].tail)) continue;
    return Error{"bone " + std::to_string(i), "is not finite", "check the pose of its joint"};
  }
  for (std::size_t i = 0; i < scene.joints.size(); ++i) {
    if (is_finite(scene.joints[i].position)) continue;
    return Error{"joint " + std::to_string(i), "has a position that is not finite", "check its pose"};
  }
  return {};
}

std::vector<Vec3f> points_of(const Scene& scene) {
  std::vector<Vec3f> points;
  for (const Surface& s : scene.surfaces) points.insert(points.end(), s.positions.begin(), s.positions.end());
  for (const BoneShape& b : scene.bones) points.insert(points.end(), {b.head, b.tail});
  for (const JointShape& j : scene.joints) points.push_back(j.position);
  return points;
}

}  // namespace supple::render
