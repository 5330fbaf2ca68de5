// One skinned part cut into several, each with vertices of its own: what an exporter makes of one body in three
// materials.
#pragma once

#include <map>

#include "supple/rig/character.h"

namespace supple::test {

/// Triangles go to part min(t * count / #T, count - 1), in their order; borders have a vertex in each part. Drivers and
/// other deformers of the part are not cut. With nodes of their own they are meshes of their own in a glTF file,
/// without surfaces of one mesh.
inline Character split_parts(Character c, std::size_t part, std::size_t count, bool own_nodes) {
  const Part whole = c.parts[part];
  std::vector<Part> pieces;
  const std::size_t triangles = whole.mesh.triangles.size();
  for (std::size_t i = 0; i < count; ++i) {
    Part piece;
    piece.name = whole.name + "-" + std::to_string(i);
    piece.skin = whole.skin;
    piece.node = own_nodes ? c.skeleton.append(piece.name + "-node", no_joint) : whole.node;
    piece.material = whole.material;
    std::map<std::uint32_t, std::uint32_t> places;
    for (std::size_t t = i * triangles / count; t < (i + 1) * triangles / count; ++t) {
      Triangle cut{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t v = whole.mesh.triangles[t][k];
        const auto [place, is_new] = places.try_emplace(v, static_cast<std::uint32_t>(places.size()));
        cut[k] = place->second;
        if (!is_new) continue;
        piece.mesh.positions.push_back(whole.mesh.positions[v]);
        if (!whole.mesh.normals.empty()) piece.mesh.normals.push_back(whole.mesh.normals[v]);
        piece.weights.push_vertex(whole.weights.of(v));
      }
      piece.mesh.triangles.push_back(cut);
    }
    pieces.push_back(std::move(piece));
  }
  c.parts.erase(c.parts.begin() + static_cast<std::ptrdiff_t>(part));
  c.parts.insert(c.parts.begin() + static_cast<std::ptrdiff_t>(part), pieces.begin(), pieces.end());
  return c;
}

}  // namespace supple::test
