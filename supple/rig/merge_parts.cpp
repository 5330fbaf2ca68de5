#include "supple/rig/merge_parts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "supple/geometry/topology.h"

namespace supple {
namespace {

constexpr double rigid_share = 0.02;  // of the vertices: as many may follow several joints

using Coordinates = std::array<float, 3>;
Coordinates coordinates(Vec3f v) { return {v.x, v.y, v.z}; }

/// One skin of all joints that the parts' skins have, a joint once for each inverse bind matrix it has. Returns for
/// each part where its joints are.
std::vector<std::vector<std::uint32_t>> merge_skins(const Character& from, std::span<const std::size_t> parts,
                                                    SkinBinding& merged) {
  std::vector<std::vector<std::uint32_t>> places;
  for (const std::size_t p : parts) {
    const SkinBinding& skin = from.skins[*from.parts[p].skin];
    if (merged.joints.empty()) merged.name = skin.name;
    auto& place = places.emplace_back();
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      std::uint32_t at = 0;
      while (at < merged.joints.size() &&
             !(merged.joints[at] == skin.joints[k] && merged.inverse_bind[at] == skin.inverse_bind[k]))
        ++at;
      if (at == merged.joints.size()) {
        merged.joints.push_back(skin.joints[k]);
        merged.inverse_bind.push_back(skin.inverse_bind[k]);
      }
      place.push_back(at);
    }
  }
  return places;
}

std::vector<Vec3f> normals_of(const Mesh& mesh) {
  if (!mesh.normals.empty()) return mesh.normals;
  std::vector<Vec3f> normals(mesh.positions.size());
  compute_normals(mesh.positions, mesh.triangles, normals, weld(mesh.positions).to_point);
  return normals;
}

std::vector<bool> moved_by_morphs(const Part& part) {
  std::vector<bool> moved(part.mesh.positions.size());
  for (const MorphTarget& target : part.morphs)
    for (const auto* offsets : {&target.positions, &target.normals})
      for (std::size_t i = 0; i < offsets->size(); ++i)
        if (!((*offsets)[i] == Vec3f{})) moved[target.vertices.empty() ? i : target.vertices[i]] = true;
  return moved;
}

/// Morph targets of the parts' meshes, one mesh after another, over the merged vertices.
void merge_morphs(const Character& from, MergedParts& merged) {
  Part& to = merged.character.parts[0];
  std::map<std::uint32_t, std::size_t> first_of;  // the mesh's first weight: place of its first target
  for (std::size_t i = 0; i < merged.parts.size(); ++i) {
    const Part& part = from.parts[merged.parts[i]];
    if (part.morphs.empty()) continue;
    const auto [found, fresh] = first_of.try_emplace(part.first_morph_weight, to.morphs.size());
    if (fresh)
      for (std::size_t m = 0; m < part.morphs.size(); ++m) {
        to.morphs.push_back({part.morphs[m].name, {}, {}, {}, {}});
        merged.character.morph_weights.push_back(from.morph_weights[part.first_morph_weight + m]);
      }
    for (std::size_t m = 0; m < part.morphs.size(); ++m) {
      const MorphTarget& source = part.morphs[m];
      MorphTarget& target = to.morphs[found->second + m];
      for (std::size_t k = 0; k < std::max(source.positions.size(), source.normals.size()); ++k) {
        target.vertices.push_back(merged.vertices[i][source.vertices.empty() ? k : source.vertices[k]]);
        target.positions.push_back(source.positions.empty() ? Vec3f{} : source.positions[k]);
        target.normals.push_back(source.normals.empty() ? Vec3f{} : source.normals[k]);
      }
    }
  }
  for (MorphTarget& target : to.morphs) {  // merged vertices of a later part may lie before
    std::map<std::uint32_t, std::pair<Vec3f, Vec3f>> offsets;
    for (std::size_t k = 0; k < target.vertices.size(); ++k)
      offsets.try_emplace(target.vertices[k], target.positions[k], target.normals[k]);
    target.vertices.clear();
    target.positions.clear();
    target.normals.clear();
    for (const auto& [vertex, offset] : offsets) {
      target.vertices.push_back(vertex);
      target.positions.push_back(offset.first);
      target.normals.push_back(offset.second);
    }
  }
}

/// Finds vertices of earlier parts that a vertex cannot be told from.
class SeamFinder {
 public:
  explicit SeamFinder(const Part& merged) : merged_(merged) {}

  std::optional<std::uint32_t> find(Vec3f position, std::optional<Vec3f> normal,
                                    std::span<const Influence> influences) const {
    const auto [begin, end] = places_.equal_range(coordinates(position));
    for (auto at = begin; at != end; ++at) {
      const std::uint32_t v = at->second;
      if (normal && merged_.mesh.normals[v] != *normal) continue;
      const std::span<const Influence> found = merged_.weights.of(v);
      if (std::equal(found.begin(), found.end(), influences.begin(), influences.end())) return v;
    }
    return std::nullopt;
  }
  void add(std::uint32_t vertex) { places_.emplace(coordinates(merged_.mesh.positions[vertex]), vertex); }

