#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/gltf/deformers.h"

#include <algorithm>
#include <map>

namespace supple::gltf {
namespace {

/// The document's morph blocks, now that there are other targets.
std::vector<MorphBlock> morph_blocks(const Imported& imported) {
  std::vector<MorphBlock> blocks;
  for (std::size_t p = 0; p < imported.character.parts.size(); ++p) {
    const Part& part = imported.character.parts[p];
    const MorphBlock block{imported.sources[p].node, part.first_morph_weight,
                           static_cast<std::uint32_t>(part.morphs.size())};
    const bool known = std::any_of(blocks.begin(), blocks.end(), [&](const auto& b) { return b.node == block.node; });
    if (!part.morphs.empty() && !known) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

void give_meshes_of_their_own(Document& document, Imported& imported) {
  std::map<std::uint32_t, std::uint32_t> first_node;  // by mesh
  std::map<std::uint32_t, std::uint32_t> own_mesh;    // by node
  for (std::size_t p = 0; p < imported.sources.size(); ++p) {
    PartSource& source = imported.sources[p];
    if (!imported.character.parts[p].skin) continue;
    if (first_node.try_emplace(source.mesh, source.node).first->second == source.node) continue;
    const auto [own, is_new] = own_mesh.try_emplace(source.node);
    if (is_new) {
      Json& meshes = document.root["meshes"];
      own->second = static_cast<std::uint32_t>(meshes.size());
      Json copy = meshes[source.mesh];
      meshes.push_back(std::move(copy));
      document.root["nodes"][source.node]["mesh"] = own->second;
    }
    source.mesh = own->second;
  }
}

Result<std::vector<std::size_t>> surfaces_of_mesh(const Imported& imported, std::size_t part) {
  const std::vector<PartSource>& sources = imported.sources;
  std::vector<std::size_t> parts{part};
  for (std::size_t p = 0; p < sources.size(); ++p) {
    if (p == part || sources[p].mesh != sources[part].mesh) continue;
    if (sources[p].node != sources[part].node)
      return Error{"part '" + imported.character.parts[part].name + "'", "is drawn by two nodes of the file",
                   "give each node a mesh of its own"};
    parts.push_back(p);
  }
  return parts;
}

Result<void> put_morphs(Document& document, Imported& imported, std::span<const std::size_t> parts) {
  const Character& c = imported.character;
  imported.morphs = morph_blocks(imported);
  // Animations are put back whole: names may be missing or occur twice, so clips are told apart by their number.
  const Json animations = document.root.value("animations", Json::array());
  for (const std::size_t p : parts) {
    const Part& part = c.parts[p];
    put_part(document, imported.sources[p], part,
             std::span(c.morph_weights).subspan(part.first_morph_weight, part.morphs.size()));
  }
  if (!animations.empty()) document.root["animations"] = animations;
  const Places places = places_of(imported);
  std::size_t number = 0;
  for (const Clip& clip : c.clips) {
    if (auto ok = put_clip(document, clip, places, number); !ok) return ok;
    if (number < animations.size() || !clip.tracks.empty()) ++number;
  }
  return put_deformers(document, c, imported.sources, places, true);
}

}  // namespace supple::gltf
