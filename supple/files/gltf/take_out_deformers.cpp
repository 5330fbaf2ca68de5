#include "supple/files/gltf/take_out_deformers.h"

#include <algorithm>

#include "supple/files/gltf/deformers.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/gltf/flesh.h"
#include "supple/rig/append_morphs.h"

namespace supple::gltf {
namespace {

std::vector<std::size_t> morph_counts(const Character& character) {
  std::vector<std::size_t> counts;
  for (const Part& part : character.parts) counts.push_back(part.morphs.size());
  return counts;
}

/// A clip that moved nothing but what is gone is gone too: glTF has no animations without channels. `moved`: whether
/// each clip had tracks before. Clips and animations have the same numbers.
void drop_emptied_clips(Document& document, Character& character, const std::vector<bool>& moved) {
  if (!document.root.contains("animations")) return;
  Json& animations = document.root["animations"];
  for (std::size_t i = moved.size(); i-- > 0;) {
    if (!moved[i] || !character.clips[i].tracks.empty()) continue;
    character.clips.erase(character.clips.begin() + static_cast<std::ptrdiff_t>(i));
    animations.erase(i);
  }
  if (animations.empty()) document.root.erase("animations");
}

}  // namespace

Result<void> take_out_deformers(Document& document, Imported& imported, std::span<const DeformerKind* const> kinds,
                                Warnings* warnings) {
  // Its twins are joints of the skins: more of the file is its own than a member of the extension.
  const bool with_twins = std::find(kinds.begin(), kinds.end(), &flesh_kind) != kinds.end();
  if (with_twins && flesh_kind.count(imported.character) > 0) {
    if (auto out = take_out_flesh(document, imported, warnings); !out) return out;
    auto again = to_character(document);
    if (!again) return again.error();
    imported = std::move(*again);
  }
  Character& character = imported.character;
  const std::vector<std::size_t> had = morph_counts(character);
  std::vector<bool> moved;
  for (const Clip& clip : character.clips) moved.push_back(!clip.tracks.empty());
  remove_with_morphs(character, kinds);
  drop_emptied_clips(document, character, moved);
  std::vector<std::size_t> changed;
  for (std::size_t p = 0; p < had.size(); ++p)
    if (character.parts[p].morphs.size() != had[p]) changed.push_back(p);
  if (!changed.empty())
    if (auto put = put_morphs(document, imported, changed); !put) return put;
  for (const DeformerKind* kind : kinds)
    if (auto put = put_deformer(document, *kind, imported); !put) return put;
  return {};
}

}  // namespace supple::gltf
