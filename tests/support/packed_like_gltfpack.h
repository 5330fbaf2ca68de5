// A character's file as gltfpack writes it: positions as whole numbers whose grid is undone by the bind matrices,
// normals and rotations in few bits, texture coordinates undone by KHR_texture_transform, and all of it packed by the
// meshoptimizer library (EXT_meshopt_compression).
#pragma once

#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "supple/files/gltf/accessor.h"
#include "supple/files/json.h"

namespace supple::test {

/// Every mesh of the document must have a skin. `grid` is the size of one step of the positions.
class LikeGltfpack {
 public:
  explicit LikeGltfpack(const gltf::Document& document) : source_(document), root_(document.root) {
    root_["bufferViews"] = Json::array();
    find_grid();
    for (Json& mesh : root_["meshes"]) {
      for (Json& primitive : mesh["primitives"]) pack_primitive(primitive);
    }
    for (Json& skin : root_["skins"]) pack_bind_matrices(skin["inverseBindMatrices"]);
    if (root_.contains("animations")) {
      for (Json& animation : root_["animations"]) pack_animation(animation);
    }
    if (root_.contains("materials")) {
      for (Json& material : root_["materials"]) undo_texture_grid(material);
    }
    take_images();
    const Json fallback = {{"EXT_meshopt_compression", {{"fallback", true}}}};
    root_["buffers"] =
        Json::array({{{"byteLength", bytes_.size()}}, {{"byteLength", unpacked_}, {"extensions", fallback}}});
    root_["extensionsUsed"] = {"EXT_meshopt_compression", "KHR_mesh_quantization", "KHR_texture_transform"};
    root_["extensionsRequired"] = {"EXT_meshopt_compression", "KHR_mesh_quantization"};
  }

  const Json& root() const { return root_; }
  const Bytes& bytes() const { return bytes_; }
  double grid() const { return scale_; }

 private:
  static constexpr double position_steps = 16383, texture_steps = 4095;

  void find_grid() {
    low_ = {1e30, 1e30, 1e30};
    Vec3d high{-1e30, -1e30, -1e30};
    for (const Json& mesh : source_.root["meshes"]) {
      for (const Json& primitive : mesh["primitives"]) {
        const auto values = gltf::read_floats(source_, primitive["attributes"]["POSITION"].get<std::size_t>());
        for (std::size_t i = 0; i < values.size(); ++i) {
          low_[i % 3] = std::min(low_[i % 3], double{values[i]});
          high[i % 3] = std::max(high[i % 3], double{values[i]});
        }
      }
    }
    scale_ = std::max({high.x - low_.x, high.y - low_.y, high.z - low_.z}) / position_steps;
  }

  /// A view of the packed stream, and what it unpacks to.
  std::size_t add_view(const std::vector<unsigned char>& stream, std::size_t count, std::size_t stride,
                       const char* mode, const char* filter, bool strided) {
    while (bytes_.size() % 4 != 0) bytes_.push_back(std::byte{0});
    Json packed = {{"buffer", 0},    {"byteOffset", bytes_.size()}, {"byteLength", stream.size()},
                   {"count", count}, {"byteStride", stride},        {"mode", mode}};
    if (filter != nullptr) packed["filter"] = filter;
    Json view = {{"buffer", 1}, {"byteOffset", unpacked_}, {"byteLength", count * stride}};
    if (strided) view["byteStride"] = stride;
    view["extensions"]["EXT_meshopt_compression"] = std::move(packed);
    for (const unsigned char b : stream) bytes_.push_back(static_cast<std::byte>(b));
    unpacked_ += (count * stride + 3) / 4 * 4;
    root_["bufferViews"].push_back(std::move(view));
    return root_["bufferViews"].size() - 1;
  }

  std::size_t add_elements(const void* elements, std::size_t count, std::size_t stride, const char* filter = nullptr,
                           bool strided = true) {
    meshopt_encodeVertexVersion(0);
    std::vector<unsigned char> stream(meshopt_encodeVertexBufferBound(count, stride));
    stream.resize(meshopt_encodeVertexBuffer(stream.data(), stream.size(), elements, count, stride));
    return add_view(stream, count, stride, "ATTRIBUTES", filter, strided);
  }

  Json& accessor(const Json& number) { return root_["accessors"][number.get<std::size_t>()]; }
  std::vector<float> floats(const Json& number) { return gltf::read_floats(source_, number.get<std::size_t>()); }

