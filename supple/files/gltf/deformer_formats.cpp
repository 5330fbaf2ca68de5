#include "supple/files/gltf/deformer_formats.h"

#include <array>

#include "supple/files/gltf/delta_mush.h"
#include "supple/files/gltf/drivers.h"
#include "supple/files/gltf/flesh.h"
#include "supple/files/gltf/kinodynamics.h"
#include "supple/files/gltf/pose_space.h"
#include "supple/files/gltf/reader.h"
#include "supple/files/gltf/wrinkles.h"

namespace supple::gltf {
namespace {

using Sources = std::span<const PartSource>;

void check_extension_version(const Item& extension) {
  const std::uint64_t version = extension.unsigned_integer("version");
  if (version == 0) fail(extension.path("version"), "must be at least 1");
  if (version > deformers_version) {
    fail(extension.path("version"),
         "is " + std::to_string(version) + "; only version " + std::to_string(deformers_version) + " is understood");
  }
}

}  // namespace

std::uint32_t part_of(const Reader& reader, const Item& item) {
  const std::size_t node = item.required_index("node", count(reader.document.root, "nodes"));
  const std::uint64_t primitive = item.unsigned_integer("primitive", 0);
  const std::vector<PartSource>& sources = reader.result.sources;
  for (std::uint32_t p = 0; p < sources.size(); ++p)
    if (sources[p].node == node && sources[p].primitive == primitive) return p;
  fail(item.path("primitive"),
       "nodes[" + std::to_string(node) + "] has no triangles in primitive " + std::to_string(primitive));
}

std::span<const DeformerFormat> deformer_formats() {
  static constexpr std::array<DeformerFormat, 6> all{{
      {&driver_kind, [](const Reader& r, const Item& e, Character& c) { c.drivers = read_drivers(r, e); },
       [](Document& d, const Character& c, Sources, const Places& p) { return put_drivers(d, c.drivers, p); }},
      {&pose_space_kind, [](const Reader& r, const Item& e, Character& c) { c.pose_space = read_pose_space(r, e); },
       [](Document& d, const Character& c, Sources s, const Places& p) {
         return put_pose_space(d, c.pose_space, s, p);
       }},
      {&wrinkle_kind, [](const Reader& r, const Item& e, Character& c) { c.wrinkles = read_wrinkles(r, e); },
       [](Document& d, const Character& c, Sources s, const Places& p) { return put_wrinkles(d, c.wrinkles, s, p); }},
      {&delta_mush_kind, [](const Reader& r, const Item& e, Character& c) { c.delta_mush = read_delta_mush(r, e); },
       [](Document& d, const Character& c, Sources s, const Places&) { return put_delta_mush(d, c.delta_mush, s); }},
      {&flesh_kind, [](const Reader& r, const Item& e, Character& c) { c.flesh = read_flesh(r, e); },
       [](Document& d, const Character& c, Sources, const Places& p) -> Result<void> {
         put_flesh(d, c.flesh, p);
         return {};
       }},
      {&kinodynamic_kind,
       [](const Reader& r, const Item& e, Character& c) { c.kinodynamics = read_kinodynamics(r, e); },
       [](Document& d, const Character& c, Sources s, const Places& p) {
         return put_kinodynamics(d, c.kinodynamics, s, p);
       }},
  }};
  return all;
}

Result<void> put_deformers(Document& document, const Character& character, std::span<const PartSource> sources,
                           const Places& places, bool of_morphs) {
  for (const DeformerFormat& format : deformer_formats()) {
    if (of_morphs && format.kind->moved == nullptr && format.kind->count(character) > 0) continue;
    if (auto ok = format.put(document, character, sources, places); !ok) return ok;
  }
  return {};
}

void read_deformers(Reader& reader) {
  Character& character = reader.result.character;
  try {
    const auto extensions = reader.root().object("extensions");
    const auto extension = extensions ? extensions->object(deformers_extension) : std::nullopt;
    if (!extension) return;
    check_extension_version(*extension);
    for (const DeformerFormat& format : deformer_formats()) format.read(reader, *extension, character);
  } catch (const Malformed& malformed) {  // the rest of the file is a complete character without them
    if (reader.strict) throw;
    clear_deformers(character);
    const auto& [item, problem, remedy] = malformed.error;
    reader.warn(item + ": " + problem + "; the file was read without its deformers");
  }
}

}  // namespace supple::gltf
