// Groups by look, and the vertices of each.
#include "supple/render/gpu_surface.h"

#include <algorithm>
#include <tuple>

namespace supple::render {
namespace {

// A character of thousands of transparent parts would take as many layers, each drawn four times.
constexpr std::size_t max_transparent_groups = 64;

auto look_of(const Surface& s) { return std::tuple(s.finish, s.opacity, s.texture.get(), s.alpha, s.alpha_cutoff); }

using Group = std::vector<const Surface*>;

/// Distance of a surface's nearest point along the line of sight.
double nearest(const Surface& surface, const Frame& frame) {
  double result = frame.far;
  for (const Vec3f& p : surface.positions) result = std::min(result, frame.depth(Vec3d(p) - frame.target));
  return result;
}

/// Opaque surfaces of one look together, in the order in which the looks come first.
std::vector<Group> opaque_groups(std::span<const Surface> surfaces) {
  std::vector<Group> groups;
  std::map<decltype(look_of(surfaces[0])), std::size_t> places;
  for (const Surface& s : surfaces) {
    if (s.transparent()) continue;
    const auto [place, is_new] = places.try_emplace(look_of(s), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&s);
  }
  return groups;
}

std::vector<Group> transparent_groups(std::span<const Surface> surfaces, const Frame& frame) {
  std::vector<std::pair<double, const Surface*>> order;
  for (const Surface& s : surfaces)
    if (s.transparent()) order.emplace_back(nearest(s, frame), &s);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t full = (order.size() + max_transparent_groups - 1) / max_transparent_groups;
  std::vector<Group> groups;
  for (const auto& [distance, s] : order) {
    if (groups.empty() || groups.back().size() == full || look_of(*groups.back().front()) != look_of(*s))
      groups.emplace_back();
    groups.back().push_back(s);
  }
  return groups;
}

void append(const Surface& surface, const Frame& frame, std::vector<Vertex>& vertices,
            std::vector<Triangle>& triangles) {
  std::vector<Vec3f> computed;
  if (surface.normals.empty()) {
    computed.resize(surface.positions.size());
    compute_normals(surface.positions, surface.triangles, computed);
  }
  const std::span<const Vec3f> normals = computed.empty() ? std::span<const Vec3f>(surface.normals) : computed;
  const auto first = static_cast<std::uint32_t>(vertices.size());
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    // Relative to the target, so that a character far from the origin keeps its precision.
    const Vec3d p = Vec3d(surface.positions[v]) - frame.target;
    vertices.push_back({Vec3f(p), is_finite(normals[v]) ? normals[v] : Vec3f{},
                        surface.colours.empty() ? surface.colour : surface.colours[v],
                        surface.occlusion.empty() ? 1.0f : surface.occlusion[v],
                        surface.texcoords.empty() ? std::array<float, 2>{} : surface.texcoords[v]});
  }
  for (const Triangle& t : surface.triangles) triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

}  // namespace

void TextureCache::prepare(const Scene& scene) {
  std::map<std::shared_ptr<const Texture>, Handle> wanted;
  for (const Surface& s : scene.surfaces) {
    if (s.texture == nullptr || wanted.contains(s.texture)) continue;
    const auto found = known_.find(s.texture);
    wanted.emplace(s.texture, found != known_.end() ? std::move(found->second) : render::upload(*s.texture));
  }
  known_ = std::move(wanted);
}

std::vector<GpuSurface> upload(std::span<const Surface> surfaces, const Frame& frame, const TextureCache& textures,
                               bool split) {
  std::vector<Group> groups = opaque_groups(surfaces);
  for (Group& group : transparent_groups(surfaces, frame)) groups.push_back(std::move(group));
  std::vector<GpuSurface> result;
  for (const Group& group : groups) {
    std::vector<Vertex> vertices;
    std::vector<Triangle> triangles;
    for (const Surface* s : group) append(*s, frame, vertices, triangles);
    const Surface& like = *group.front();
    result.push_back({render::upload(vertices, triangles, split), like.finish, like.opacity, textures.of(like),
                      like.alpha, like.alpha == Alpha::blend ? 0.02f : like.alpha_cutoff});
  }
  return result;
}

}  // namespace supple::render