  void set(Json& json, std::size_t view, std::uint32_t type, bool normalized) {
    for (const auto key : {"min", "max", "byteOffset", "normalized", "sparse"}) json.erase(key);
    json["bufferView"] = view;
    json["componentType"] = type;
    if (normalized) json["normalized"] = true;
  }

  void pack_positions(const Json& number, bool is_offset) {
    const std::vector<float> values = floats(number);
    std::vector<std::int32_t> whole(values.size());
    std::vector<std::int16_t> fours(values.size() / 3 * 4);
    for (std::size_t i = 0; i < values.size(); ++i) {
      whole[i] = static_cast<std::int32_t>(std::lround((double{values[i]} - (is_offset ? 0 : low_[i % 3])) / scale_));
      fours[i / 3 * 4 + i % 3] = static_cast<std::int16_t>(static_cast<std::uint16_t>(whole[i]));
    }
    Json& json = accessor(number);
    set(json, add_elements(fours.data(), values.size() / 3, 8), is_offset ? gltf::int16 : gltf::uint16, false);
    std::array<int, 3> low{1 << 30, 1 << 30, 1 << 30}, high{-(1 << 30), -(1 << 30), -(1 << 30)};
    for (std::size_t i = 0; i < whole.size(); ++i) {
      low[i % 3] = std::min(low[i % 3], whole[i]);
      high[i % 3] = std::max(high[i % 3], whole[i]);
    }
    json["min"] = low;
    json["max"] = high;
  }

  void pack_normals(const Json& number, std::size_t width) {
    const std::vector<float> values = floats(number);
    std::vector<float> fours(values.size() / width * 4);
    for (std::size_t i = 0; i < values.size(); ++i) fours[i / width * 4 + i % width] = values[i];
    std::vector<std::int8_t> packed(fours.size());
    meshopt_encodeFilterOct(packed.data(), packed.size() / 4, 4, 8, fours.data());
    set(accessor(number), add_elements(packed.data(), packed.size() / 4, 4, "OCTAHEDRAL"), gltf::int8, true);
  }

