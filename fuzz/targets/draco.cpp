// One Draco stream. The library decodes it; what comes out is checked and copied here.
#ifdef SUPPLE_HAS_DRACO
#include "supple/files/gltf/decode/draco.h"

#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>

#include "fuzz/target.h"
#include "supple/files/gltf/accessor.h"
#include "support/shapes.h"

namespace supple::fuzz {
namespace {

bool read_draco_input(Input input) {
  const auto triangles = gltf::draco_triangles(input);
  if (!triangles || *triangles > 64 * input.size()) return false;  // as the reader of files does by its budget
  const gltf::DracoAttribute wanted[]{{0, gltf::float32, 3, 12}};
  const auto geometry = gltf::decode_draco(input, wanted);
  if (!geometry) return false;
  require(geometry->attributes.size() == 1 && geometry->attributes[0].size() == 12 * geometry->vertices,
          "an attribute is whole");
  for (const std::uint32_t corner : geometry->corners) require(corner < geometry->vertices, "corners are vertices");
  return true;
}

Seeds draco_seeds() {
  const Mesh box = test::box({0, 0, 0}, {1, 2, 3});
  draco::TriangleSoupMeshBuilder builder;
  builder.Start(static_cast<int>(box.triangles.size()));
  const int position = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
  for (std::uint32_t t = 0; t < box.triangles.size(); ++t) {
    const auto at = [&](std::size_t k) { return &box.positions[box.triangles[t][k]].x; };
    builder.SetAttributeValuesForFace(position, draco::FaceIndex(t), at(0), at(1), at(2));
  }
  const auto mesh = builder.Finalize();
  Seeds seeds;
  for (const int method : {draco::MESH_SEQUENTIAL_ENCODING, draco::MESH_EDGEBREAKER_ENCODING}) {
    draco::Encoder encoder;
    encoder.SetEncodingMethod(method);
    encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 11);
    draco::EncoderBuffer buffer;
    require(encoder.EncodeMeshToBuffer(*mesh, &buffer).ok(), "a box is encoded");
    seeds[method == draco::MESH_SEQUENTIAL_ENCODING ? "sequential" : "edges"].assign(buffer.data(), buffer.size());
  }
  return seeds;
}

}  // namespace

extern const Target draco_target{"draco", read_draco_input, draco_seeds, {"DRACO"}};

}  // namespace supple::fuzz
#endif
