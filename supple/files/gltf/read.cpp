#include "supple/files/gltf/read.h"

#include <cmath>

#include "supple/files/gltf/reader.h"

namespace supple::gltf {
namespace {

std::string character_name(const Document& document) {
  const Item root(document.root, "");
  if (count(document.root, "scenes") > 0) {
    const std::size_t scene = root.index("scene", count(document.root, "scenes")).value_or(0);
    const std::string name = element(document.root, "scenes", scene).text("name", "");
    if (!name.empty()) return name;
  }
  return std::filesystem::path(document.name).stem().string();
}

void take(const Reader& reader, std::size_t accessor) {
  const Layout layout = accessor_layout(reader.document, accessor);
  reader.allowance.take(layout.count * layout.components() * sizeof(float),
                        "accessors[" + std::to_string(accessor) + "]");
}

/// asset.extras.supple.unit, which put_unit() writes.
std::optional<double> unit_of(const Document& document) {
  const auto asset = Item(document.root, "").object("asset");
  if (!asset || !asset->has("extras") || !asset->json()["extras"].is_object()) return {};
  const auto supple = asset->object("extras")->object("supple");
  if (!supple || !supple->has("unit")) return {};
  const double unit = supple->number("unit", 1);
  if (!(unit > 0) || !std::isfinite(unit))
    fail(supple->path("unit"), "must be above zero", "metres, 0.01 for centimetres");
  return unit;
}

}  // namespace

Allowance::Allowance(const Document& document) {
  constexpr std::size_t for_any_file = std::size_t{128} << 20, for_a_byte = 64;
  std::size_t bytes = 0;
  for (const Bytes& buffer : document.buffers) bytes += buffer.size();
  all_ = left_ = for_any_file + for_a_byte * bytes;
}

void Allowance::take(std::size_t bytes, const std::string& item) {
  if (bytes > left_) {
    fail(item, "makes the file take more than " + std::to_string(all_ >> 20) + " MB, far more than it holds",
         "too many nodes, meshes or morph targets share its data: leave some of them out");
  }
  left_ -= bytes;
}

std::vector<float> read_floats(const Reader& reader, std::size_t accessor) {
  take(reader, accessor);
  return read_floats(reader.document, accessor);
}

std::vector<std::uint32_t> read_indices(const Reader& reader, std::size_t accessor) {
  take(reader, accessor);
  return read_indices(reader.document, accessor);
}

std::vector<float> read_attribute(const Reader& reader, const Item& reference, std::size_t components,
                                  std::optional<std::size_t> count) {
  const Document& document = reader.document;
  const std::size_t index = reference.as_index(gltf::count(document.root, "accessors"));
  const Layout layout = accessor_layout(document, index);
  const std::string item = "accessors[" + std::to_string(index) + "]";
  if (layout.components() != components) {
    fail(item, "has " + std::to_string(layout.components()) + " components; " + reference.path() + " needs " +
                   std::to_string(components));
  }
  if (count && layout.count != *count) {
    fail(item,
         "has " + std::to_string(layout.count) + " elements; " + reference.path() + " needs " + std::to_string(*count));
  }
  return read_floats(reader, index);
}

Result<Imported> to_character(const Document& document, Warnings* warnings, const ReadOptions& options) {
  return guarded(document.name, [&]() -> Result<Imported> {
    Reader reader{document, warnings, options.strict, {}};
    reader.result.character.name = character_name(document);
    reader.result.character.unit = unit_of(document);
    read_nodes(reader);
    read_skins(reader);
    read_materials(reader);
    read_parts(reader);
    read_animations(reader);
    read_deformers(reader);
    if (auto valid = validate(reader.result.character); !valid) throw Malformed{valid.error()};
    return std::move(reader.result);
  });
}

}  // namespace supple::gltf