  void pack_texture_coordinates(const Json& number) {
    const std::vector<float> values = floats(number);
    std::vector<std::uint16_t> whole(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      whole[i] = static_cast<std::uint16_t>(std::lround(std::clamp(double{values[i]}, 0.0, 1.0) * texture_steps));
    set(accessor(number), add_elements(whole.data(), values.size() / 2, 4), gltf::uint16, false);
  }

  void pack_weights(const Json& number) {
    const std::vector<float> values = floats(number);
    std::vector<std::uint8_t> packed(values.size());
    for (std::size_t v = 0; v < values.size(); v += 4) {
      int sum = 0;
      for (std::size_t k = v; k < v + 4; ++k)
        sum += packed[k] = static_cast<std::uint8_t>(std::lround(values[k] * 255));
      const auto largest =
          std::max_element(values.begin() + static_cast<long>(v), values.begin() + static_cast<long>(v) + 4);
      packed[static_cast<std::size_t>(largest - values.begin())] =
          static_cast<std::uint8_t>(packed[static_cast<std::size_t>(largest - values.begin())] + 255 - sum);
    }
    set(accessor(number), add_elements(packed.data(), values.size() / 4, 4), gltf::uint8, true);
  }

  void pack_joints(const Json& number) {
    const auto joints = gltf::read_indices(source_, number.get<std::size_t>());
    std::vector<std::uint8_t> packed(joints.begin(), joints.end());
    set(accessor(number), add_elements(packed.data(), joints.size() / 4, 4), gltf::uint8, false);
  }

  void pack_triangles(const Json& number, std::size_t vertices) {
    const auto corners = gltf::read_indices(source_, number.get<std::size_t>());
    meshopt_encodeIndexVersion(1);
    std::vector<unsigned char> stream(meshopt_encodeIndexBufferBound(corners.size(), vertices));
    stream.resize(meshopt_encodeIndexBuffer(stream.data(), stream.size(), corners.data(), corners.size()));
    Json& json = accessor(number);
    const std::uint32_t type = json["componentType"].get<std::uint32_t>();
    set(json, add_view(stream, corners.size(), type == gltf::uint16 ? 2 : 4, "TRIANGLES", nullptr, false), type, false);
  }

  void pack_primitive(Json& primitive) {
    const Json& attributes = primitive["attributes"];
    const std::size_t vertices = accessor(attributes["POSITION"])["count"].get<std::size_t>();
    pack_positions(attributes["POSITION"], false);
    if (attributes.contains("NORMAL")) pack_normals(attributes["NORMAL"], 3);
    if (attributes.contains("TANGENT")) pack_normals(attributes["TANGENT"], 4);
    if (attributes.contains("TEXCOORD_0")) pack_texture_coordinates(attributes["TEXCOORD_0"]);
    pack_weights(attributes["WEIGHTS_0"]);
    pack_joints(attributes["JOINTS_0"]);
    if (primitive.contains("indices")) pack_triangles(primitive["indices"], vertices);
    if (!primitive.contains("targets")) return;
    for (Json& target : primitive["targets"]) {
      pack_positions(target["POSITION"], true);
      target.erase("NORMAL");
      target.erase("TANGENT");
    }
  }

  /// matrix * (scale and shift of the grid), column by column.
  void pack_bind_matrices(const Json& number) {
    std::vector<float> values = floats(number);
    for (std::size_t m = 0; m + 16 <= values.size(); m += 16) {
      for (std::size_t row = 0; row < 3; ++row) {
        double shifted = double{values[m + 12 + row]};
        for (std::size_t c = 0; c < 3; ++c) shifted += double{values[m + 4 * c + row]} * low_[c];
        values[m + 12 + row] = static_cast<float>(shifted);
        for (std::size_t c = 0; c < 3; ++c) {
          values[m + 4 * c + row] = static_cast<float>(double{values[m + 4 * c + row]} * scale_);
        }
      }
    }
    set(accessor(number), add_elements(values.data(), values.size() / 16, 64, nullptr, false), gltf::float32, false);
  }

  void pack_animation(Json& animation) {
    for (const Json& channel : animation["channels"]) {
      const Json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      const std::vector<float> times = floats(sampler["input"]), values = floats(sampler["output"]);
      Json& input = accessor(sampler["input"]);
      const Json low = input["min"], high = input["max"];
      set(input, add_elements(times.data(), times.size(), 4, nullptr, false), gltf::float32, false);
      input["min"] = low;
      input["max"] = high;
      Json& output = accessor(sampler["output"]);
      if (channel["target"]["path"] == "rotation") {
        std::vector<std::int16_t> packed(values.size());
        meshopt_encodeFilterQuat(packed.data(), values.size() / 4, 8, 12, values.data());
        set(output, add_elements(packed.data(), values.size() / 4, 8, "QUATERNION", false), gltf::int16, true);
      } else {
        const std::size_t width = values.size() / times.size();
        std::vector<float> packed(values.size());
        meshopt_encodeFilterExp(packed.data(), times.size(), 4 * width, 16, values.data());
        set(output, add_elements(packed.data(), times.size(), 4 * width, "EXPONENTIAL", false), gltf::float32, false);
      }
    }
  }

  static void undo_texture_grid(Json& material) {
    Json* const pbr = material.find("pbrMetallicRoughness");
    if (pbr == nullptr || !pbr->contains("baseColorTexture")) return;
    (*pbr)["baseColorTexture"]["extensions"]["KHR_texture_transform"]["scale"] = {1 / texture_steps, 1 / texture_steps};
  }

  void take_images() {
    if (!root_.contains("images")) return;
    for (Json& image : root_["images"]) {
      if (!image.contains("bufferView")) continue;
      const Json& view = source_.root["bufferViews"][image["bufferView"].get<std::size_t>()];
      const Bytes& from = source_.buffers[view["buffer"].get<std::size_t>()];
      const auto offset = static_cast<long>(view.value("byteOffset", std::size_t{0}));
      const auto length = view["byteLength"].get<std::size_t>();
      while (bytes_.size() % 4 != 0) bytes_.push_back(std::byte{0});
      image["bufferView"] = root_["bufferViews"].size();
      root_["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", length}});
      bytes_.insert(bytes_.end(), from.begin() + offset, from.begin() + offset + static_cast<long>(length));
    }
  }

  const gltf::Document& source_;
  Json root_;
  Bytes bytes_;
  std::size_t unpacked_ = 0;
  Vec3d low_;
  double scale_ = 1;
};

}  // namespace supple::test
