#include "supple/files/gltf/decode/draco.h"

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/decode/decompress.h"

#ifdef SUPPLE_HAS_DRACO
#include <draco/compression/decode.h>
#include <draco/compression/point_cloud/point_cloud_decoder.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>
#endif

namespace supple::gltf {

#ifdef SUPPLE_HAS_DRACO
namespace {

Error damaged(const std::string& why) {
  return {"", "its compressed data are damaged" + (why.empty() ? "" : ": " + why),
          "the file is damaged or incomplete; copy or export it again"};
}

draco::DecoderBuffer buffer_of(std::span<const std::byte> stream) {
  draco::DecoderBuffer buffer;
  buffer.Init(reinterpret_cast<const char*>(stream.data()), stream.size());
  return buffer;
}

template <class Component>
bool convert_all(const draco::Mesh& mesh, const draco::PointAttribute& from, const DracoAttribute& wanted,
                 Bytes& bytes) {
  for (std::uint32_t v = 0; v < mesh.num_points(); ++v) {
    Component values[16];
    const auto place = from.mapped_index(draco::PointIndex(v));
    if (place.value() >= from.size()) return false;
    if (!from.ConvertValue(place, static_cast<std::int8_t>(wanted.components), values)) return false;
    std::memcpy(bytes.data() + v * wanted.stride, values, wanted.components * sizeof(Component));
  }
  return true;
}

/// Types of glTF. Draco knows more, truth values for one, which it does not check.
bool is_gltf_type(draco::DataType type) {
  return (type >= draco::DT_INT8 && type <= draco::DT_UINT32) || type == draco::DT_FLOAT32;
}

bool convert(const draco::Mesh& mesh, const draco::PointAttribute& from, const DracoAttribute& wanted, Bytes& bytes) {
  switch (wanted.component_type) {
    case int8:
      return convert_all<std::int8_t>(mesh, from, wanted, bytes);
    case uint8:
      return convert_all<std::uint8_t>(mesh, from, wanted, bytes);
    case int16:
      return convert_all<std::int16_t>(mesh, from, wanted, bytes);
    case uint16:
      return convert_all<std::uint16_t>(mesh, from, wanted, bytes);
    case uint32:
      return convert_all<std::uint32_t>(mesh, from, wanted, bytes);
    default:
      return convert_all<float>(mesh, from, wanted, bytes);
  }
}

}  // namespace

bool reads_draco() { return true; }

Result<std::uint64_t> draco_triangles(std::span<const std::byte> stream) {
  draco::DecoderBuffer buffer = buffer_of(stream);
  draco::DracoHeader header{};
  if (!draco::PointCloudDecoder::DecodeHeader(&buffer, &header).ok()) return damaged("it does not begin as Draco does");
  const std::uint16_t version = DRACO_BITSTREAM_VERSION(header.version_major, header.version_minor);
  if (version != draco::kDracoMeshBitstreamVersion || header.encoder_type != draco::TRIANGULAR_MESH) {
    return damaged("glTF holds meshes of Draco's bitstream 2.2, and this is another");
  }
  buffer.set_bitstream_version(version);
  if ((header.flags & METADATA_FLAG_MASK) != 0) {
    draco::GeometryMetadata skipped;
    if (!draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &skipped)) return damaged("its metadata are cut off");
  }
  std::uint32_t triangles = 0, vertices = 0;
  std::uint8_t traversal = 0;
  const bool by_edges = header.encoder_method == draco::MESH_EDGEBREAKER_ENCODING;
  const bool read = by_edges ? buffer.Decode(&traversal) && draco::DecodeVarint(&vertices, &buffer) &&
                                   draco::DecodeVarint(&triangles, &buffer)
                             : draco::DecodeVarint(&triangles, &buffer) && draco::DecodeVarint(&vertices, &buffer);
  if (!read) return damaged("it ends too early");
  return triangles;
}

Result<DracoGeometry> decode_draco(std::span<const std::byte> stream, std::span<const DracoAttribute> wanted) {
  draco::DecoderBuffer buffer = buffer_of(stream);
  auto decoded = draco::Decoder().DecodeMeshFromBuffer(&buffer);
  if (!decoded.ok()) return damaged(decoded.status().error_msg_string());
  const draco::Mesh& mesh = *decoded.value();
  DracoGeometry geometry;
  geometry.vertices = mesh.num_points();
  geometry.corners.reserve(3 * std::size_t{mesh.num_faces()});
  for (draco::FaceIndex f(0); f < mesh.num_faces(); ++f) {
    for (const draco::PointIndex& corner : mesh.face(f)) {
      if (corner.value() >= geometry.vertices) return damaged("a triangle names a vertex that is not there");
      geometry.corners.push_back(corner.value());
    }
  }
  for (const DracoAttribute& attribute : wanted) {
    const draco::PointAttribute* from = mesh.GetAttributeByUniqueId(attribute.id);
    if (from == nullptr) return damaged("it has no attribute " + std::to_string(attribute.id));
    Bytes bytes(geometry.vertices * attribute.stride);
    if (!is_gltf_type(from->data_type()) || !convert(mesh, *from, attribute, bytes)) {
      return damaged("attribute " + std::to_string(attribute.id) + " does not fit its accessor");
    }
    geometry.attributes.push_back(std::move(bytes));
  }
  return geometry;
}

#else

namespace {

Error not_built_in() {
  return {
      "", "the geometry is compressed with KHR_draco_mesh_compression, which this build does not read",
      "build with -DSUPPLE_DRACO=ON, or decompress it first, for example with `gltf-transform copy in.glb out.glb`"};
}

}  // namespace

bool reads_draco() { return false; }
Result<std::uint64_t> draco_triangles(std::span<const std::byte>) { return not_built_in(); }
Result<DracoGeometry> decode_draco(std::span<const std::byte>, std::span<const DracoAttribute>) {
  return not_built_in();
}

#endif

}  // namespace supple::gltf
