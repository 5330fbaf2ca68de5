// A document whose primitives Draco compressed, made with the library's own encoder.
#pragma once

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>

#include "supple/files/gltf/accessor.h"
#include "supple/files/json.h"

namespace supple::test {

struct DracoSettings {
  bool sequential = false;
  int position_bits = 14;
};

/// Adds the accessor to the mesh as it is, vertex by vertex, and returns the id that the stream knows it by.
template <class Component>
int add_to_draco(draco::Mesh& mesh, const gltf::Document& document, std::size_t accessor,
                 draco::GeometryAttribute::Type type, draco::DataType data_type, const std::vector<Component>& values) {
  const gltf::Layout layout = gltf::accessor_layout(document, accessor);
  const auto width = layout.components();
  draco::GeometryAttribute description;
  description.Init(type, nullptr, static_cast<std::int8_t>(width), data_type, layout.normalized,
                   static_cast<long>(width * sizeof(Component)), 0);
  const int id = mesh.AddAttribute(description, true, mesh.num_points());
  for (std::uint32_t v = 0; v < mesh.num_points(); ++v)
    mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(v), &values[v * width]);
  return id;
}

/// All primitives of a document, compressed: their accessors lose their data, as exporters write it.
inline gltf::Document draco_document(gltf::Document document, const DracoSettings& settings = {}) {
  const gltf::Document source = document;
  for (Json& mesh_json : document.root["meshes"]) {
    for (Json& primitive : mesh_json["primitives"]) {
      draco::Mesh mesh;
      const auto corners = gltf::read_indices(source, primitive["indices"].get<std::size_t>());
      mesh.SetNumFaces(corners.size() / 3);
      const std::size_t positions = primitive["attributes"]["POSITION"].get<std::size_t>();
      mesh.set_num_points(static_cast<std::uint32_t>(gltf::accessor_layout(source, positions).count));
      for (std::uint32_t f = 0; f < corners.size() / 3; ++f) {
        draco::Mesh::Face face;
        for (int k = 0; k < 3; ++k) face[static_cast<std::size_t>(k)] = corners[3 * f + static_cast<std::uint32_t>(k)];
        mesh.SetFace(draco::FaceIndex(f), face);
      }
      Json ids = Json::object();
      for (const auto& [name, number] : primitive["attributes"].members()) {
        const auto accessor = number.get<std::size_t>();
        if (name.rfind("JOINTS_", 0) == 0) {
          const auto values = gltf::read_indices(source, accessor);
          const std::vector<std::uint16_t> narrow(values.begin(), values.end());
          ids[name] = add_to_draco(mesh, source, accessor, draco::GeometryAttribute::GENERIC, draco::DT_UINT16, narrow);
        } else {
          const auto type = name == "POSITION"                ? draco::GeometryAttribute::POSITION
                            : name == "NORMAL"                ? draco::GeometryAttribute::NORMAL
                            : name.rfind("TEXCOORD_", 0) == 0 ? draco::GeometryAttribute::TEX_COORD
                                                              : draco::GeometryAttribute::GENERIC;
          ids[name] =
              add_to_draco(mesh, source, accessor, type, draco::DT_FLOAT32, gltf::read_floats(source, accessor));
        }
        document.root["accessors"][accessor].erase("bufferView");
        document.root["accessors"][accessor].erase("byteOffset");
      }
      document.root["accessors"][primitive["indices"].get<std::size_t>()].erase("bufferView");
      draco::Encoder encoder;
      encoder.SetEncodingMethod(settings.sequential ? draco::MESH_SEQUENTIAL_ENCODING
                                                    : draco::MESH_EDGEBREAKER_ENCODING);
      encoder.SetSpeedOptions(5, 5);
      encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, settings.position_bits);
      encoder.SetAttributeQuantization(draco::GeometryAttribute::NORMAL, 10);
      draco::EncoderBuffer stream;
      if (!encoder.EncodeMeshToBuffer(mesh, &stream).ok()) return {};
      Bytes& buffer = document.buffers[0];
      buffer.resize((buffer.size() + 3) / 4 * 4);
      document.root["bufferViews"].push_back(
          {{"buffer", 0}, {"byteOffset", buffer.size()}, {"byteLength", stream.size()}});
      const auto bytes = std::as_bytes(std::span(stream.data(), stream.size()));
      buffer.insert(buffer.end(), bytes.begin(), bytes.end());
      primitive["extensions"]["KHR_draco_mesh_compression"] = {{"bufferView", document.root["bufferViews"].size() - 1},
                                                               {"attributes", ids}};
    }
  }
  document.root["buffers"][0]["byteLength"] = document.buffers[0].size();
  document.root["extensionsUsed"] = document.root["extensionsRequired"] = {"KHR_draco_mesh_compression"};
  return document;
}

}  // namespace supple::test
