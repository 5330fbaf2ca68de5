// glTF files, JSON or binary, as they are.
#include "fuzz/targets/gltf_character.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/save.h"
#include "supple/files/gltf/uri.h"
#include "supple/files/gltf/write.h"
#include "support/driven_character.h"
#include "support/example_sets.h"

namespace supple::fuzz {

bool read_gltf_character(Input contents) {
  auto document = gltf::parse_document(contents, "a.glb", "/nowhere");
  if (!document) return false;
  Warnings warnings;
  const auto imported = gltf::to_character(*document, &warnings);
  if (!imported) return false;
  gltf::put_mended_weights(*document, *imported);
  const auto same = gltf::to_glb(gltf::compacted(*document));
  if (same) require(gltf::parse_document(*same, "same.glb").ok(), "a file that was read and edited can be read again");
  const auto fresh = gltf::to_document(imported->character);
  if (!fresh) return true;
  const auto bytes = gltf::to_glb(*fresh);
  if (!bytes) return true;
  const auto again = gltf::parse_document(*bytes, "again.glb");
  require(again && gltf::to_character(*again).ok(), "a character that was read can be written and read again");
  return true;
}

Character character_of_everything() {
  Character c = test::driven_strip();
  c.materials.push_back({});
  c.delta_mush.push_back({});
  return c;
}

Character small_character() {
  Character c = test::bar();
  c.parts[0].morphs.push_back({"wide", {1, 3}, {{0.1f, 0, 0}, {0, 0, 0.1f}}, {}, {}});
  c.morph_weights = {0.25f};
  Clip clip;
  clip.name = "bend";
  clip.tracks.push_back({Channel::rotation, Interpolation::linear, 1, 4, {0, 1}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}});
  clip.tracks.push_back({Channel::morph_weights, Interpolation::step, 0, 1, {0, 1}, {0, 1}});
  c.clips.push_back(std::move(clip));
  return c;
}

namespace {

Seeds gltf_seeds() {
  Seeds seeds;
  const auto document = gltf::to_document(small_character());
  require(document.ok(), "the character is written");
  const auto glb = gltf::to_glb(*document);
  seeds["binary"] = as_text(*glb);
  const gltf::Document one = gltf::compacted(*document);
  Json root = one.root;
  root["buffers"][0]["uri"] = "data:application/octet-stream;base64," + gltf::to_base64(one.buffers[0]);
  seeds["text"] = root.dump();
  return seeds;
}

}  // namespace

extern const Target gltf_target{"gltf", read_gltf_character, gltf_seeds, gltf_words};

}  // namespace supple::fuzz
