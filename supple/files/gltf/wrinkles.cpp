#include "supple/files/gltf/wrinkles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/files/gltf/deformers_member.h"
#include "supple/files/gltf/reader.h"
#include "supple/rig/deformers.h"

namespace supple::gltf {
namespace {

constexpr const char* wrinkles_member = "wrinkles";

// ---- writing ----

Json wrinkle_json(const Wrinkle& wrinkle, const PartSource& source, const MorphBlock& block) {
  Json json = Json::object();
  if (!wrinkle.name.empty()) json["name"] = wrinkle.name;
  json["node"] = source.node;
  json["primitive"] = source.primitive;
  json["target"] = wrinkle.weight - block.first;
  json["strip"] = wrinkle.strip;
  json["restLength"] = short_decimal(wrinkle.rest_length);
  return json;
}

/// The morph weights of a node; null: it has none.
const MorphBlock* find_block(std::span<const MorphBlock> blocks, std::uint32_t node) {
  const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const MorphBlock& b) { return b.node == node; });
  return found == blocks.end() ? nullptr : &*found;
}

// ---- reading ----

std::uint32_t folded_part_of(const Reader& reader, const Item& item) {
  const auto node = static_cast<std::uint32_t>(item.required_index("node", count(reader.document.root, "nodes")));
  const std::uint64_t primitive = item.unsigned_integer("primitive");
  const std::vector<PartSource>& sources = reader.result.sources;
  bool carries_mesh = false;
  for (std::uint32_t p = 0; p < sources.size(); ++p) {
    if (sources[p].node != node) continue;
    if (sources[p].primitive == primitive) return p;
    carries_mesh = true;
  }
  if (!carries_mesh) fail(item.path("node"), "nodes[" + std::to_string(node) + "] has no triangles to fold");
  fail(item.path("primitive"),
       "nodes[" + std::to_string(node) + "] has no triangles in primitive " + std::to_string(primitive));
}

float rest_length(const Item& item) {
  if (!item.has("restLength")) fail(item.path("restLength"), "is missing");
  const double length = item.number("restLength", 0);
  if (!(length > 0 && length <= double{std::numeric_limits<float>::max()} && static_cast<float>(length) > 0))
    fail(item.path("restLength"), "must be a finite number above zero");
  return static_cast<float>(length);
}

Wrinkle read_wrinkle(const Reader& reader, const Item& item) {
  const Character& character = reader.result.character;
  Wrinkle wrinkle;
  wrinkle.name = item.text("name", "");
  wrinkle.part = folded_part_of(reader, item);
  const Part& part = character.parts[wrinkle.part];
  if (!item.has("strip")) fail(item.path("strip"), "is missing");
  for (const std::size_t v : item.indices("strip", part.mesh.positions.size()))
    wrinkle.strip.push_back(static_cast<std::uint32_t>(v));
  if (wrinkle.strip.size() < 2) fail(item.path("strip"), "must name two vertices or more");
  wrinkle.rest_length = rest_length(item);
  if (part.morphs.empty())
    fail(item.path("node"), "nodes[" + std::to_string(reader.result.sources[wrinkle.part].node) +
                                "] has no morph targets to fold it with");
  wrinkle.weight =
      part.first_morph_weight + static_cast<std::uint32_t>(item.required_index("target", part.morphs.size()));
  if (auto ok = validate(wrinkle, character); !ok) fail(item.path(), ok.error().problem);
  return wrinkle;
}

}  // namespace

std::vector<Wrinkle> read_wrinkles(const Reader& reader, const Item& extension) {
  const Character& character = reader.result.character;
  std::vector<Wrinkle> wrinkles;
  std::vector<bool> driven = moved_weights(character);
  for (const Item& item : extension.list(wrinkles_member)) {
    wrinkles.push_back(read_wrinkle(reader, item));
    const std::uint32_t weight = wrinkles.back().weight;
    if (driven[weight]) fail(item.path("target"), "is moved by another deformer or wrinkle already");
    driven[weight] = true;
  }
  return wrinkles;
}

Result<void> put_wrinkles(Document& document, std::span<const Wrinkle> wrinkles, std::span<const PartSource> sources,
                          const Places& places) {
  Json list = Json::array();
  for (std::size_t k = 0; k < wrinkles.size(); ++k) {
    const Wrinkle& wrinkle = wrinkles[k];
    const MorphBlock* block =
        wrinkle.part < sources.size() ? find_block(places.morphs, sources[wrinkle.part].node) : nullptr;
    if (block == nullptr || wrinkle.weight < block->first || wrinkle.weight >= block->first + block->count) {
      return Error{"wrinkle " + std::to_string(k) + " '" + wrinkle.name + "'",
                   "has a morph target that its mesh in the file lacks", ""};
    }
    list.push_back(wrinkle_json(wrinkle, sources[wrinkle.part], *block));
  }
  if (list.empty()) {
    drop_deformers_member(document.root, wrinkles_member);
  } else {
    put_deformers_member(document.root, wrinkles_member, std::move(list));
  }
  return {};
}

}  // namespace supple::gltf
