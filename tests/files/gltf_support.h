// Small glTF documents and characters made by hand, and comparison of characters.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>

#include "supple/files/gltf/accessor.h"
#include "supple/files/gltf/read.h"
#include "supple/files/gltf/save.h"
#include "supple/files/gltf/write.h"

namespace supple::test {

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "supple-exchange-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// Raw JSON and bytes, put together without the code under test.
struct Sketch {
  Json root = {{"asset", {{"version", "2.0"}}}};
  Bytes bytes;

  template <class T>
  std::size_t view(const std::vector<T>& values, std::size_t stride = 0) {
    while (bytes.size() % 4 != 0) bytes.push_back(std::byte{0});
    Json json = {{"buffer", 0}, {"byteOffset", bytes.size()}, {"byteLength", values.size() * sizeof(T)}};
    if (stride > 0) json["byteStride"] = stride;
    const auto raw = std::as_bytes(std::span(values));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    root["bufferViews"].push_back(json);
    return root["bufferViews"].size() - 1;
  }
  std::size_t accessor(Json json) {
    root["accessors"].push_back(std::move(json));
    return root["accessors"].size() - 1;
  }
  template <class T>
  std::size_t accessor(const std::vector<T>& values, std::uint32_t component_type, const std::string& type,
                       std::size_t count) {
    return accessor(
        {{"bufferView", view(values)}, {"componentType", component_type}, {"count", count}, {"type", type}});
  }
  std::size_t floats(const std::vector<float>& values, const std::string& type, std::size_t count) {
    return accessor(values, gltf::float32, type, count);
  }
  /// The bytes of a .glb; the JSON may be anything.
  Bytes glb() const {
    Json whole = root;
    if (!bytes.empty() && !whole.contains("buffers")) whole["buffers"] = Json::array({{{"byteLength", bytes.size()}}});
    return glb_of(whole.dump(), bytes);
  }
  static Bytes glb_of(std::string json, Bytes bin) {
    while (json.size() % 4 != 0) json += ' ';
    while (bin.size() % 4 != 0) bin.push_back(std::byte{0});
    Bytes glb;
    const auto word = [&](std::size_t w) {
      for (int s = 0; s < 32; s += 8) glb.push_back(static_cast<std::byte>(w >> s & 255));
    };
    word(0x46546C67), word(2), word(20 + json.size() + (bin.empty() ? 0 : 8 + bin.size()));
    word(json.size()), word(0x4E4F534A);
    for (const char c : json) glb.push_back(static_cast<std::byte>(c));
    if (bin.empty()) return glb;
    word(bin.size()), word(0x004E4942);
    glb.insert(glb.end(), bin.begin(), bin.end());
    return glb;
  }
  Result<gltf::Document> parse() const { return gltf::parse_document(glb(), "sketch.glb"); }
  Result<gltf::Imported> read(Warnings* warnings = nullptr, bool strict = false) const {
    auto document = parse();
    if (!document) return document.error();
    return gltf::to_character(*document, warnings, {strict});
  }
};

/// One triangle on one node.
inline Sketch triangle_sketch() {
  Sketch s;
  const std::size_t positions = s.floats({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3", 3);
  s.root["meshes"] = Json::array({{{"primitives", {{{"attributes", {{"POSITION", positions}}}}}}}});
  s.root["nodes"] = Json::array({{{"mesh", 0}}});
  s.root["scenes"] = Json::array({{{"nodes", {0}}}});
  return s;
}

/// Nodes 0 (mesh), 1 and 2 (joints); three vertices bound to both; a rotation clip on node 2.
inline Sketch skinned_sketch() {
  Sketch s = triangle_sketch();
  Json& attributes = s.root["meshes"][0]["primitives"][0]["attributes"];
  const std::size_t joints = s.accessor<std::uint8_t>({0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, gltf::uint8, "VEC4", 3);
  const std::size_t weights = s.floats({0.75f, 0.25f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 3);
  const std::size_t binds = s.floats({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,  //
                                      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1},
                                     "MAT4", 2);
  const std::size_t times = s.floats({0, 1}, "SCALAR", 2);
  const std::size_t turns = s.floats({0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f}, "VEC4", 2);
  attributes["JOINTS_0"] = joints;
  attributes["WEIGHTS_0"] = weights;
  s.root["nodes"] = Json::array({{{"mesh", 0}, {"skin", 0}},
                                 {{"name", "hip"}, {"children", {2}}},
                                 {{"name", "knee"}, {"translation", {0, 1, 0}}}});
  s.root["scenes"] = Json::array({{{"nodes", {0, 1}}}});
  s.root["skins"] = Json::array({{{"joints", {1, 2}}, {"inverseBindMatrices", binds}}});
  s.root["animations"] =
      Json::array({{{"name", "bend"},
                    {"samplers", {{{"input", times}, {"output", turns}}}},
                    {"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}}}});
  return s;
}

/// A bit of everything: skinned with six influences, morphs sparse and dense, a rigid part, DOFs, all interpolations.
inline Character small_character() {
  Character c;
  c.name = "small";
  std::vector<RawJoint> joints(9);
  joints[0].name = "body";
  joints[1] = {"hip", {}, {{0.1f, 0.2f, 0.3f}, normalized(Quatf{0.1f, 0.2f, 0.3f, 0.9f}), {1, 1, 1}}, {}};
  for (std::size_t j = 2; j < 8; ++j)
    joints[j] = {"joint" + std::to_string(j), j - 1, {{0, 0.5f, 0}, {}, {1, 1, 1}}, {}};
  joints[3].dofs = {{"flexion", {-1, 0, 0}, -0.52f, 1.4f}, {"abduction", {0, 0, 1}, -0.3f, 0.3f}};
  joints[8] = {"hat", 7, {{0, 0.1f, 0}, {}, {2, 2, 2}}, {}};
  auto built = build_skeleton(joints);
  c.skeleton = built->skeleton;
  c.skins.push_back({"skin", {1, 2, 3, 4, 5, 6, 7}, std::vector<Affinef>(7)});
  for (std::size_t k = 0; k < 7; ++k)
    c.skins[0].inverse_bind[k].translation = {0.25f, -0.5f * static_cast<float>(k), 0};
  c.materials.push_back({"skin", {0.8f, 0.6f, 0.5f, 1}, 0, 0.7f, true});
  Part body;
  body.name = "body";
  body.node = 0;
  body.skin = 0;
  body.material = 0;
  body.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.1f}, {0.3f, 2, 0}};
  body.mesh.normals.assign(5, {0, 0, 1});
  body.mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {3, 2, 4}};
  body.texcoords = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0.25f}};
  for (std::uint32_t v = 0; v < 5; ++v) {
    std::vector<Influence> influences;
    for (std::uint32_t k = 0; k < 6; ++k) influences.push_back({(k + v) % 7, 1.0f / static_cast<float>(1 << (k + 1))});
    body.weights.push_vertex(influences);
  }
  clean(body.weights, 7);
  body.morphs.push_back({"bulge", {1, 4}, {{0, 0, 0.5f}, {0.25f, 0, 0}}, {{0, 0.1f, 0}, {0, 0, 0}}, {}});
  body.morphs.push_back({"all", {}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 0, 1}}, {}, {}});
  body.morphs.push_back({"nothing", {}, {}, {}, {}});
  c.parts.push_back(body);
  Part hat;
  hat.name = "hat mesh";
  hat.node = 8;
  hat.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  hat.mesh.triangles = {{0, 1, 2}};
  c.parts.push_back(hat);
  c.morph_weights = {0.25f, 0, 1};
  Clip clip{"bend", {}};
  clip.tracks.push_back(
      {Channel::rotation, Interpolation::linear, 3, 4, {0, 0.5f, 2}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0, 0, 0, 1}});
  clip.tracks.push_back({Channel::translation, Interpolation::step, 1, 3, {0, 0.5f, 2}, {0, 0, 0, 1, 2, 3, 4, 5, 6}});
  clip.tracks.push_back({Channel::scale,
                         Interpolation::cubic_spline,
                         8,
                         3,
                         {0, 1},
                         {0, 0, 0, 1, 1, 1, .1f, .2f, .3f, 0, 0, 0, 2, 2, 2, 0, 0, 0}});
  clip.tracks.push_back({Channel::morph_weights, Interpolation::linear, 0, 3, {0, 1}, {0, 0, 0, 1, 0.5f, 0.25f}});
  c.clips.push_back(clip);
  return c;
}

inline std::vector<Vec3f> expanded(const MorphTarget& m, std::span<const Vec3f> offsets, std::size_t vertices) {
  std::vector<Vec3f> all(vertices);
  for (std::size_t i = 0; i < offsets.size(); ++i) all[m.vertices.empty() ? i : m.vertices[i]] = offsets[i];
  return all;
}

/// Equal up to the rounding of normalised rotations and weights. `b` may have more joints at the end.
inline void expect_same(const Character& a, const Character& b) {
  ASSERT_LE(a.skeleton.size(), b.skeleton.size());
  for (JointIndex j = 0; j < a.skeleton.size(); ++j) {
    EXPECT_EQ(a.skeleton.name(j), b.skeleton.name(j));
    EXPECT_EQ(a.skeleton.parent(j), b.skeleton.parent(j)) << a.skeleton.name(j);
    EXPECT_EQ(a.skeleton.rest(j).translation, b.skeleton.rest(j).translation);
    EXPECT_EQ(a.skeleton.rest(j).scale, b.skeleton.rest(j).scale);
    EXPECT_LT(angle_between(Quatd(a.skeleton.rest(j).rotation), Quatd(b.skeleton.rest(j).rotation)), 1e-6);
    EXPECT_TRUE(std::ranges::equal(a.skeleton.dofs(j), b.skeleton.dofs(j)));
  }
  ASSERT_EQ(a.skins.size(), b.skins.size());
  for (std::size_t s = 0; s < a.skins.size(); ++s) {
    EXPECT_EQ(a.skins[s].joints, b.skins[s].joints);
    EXPECT_EQ(a.skins[s].inverse_bind, b.skins[s].inverse_bind);
  }
  EXPECT_EQ(a.morph_weights, b.morph_weights);
  ASSERT_EQ(a.materials.size(), b.materials.size());
  for (std::size_t m = 0; m < a.materials.size(); ++m) EXPECT_EQ(a.materials[m].base_color, b.materials[m].base_color);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const Part &x = a.parts[p], &y = b.parts[p];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.mesh.positions, y.mesh.positions);
    EXPECT_EQ(x.mesh.triangles, y.mesh.triangles);
    EXPECT_EQ(x.texcoords, y.texcoords);
    EXPECT_EQ(x.skin, y.skin);
    EXPECT_EQ(x.material, y.material);
    EXPECT_EQ(x.first_morph_weight, y.first_morph_weight);
    ASSERT_EQ(x.mesh.normals.size(), y.mesh.normals.size());
    for (std::size_t v = 0; v < x.mesh.normals.size(); ++v)
      EXPECT_LT(length(x.mesh.normals[v] - y.mesh.normals[v]), 1e-3f);
    ASSERT_EQ(x.weights.first, y.weights.first);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < x.weights.entries.size(); ++i) {
      moved += std::abs(x.weights.entries[i].weight - y.weights.entries[i].weight) > 1e-6f ? 1u : 0u;
    }
    EXPECT_EQ(moved, 0u);
    ASSERT_EQ(x.morphs.size(), y.morphs.size());
    for (std::size_t m = 0; m < x.morphs.size(); ++m) {
      const std::size_t n = x.mesh.positions.size();
      EXPECT_EQ(x.morphs[m].name, y.morphs[m].name);
      EXPECT_EQ(expanded(x.morphs[m], x.morphs[m].positions, n), expanded(y.morphs[m], y.morphs[m].positions, n));
      EXPECT_EQ(expanded(x.morphs[m], x.morphs[m].normals, n), expanded(y.morphs[m], y.morphs[m].normals, n));
    }
  }
  ASSERT_EQ(a.clips.size(), b.clips.size());
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    EXPECT_EQ(a.clips[c].name, b.clips[c].name);
    ASSERT_EQ(a.clips[c].tracks.size(), b.clips[c].tracks.size());
    for (std::size_t t = 0; t < a.clips[c].tracks.size(); ++t) {
      const Track &x = a.clips[c].tracks[t], &y = b.clips[c].tracks[t];
      EXPECT_EQ(x.channel, y.channel);
      EXPECT_EQ(x.interpolation, y.interpolation);
      EXPECT_EQ(x.target, y.target);
      EXPECT_EQ(x.times, y.times);
      EXPECT_EQ(x.values, y.values);
    }
  }
}

}  // namespace supple::test