 private:
  const Part& merged_;
  std::multimap<Coordinates, std::uint32_t> places_;
};

}  // namespace

MergedParts merge_parts(const Character& from, std::vector<std::size_t> parts, Seams seams,
                        std::span<const std::size_t> others) {
  MergedParts merged;
  merged.parts = std::move(parts);
  Character& to = merged.character;
  to.name = from.name;
  to.unit = from.unit;
  to.skeleton = from.skeleton;
  to.materials = from.materials;
  SkinBinding& skin = to.skins.emplace_back();
  const auto joints = merge_skins(from, merged.parts, skin);
  const bool normals = std::any_of(merged.parts.begin(), merged.parts.end(),
                                   [&](std::size_t p) { return !from.parts[p].mesh.normals.empty(); });
  Part& all = to.parts.emplace_back();
  all.skin = 0;
  all.material = from.parts[merged.parts[0]].material;
  all.node = from.parts[merged.parts[0]].node;
  SeamFinder finder(all);
  for (std::size_t i = 0; i < merged.parts.size(); ++i) {
    const Part& part = from.parts[merged.parts[i]];
    all.name += (i == 0 ? "" : ", ") + part.name;
    const std::vector<Vec3f> own_normals = normals ? normals_of(part.mesh) : std::vector<Vec3f>();
    const std::vector<bool> moved = moved_by_morphs(part);
    auto& vertices = merged.vertices.emplace_back();
    std::vector<std::uint32_t> borders;  // that vertices of later parts may be
    for (std::uint32_t v = 0; v < part.mesh.positions.size(); ++v) {
      std::vector<Influence> influences(part.weights.of(v).begin(), part.weights.of(v).end());
      for (Influence& influence : influences) influence.joint = joints[i][influence.joint];
      const bool may_merge = seams == Seams::merged && !moved[v];
      const auto found = may_merge ? finder.find(part.mesh.positions[v],
                                                 normals ? std::optional(own_normals[v]) : std::nullopt, influences)
                                   : std::nullopt;
      vertices.push_back(found ? *found : static_cast<std::uint32_t>(all.mesh.positions.size()));
      if (found) continue;
      if (may_merge) borders.push_back(vertices.back());
      all.mesh.positions.push_back(part.mesh.positions[v]);
      if (normals) all.mesh.normals.push_back(own_normals[v]);
      all.weights.push_vertex(influences);
    }
    for (const std::uint32_t v : borders) finder.add(v);
    for (const Triangle& t : part.mesh.triangles)
      all.mesh.triangles.push_back({vertices[t[0]], vertices[t[1]], vertices[t[2]]});
  }
  merge_morphs(from, merged);
  for (const std::size_t p : others) {
    Part& other = to.parts.emplace_back(from.parts[p]);
    other.morphs.clear();
    if (!other.skin) continue;
    to.skins.push_back(from.skins[*other.skin]);
    other.skin = static_cast<std::uint32_t>(to.skins.size() - 1);
  }
  return merged;
}

std::vector<std::vector<std::size_t>> joined_surfaces(const Character& character, std::span<const std::size_t> parts) {
  std::vector<std::size_t> leader(parts.size());  // of each part's group so far: an earlier part, or itself
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto first_of = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  std::map<Coordinates, std::size_t> owner;  // the first part that has a vertex there
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const Vec3f v : character.parts[parts[i]].mesh.positions) {
      const std::size_t a = first_of(owner.try_emplace(coordinates(v), i).first->second), b = first_of(i);
      leader[std::max(a, b)] = std::min(a, b);
    }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < parts.size(); ++i) groups[first_of(i)].push_back(parts[i]);
  std::vector<std::vector<std::size_t>> result;
  for (auto& [first, group] : groups) {
    std::sort(group.begin(), group.end());
    result.push_back(std::move(group));
  }
  return result;
}

std::vector<std::size_t> bordering_parts(const Character& character, std::span<const std::size_t> parts,
                                         std::span<const std::size_t> candidates) {
  std::set<Coordinates> places;
  for (const std::size_t p : parts)
    for (const Vec3f v : character.parts[p].mesh.positions) places.insert(coordinates(v));
  std::vector<std::size_t> result;
  for (const std::size_t p : candidates) {
    const std::vector<Vec3f>& positions = character.parts[p].mesh.positions;
    if (std::any_of(positions.begin(), positions.end(), [&](Vec3f v) { return places.contains(coordinates(v)); }))
      result.push_back(p);
  }
  return result;
}

bool is_rigid(const Part& part) {
  std::size_t blended = 0;
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    const auto influences = part.weights.of(v);
    blended += influences.size() > 1 && influences[1].weight > 1e-3f ? 1 : 0;
  }
  return static_cast<double>(blended) < rigid_share * static_cast<double>(part.weights.vertices());
}

}  // namespace supple
