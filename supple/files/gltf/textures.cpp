#include "supple/files/gltf/textures.h"

#include <cmath>

#include "supple/files/gltf/reader.h"
#include "supple/files/gltf/uri.h"

namespace supple::gltf {
namespace {

TextureWrap to_wrap(std::uint64_t mode) {
  return mode == 33071 ? TextureWrap::clamp : mode == 33648 ? TextureWrap::mirror : TextureWrap::repeat;
}

/// The reference to the base colour of a material; of files older than the metallic one, to the diffuse colour.
std::optional<Item> texture_info(const Item& material) {
  if (const auto pbr = material.object("pbrMetallicRoughness"))
    if (auto info = pbr->object("baseColorTexture")) return info;
  const auto extensions = material.object("extensions");
  const auto glossiness = extensions ? extensions->object("KHR_materials_pbrSpecularGlossiness") : std::nullopt;
  return glossiness ? glossiness->object("diffuseTexture") : std::nullopt;
}

/// The image of a texture that everybody can read; or of an extension, whose kind the reader of the picture then tells.
std::optional<std::size_t> image_of(const Item& texture, std::size_t images) {
  if (const auto source = texture.index("source", images)) return source;
  if (const auto extensions = texture.object("extensions")) {
    for (const char* name : {"KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"})
      if (const auto extension = extensions->object(name)) return extension->index("source", images);
  }
  return std::nullopt;
}

std::optional<BaseColourTexture> read_texture(const Json& root, const Item& material) {
  const auto info = texture_info(material);
  if (!info) return std::nullopt;
  const Item texture = element(root, "textures", info->required_index("index", count(root, "textures")));
  const auto image = image_of(texture, count(root, "images"));
  if (!image) fail(texture.path(), "has no image");
  BaseColourTexture result;
  result.image = *image;
  result.item = "images[" + std::to_string(*image) + "]";
  result.texcoord = static_cast<std::uint32_t>(info->unsigned_integer("texCoord", 0));
  if (const auto number = texture.index("sampler", count(root, "samplers"))) {
    const Item sampler = element(root, "samplers", *number);
    result.wrap_u = to_wrap(sampler.unsigned_integer("wrapS", 10497));
    result.wrap_v = to_wrap(sampler.unsigned_integer("wrapT", 10497));
    result.smooth = sampler.unsigned_integer("magFilter", 9729) != 9728;
  }
  const auto extensions = info->object("extensions");
  if (const auto moved = extensions ? extensions->object("KHR_texture_transform") : std::nullopt) {
    if (const auto offset = moved->floats("offset", 2)) result.offset = {(*offset)[0], (*offset)[1]};
    if (const auto scale = moved->floats("scale", 2)) result.scale = {(*scale)[0], (*scale)[1]};
    result.rotation = moved->single("rotation", 0);
    result.texcoord = static_cast<std::uint32_t>(moved->unsigned_integer("texCoord", result.texcoord));
  }
  return result;
}

}  // namespace

std::array<float, 2> BaseColourTexture::place(std::array<float, 2> uv) const {
  const float c = std::cos(rotation), s = std::sin(rotation), u = uv[0] * scale[0], v = uv[1] * scale[1];
  return {offset[0] + c * u + s * v, offset[1] - s * u + c * v};
}

std::vector<MaterialColour> material_colours(const Document& document, Warnings* warnings) {
  std::vector<MaterialColour> result(count(document.root, "materials"));
  for (std::size_t m = 0; m < result.size(); ++m) {
    const auto read = guarded(document.name, [&]() -> Result<void> {
      const Item material = element(document.root, "materials", m);
      const std::string mode = material.text("alphaMode", "OPAQUE");
      result[m].alpha = mode == "MASK" ? AlphaMode::mask : mode == "BLEND" ? AlphaMode::blend : AlphaMode::opaque;
      result[m].alpha_cutoff = material.single("alphaCutoff", 0.5f);
      result[m].texture = read_texture(document.root, material);
      return {};
    });
    if (!read && warnings != nullptr) warnings->push_back(read.error().message() + "; drawn without its texture");
  }
  return result;
}

Result<Bytes> image_bytes(const Document& document, std::size_t image) {
  return guarded(document.name, [&]() -> Result<Bytes> {
    const Item item = element(document.root, "images", image);
    const auto named = [&](const Error& e) { return Error{item.path() + " " + e.item, e.problem, e.remedy}; };
    if (const auto view = item.index("bufferView", count(document.root, "bufferViews"))) {
      const Item place = element(document.root, "bufferViews", *view);
      const Bytes& buffer = document.buffers[place.required_index("buffer", document.buffers.size())];
      const std::size_t begin = place.unsigned_integer("byteOffset", 0), size = place.unsigned_integer("byteLength");
      if (begin > buffer.size() || size > buffer.size() - begin) fail(place.path(), "reaches beyond its buffer");
      const auto first = buffer.begin() + static_cast<std::ptrdiff_t>(begin);
      return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
    }
    const std::string uri = item.text("uri", "");
    if (uri.empty()) fail(item.path(), "has neither a uri nor a buffer view");
    auto bytes = [&]() -> Result<Bytes> {
      if (is_data_uri(uri)) return decode_data_uri(uri);
      const auto path = resolve_uri(uri, document.folder);
      return path ? read_file(*path) : Result<Bytes>(path.error());
    }();
    if (!bytes) return named(bytes.error());
    return bytes;
  });
}

std::vector<std::array<float, 2>> texcoords_of(const Document& document, const PartSource& source, std::uint32_t set) {
  std::vector<std::array<float, 2>> result;
  const auto read = guarded(document.name, [&]() -> Result<void> {
    const Item primitive = element(document.root, "meshes", source.mesh, "primitives", source.primitive);
    const Item attributes = primitive.required_object("attributes");
    const std::string semantic = "TEXCOORD_" + std::to_string(set);
    if (!attributes.has(semantic)) return {};
    const Reader reader{document, nullptr, false, {}};
    const std::vector<float> values =
        read_attribute(reader, Item(attributes.json()[semantic], attributes.path(semantic)), 2, {});
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      const bool finite = std::isfinite(values[i]) && std::isfinite(values[i + 1]);
      result.push_back(finite ? std::array{values[i], values[i + 1]} : std::array<float, 2>{});
    }
    return {};
  });
  if (!read) result.clear();
  return result;
}

}  // namespace supple::gltf
