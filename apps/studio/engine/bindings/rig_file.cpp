#include "bindings/rig_file.h"

#include <algorithm>

#include "supple/files/gltf/deformers.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/save.h"

namespace supple::browser {
namespace {

/// Vertices of a primitive that stay, sorted: all parts that show it keep the same ones.
std::vector<std::uint32_t> kept_vertices(const gltf::Imported& imported, std::size_t part) {
  const gltf::PartSource& own = imported.sources[part];
  const Mesh& mesh = imported.character.parts[part].mesh;
  std::vector<std::uint32_t> kept;
  if (!mesh.triangles.empty()) kept.assign(mesh.triangles[0].begin(), mesh.triangles[0].end());
  for (const Wrinkle& wrinkle : imported.character.wrinkles) {
    const gltf::PartSource& folded = imported.sources[wrinkle.part];
    if (folded.mesh == own.mesh && folded.primitive == own.primitive)
      kept.insert(kept.end(), wrinkle.strip.begin(), wrinkle.strip.end());
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

std::uint32_t place_among(const std::vector<std::uint32_t>& kept, std::uint32_t vertex) {
  return static_cast<std::uint32_t>(std::lower_bound(kept.begin(), kept.end(), vertex) - kept.begin());
}

template <class T>
std::vector<T> picked(const std::vector<T>& all, const std::vector<std::uint32_t>& places) {
  std::vector<T> result;
  if (!all.empty())
    for (const std::uint32_t place : places) result.push_back(all[place]);
  return result;
}

/// Offsets of the vertices that stay, sparse where the target was.
MorphTarget cut(const MorphTarget& morph, const std::vector<std::uint32_t>& kept) {
  MorphTarget result;
  result.name = morph.name;
  std::vector<std::uint32_t> places = kept;  // in the target's own lists
  if (!morph.vertices.empty()) {
    places.clear();
    for (std::uint32_t i = 0; i < morph.vertices.size(); ++i) {
      if (!std::binary_search(kept.begin(), kept.end(), morph.vertices[i])) continue;
      places.push_back(i);
      result.vertices.push_back(place_among(kept, morph.vertices[i]));
    }
    if (places.empty()) return result;
  }
  result.positions = picked(morph.positions, places);
  result.normals = picked(morph.normals, places);
  return result;
}

Part cut(const Part& part, const std::vector<std::uint32_t>& kept) {
  Part result = part;
  result.mesh.positions = picked(part.mesh.positions, kept);
  result.mesh.normals = picked(part.mesh.normals, kept);
  result.mesh.triangles.clear();
  result.tangents.clear();
  result.texcoords.clear();
  if (!part.mesh.triangles.empty()) {
    Triangle first = part.mesh.triangles[0];
    for (std::uint32_t& corner : first) corner = place_among(kept, corner);
    result.mesh.triangles.push_back(first);
  }
  result.weights = {};
  if (part.skin)
    for (const std::uint32_t vertex : kept) result.weights.push_vertex(part.weights.of(vertex));
  for (MorphTarget& morph : result.morphs) morph = cut(morph, kept);
  return result;
}

}  // namespace

Result<Bytes> rig_file(const gltf::Document& document, const gltf::Imported& imported) {
  gltf::Document rig = document;
  gltf::Imported cut_down = imported;
  const Character& whole = imported.character;
  for (std::size_t p = 0; p < whole.parts.size(); ++p) {
    const Part& part = whole.parts[p];
    const std::vector<std::uint32_t> kept = kept_vertices(imported, p);
    cut_down.character.parts[p] = cut(part, kept);
    for (Wrinkle& wrinkle : cut_down.character.wrinkles)
      if (wrinkle.part == p)
        for (std::uint32_t& vertex : wrinkle.strip) vertex = place_among(kept, vertex);
    const std::span<const float> rest(whole.morph_weights);
    gltf::put_part(rig, imported.sources[p], cut_down.character.parts[p],
                   rest.subspan(part.first_morph_weight, part.morphs.size()));
    rig.root["meshes"][imported.sources[p].mesh]["primitives"][imported.sources[p].primitive].erase("material");
  }
  for (const char* looks : {"materials", "textures", "images", "samplers"}) rig.root.erase(looks);
  if (!whole.wrinkles.empty()) {
    if (auto put = gltf::put_deformer(rig, wrinkle_kind, cut_down); !put) return put.error();
  }
  return gltf::to_glb(rig);
}

}  // namespace supple::browser
