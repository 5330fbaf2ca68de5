// Every feature of the reader on documents of a few numbers, with the expected values worked out by hand.
#include <gtest/gtest.h>

#include "files/gltf_support.h"

namespace supple::test {
namespace {

TEST(GltfAccessor, NormalisedIntegers) {
  Sketch s;
  const auto normalized = [&](std::size_t accessor) { s.root["accessors"][accessor]["normalized"] = true; };
  normalized(s.accessor<std::int8_t>({-128, -127, 0, 127}, gltf::int8, "SCALAR", 4));
  normalized(s.accessor<std::uint8_t>({0, 51, 255}, gltf::uint8, "SCALAR", 3));
  normalized(s.accessor<std::int16_t>({-32768, 32767}, gltf::int16, "SCALAR", 2));
  normalized(s.accessor<std::uint16_t>({0, 13107, 65535}, gltf::uint16, "SCALAR", 3));
  s.accessor<std::int16_t>({-300, 300}, gltf::int16, "SCALAR", 2);
  const auto d = s.parse();
  ASSERT_TRUE(d) << d.error().message();
  EXPECT_EQ(gltf::read_floats(*d, 0), (std::vector<float>{-1, -1, 0, 1}));
  EXPECT_EQ(gltf::read_floats(*d, 1), (std::vector<float>{0, 0.2f, 1}));
  EXPECT_EQ(gltf::read_floats(*d, 2), (std::vector<float>{-1, 1}));
  EXPECT_EQ(gltf::read_floats(*d, 3), (std::vector<float>{0, 0.2f, 1}));
  EXPECT_EQ(gltf::read_floats(*d, 4), (std::vector<float>{-300, 300}));
}

TEST(GltfAccessor, StridesOffsetsAndPaddedMatrices) {
  Sketch s;
  const std::size_t view = s.view<float>({1, 2, 3, 90, 91, 4, 5, 6, 92, 93, 7, 8, 9}, 20);
  s.accessor({{"bufferView", view}, {"componentType", gltf::float32}, {"count", 3}, {"type", "VEC3"}});
  s.accessor(
      {{"bufferView", view}, {"byteOffset", 4}, {"componentType", gltf::float32}, {"count", 3}, {"type", "VEC2"}});
  // Columns of a MAT2 of bytes start every four bytes.
  s.accessor<std::uint8_t>({1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8}, gltf::uint8, "MAT2", 2);
  const auto d = s.parse();
  ASSERT_TRUE(d) << d.error().message();
  EXPECT_EQ(gltf::read_floats(*d, 0), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(gltf::read_floats(*d, 1), (std::vector<float>{2, 3, 5, 6, 8, 9}));
  EXPECT_EQ(gltf::read_floats(*d, 2), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(GltfAccessor, SparseWithAndWithoutBase) {
  Sketch s;
  const std::size_t indices = s.view<std::uint16_t>({1, 3}), values = s.view<float>({10, 30});
  const Json sparse = {{"count", 2},
                       {"indices", {{"bufferView", indices}, {"componentType", gltf::uint16}}},
                       {"values", {{"bufferView", values}}}};
  s.accessor({{"componentType", gltf::float32}, {"count", 4}, {"type", "SCALAR"}, {"sparse", sparse}});
  const std::size_t based = s.floats({1, 2, 3, 4}, "SCALAR", 4);
  s.root["accessors"][based]["sparse"] = sparse;
  s.accessor({{"componentType", gltf::float32}, {"count", 3}, {"type", "SCALAR"}});
  const auto d = s.parse();
  ASSERT_TRUE(d) << d.error().message();
  EXPECT_EQ(gltf::read_floats(*d, 0), (std::vector<float>{0, 10, 0, 30}));
  EXPECT_EQ(gltf::read_floats(*d, 1), (std::vector<float>{1, 10, 3, 30}));
  EXPECT_EQ(gltf::read_floats(*d, 2), (std::vector<float>{0, 0, 0}));
}

TEST(GltfRead, NodesInAnyOrderAndMatrices) {
  Sketch s;
  // The parent (2) comes after its children (0, 1); node 1 is a quarter turn about z with scale 2 as a matrix.
  s.root["nodes"] = Json::array({{{"name", "a"}, {"translation", {1, 2, 3}}},
                                 {{"name", "b"}, {"matrix", {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1}}},
                                 {{"name", "top"}, {"children", {1, 0}}}});
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  const Skeleton& k = read->character.skeleton;
  ASSERT_EQ(k.size(), 3u);
  EXPECT_EQ(k.name(0), "top");
  for (const std::uint32_t node : {0u, 1u, 2u}) EXPECT_EQ(read->nodes.to_source[read->nodes.to_joint[node]], node);
  const Transformf b = k.rest(read->nodes.to_joint[1]);
  EXPECT_EQ(b.translation, (Vec3f{5, 6, 7}));
  EXPECT_NEAR(b.scale.x, 2, 1e-6);
  EXPECT_NEAR(angle_between(b.rotation, from_axis_angle(Vec3f{0, 0, 1}, 1.5707963f)), 0, 1e-5);
}

TEST(GltfRead, ShearIsDroppedWithAWarning) {
  Sketch s;
  s.root["nodes"] = Json::array({{{"matrix", {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}}});
  Warnings warnings;
  ASSERT_TRUE(s.read(&warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("nodes[0].matrix"), std::string::npos) << warnings[0];
  EXPECT_FALSE(s.read(nullptr, true)) << "strict";
}

TEST(GltfRead, SkinAndClip) {
  Warnings warnings;
  const auto read = skinned_sketch().read(&warnings);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  const Character& c = read->character;
  ASSERT_EQ(c.parts.size(), 1u);
  EXPECT_EQ(c.parts[0].weights.of(0).size(), 2u);
  EXPECT_EQ(c.parts[0].weights.of(0)[0], (Influence{0, 0.75f}));
  EXPECT_EQ(c.skins[0].inverse_bind[1].translation, (Vec3f{0, -1, 0}));
  EXPECT_EQ(c.skeleton.name(c.skins[0].joints[1]), "knee");
  ASSERT_EQ(c.clips.size(), 1u);
  EXPECT_EQ(c.clips[0].name, "bend");
  EXPECT_EQ(c.clips[0].tracks[0].target, read->nodes.to_joint[2]);
}

TEST(GltfRead, ManyInfluencesAndQuantisedAttributes) {
  Sketch s = skinned_sketch();
  Json& attributes = s.root["meshes"][0]["primitives"][0]["attributes"];
  const std::size_t w0 = s.accessor<std::uint8_t>({102, 51, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0}, gltf::uint8, "VEC4", 3);
  const std::size_t w1 = s.accessor<std::uint8_t>({51, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, gltf::uint8, "VEC4", 3);
  const std::size_t j1 = s.accessor<std::uint16_t>({2, 3, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, gltf::uint16, "VEC4", 3);
  for (const std::size_t a : {w0, w1}) s.root["accessors"][a]["normalized"] = true;
  const std::size_t quantised = s.accessor<std::int16_t>({0, 0, 0, 0, 7, 0, 0, 0, 0, 7, 0, 0}, gltf::int16, "VEC3", 3);
  s.root["bufferViews"].back()["byteStride"] = 8;
  attributes["POSITION"] = quantised;
  attributes["WEIGHTS_0"] = w0, attributes["WEIGHTS_1"] = w1, attributes["JOINTS_1"] = j1;
  for (int extra = 0; extra < 2; ++extra) s.root["nodes"].push_back(Json::object());
  s.root["skins"][0]["joints"] = {1, 2, 3, 4};
  s.root["skins"][0].erase("inverseBindMatrices");
  s.root["extensionsRequired"] = {"KHR_mesh_quantization"};
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  const Part& part = read->character.parts[0];
  EXPECT_EQ(part.mesh.positions[1], (Vec3f{7, 0, 0}));
  ASSERT_EQ(part.weights.of(0).size(), 4u);
  EXPECT_NEAR(part.weights.of(0)[0].weight, 0.4, 1e-6);
  EXPECT_EQ(part.weights.of(1).size(), 1u) << "joints out of range do not matter where their weight is zero";
  EXPECT_EQ(read->character.skins[0].inverse_bind[3], Affinef{});
}

TEST(GltfRead, WeightsAreRepairedAndCounted) {
  Sketch s = skinned_sketch();
  const std::size_t weights = s.floats({2, 2, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0}, "VEC4", 3);
  s.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = weights;
  Warnings warnings;
  const auto read = s.read(&warnings);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(warnings.size(), 3u) << "sum 4, all zero, negative";
  EXPECT_FLOAT_EQ(read->character.parts[0].weights.of(0)[0].weight, 0.5f);
  const auto strict = s.read(nullptr, true);
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.error().item.find("meshes[0].primitives[0]"), std::string::npos);
}

TEST(GltfRead, OneMeshOnTwoNodesAndSeveralSkins) {
  Sketch s = skinned_sketch();
  s.root["nodes"].push_back({{"mesh", 0}, {"skin", 1}});
  s.root["nodes"].push_back({{"mesh", 0}, {"translation", {9, 0, 0}}});
  s.root["skins"].push_back({{"joints", {2, 1}}});
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->character.parts.size(), 3u);
  EXPECT_EQ(read->character.parts[0].skin, 0u);
  EXPECT_EQ(read->character.parts[1].skin, 1u);
  EXPECT_FALSE(read->character.parts[2].skin);
  EXPECT_EQ(read->sources[2], (gltf::PartSource{4, 0, 0}));
}

TEST(GltfRead, MorphTargetsAndTheirWeights) {
  Sketch s = triangle_sketch();
  const std::size_t dense = s.floats({1, 0, 0, 1, 0, 0, 1, 0, 0}, "VEC3", 3);
  const std::size_t mostly_zero = s.floats({0, 0, 0, 0, 0, 0, 0, 0, 4}, "VEC3", 3);
  Json& mesh = s.root["meshes"][0];
  mesh["primitives"][0]["targets"] = Json::array({{{"POSITION", dense}}, {{"POSITION", mostly_zero}}});
  mesh["weights"] = {0.5, 0};
  mesh["extras"] = {{"targetNames", {"shift", "pull"}}};
  s.root["nodes"] = Json::array({{{"mesh", 0}}, {{"mesh", 0}, {"weights", {0, 1}}}});
  const std::size_t times = s.floats({0, 1}, "SCALAR", 2), values = s.floats({0, 0, 1, 1}, "SCALAR", 4);
  s.root["animations"] =
      Json::array({{{"samplers", {{{"input", times}, {"output", values}, {"interpolation", "STEP"}}}},
                    {"channels", {{{"sampler", 0}, {"target", {{"node", 1}, {"path", "weights"}}}}}}}});
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  const Character& c = read->character;
  EXPECT_EQ(c.morph_weights, (std::vector<float>{0.5f, 0, 0, 1}));
  EXPECT_EQ(c.parts[1].first_morph_weight, 2u);
  EXPECT_TRUE(c.parts[0].morphs[0].vertices.empty());
  EXPECT_EQ(c.parts[0].morphs[1].vertices, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(c.parts[0].morphs[1].name, "pull");
  EXPECT_EQ(c.clips[0].tracks[0].target, 2u);
  EXPECT_EQ(c.clips[0].tracks[0].width, 2u);
  EXPECT_EQ(c.clips[0].tracks[0].interpolation, Interpolation::step);
}

TEST(GltfRead, CubicSplineOfNormalisedShorts) {
  Sketch s = skinned_sketch();
  const std::size_t values = s.accessor<std::int16_t>(
      {0, 0, 0, 0, 0, 0, 0, 32767, 0, 0, 0, 0, 0, 0, 0, 0, 32767, 0, 0, 0, 0, 0, 0, 0}, gltf::int16, "VEC4", 6);
  s.root["accessors"][values]["normalized"] = true;
  s.root["animations"][0]["samplers"][0]["output"] = values;
  s.root["animations"][0]["samplers"][0]["interpolation"] = "CUBICSPLINE";
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  const Track& track = read->character.clips[0].tracks[0];
  EXPECT_EQ(track.interpolation, Interpolation::cubic_spline);
  ASSERT_EQ(track.values.size(), 24u);
  EXPECT_EQ(track.values[7], 1.0f);
  EXPECT_EQ(track.values[16], 1.0f);
}

TEST(GltfRead, ChannelsThatCannotBeFollowedAreLeftOut) {
  Sketch s = skinned_sketch();
  Json& channels = s.root["animations"][0]["channels"];
  channels.push_back({{"sampler", 0}, {"target", {{"path", "rotation"}}}});
  channels.push_back({{"sampler", 0}, {"target", {{"node", 1}, {"path", "weights"}}}});
  channels.push_back({{"sampler", 0}, {"target", {{"node", 1}, {"path", "pointer"}}}});
  Warnings warnings;
  const auto read = s.read(&warnings);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(warnings.size(), 3u);
  EXPECT_EQ(read->character.clips[0].tracks.size(), 1u);
}

TEST(GltfRead, StripsFansAndLines) {
  Sketch s;
  const std::size_t positions = s.floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "VEC3", 4);
  const auto primitive = [&](int mode) { return Json{{"attributes", {{"POSITION", positions}}}, {"mode", mode}}; };
  s.root["meshes"] = Json::array({{{"primitives", {primitive(5), primitive(6), primitive(1)}}}});
  s.root["nodes"] = Json::array({{{"mesh", 0}}});
  Warnings warnings;
  const auto read = s.read(&warnings);
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->character.parts.size(), 2u);
  EXPECT_EQ(read->character.parts[0].mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}}));
  EXPECT_EQ(read->character.parts[1].mesh.triangles, (std::vector<Triangle>{{1, 2, 0}, {2, 3, 0}}));
  EXPECT_GE(warnings.size(), 1u);
}

TEST(GltfRead, DegenerateTrianglesAreCounted) {
  Sketch s = triangle_sketch();
  s.root["meshes"][0]["primitives"][0]["indices"] =
      s.accessor<std::uint16_t>({0, 1, 2, 0, 0, 1, 2, 2, 2}, gltf::uint16, "SCALAR", 9);
  Warnings warnings;
  ASSERT_TRUE(s.read(&warnings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("2 of 3 triangles"), std::string::npos) << warnings[0];
}

TEST(GltfRead, DegreesOfFreedom) {
  Sketch s = triangle_sketch();
  s.root["nodes"][0]["extras"] = {
      {"supple", {{"dofs", {{{"name", "flexion"}, {"axis", {-1, 0, 0}}, {"min", -0.5}, {"max", 1.5}}}}}}};
  const auto read = s.read();
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->character.skeleton.dofs(0).size(), 1u);
  EXPECT_EQ(read->character.skeleton.dofs(0)[0], (Dof{"flexion", {-1, 0, 0}, -0.5f, 1.5f}));
}

}  // namespace
}  // namespace supple::test
