// Base colour textures as glTF files have them.
#include "supple/files/gltf/textures.h"

#include <gtest/gtest.h>

#include "files/gltf_support.h"
#include "supple/files/gltf/uri.h"

namespace supple {
namespace {

using namespace test;

/// A triangle whose material has a texture; the "picture" is a few bytes, which nobody decodes here.
Sketch textured_sketch() {
  Sketch s = triangle_sketch();
  const std::size_t picture = s.view(std::vector<std::uint8_t>{1, 2, 3, 4, 5});
  s.root["images"] = Json::array({{{"bufferView", picture}, {"mimeType", "image/png"}}});
  s.root["samplers"] = Json::array({{{"wrapS", 33071}, {"wrapT", 33648}, {"magFilter", 9728}}});
  s.root["textures"] = Json::array({{{"source", 0}, {"sampler", 0}}, {{"source", 0}}});
  s.root["materials"] =
      Json::array({{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}, {"alphaMode", "MASK"}}});
  s.root["meshes"][0]["primitives"][0]["material"] = 0;
  return s;
}

TEST(BaseColourTextures, SamplersAndAlphaAreRead) {
  Sketch s = textured_sketch();
  s.root["materials"].push_back(
      {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 1}, {"texCoord", 1}}}}}, {"alphaMode", "BLEND"}});
  s.root["materials"].push_back(Json::object());
  const auto document = s.parse();
  ASSERT_TRUE(document.ok()) << document.error().message();
  Warnings warnings;
  const auto colours = gltf::material_colours(*document, &warnings);
  ASSERT_EQ(colours.size(), 3u);
  EXPECT_TRUE(warnings.empty());
  ASSERT_TRUE(colours[0].texture.has_value());
  EXPECT_EQ(colours[0].alpha, gltf::AlphaMode::mask);
  EXPECT_EQ(colours[0].alpha_cutoff, 0.5f);
  EXPECT_EQ(colours[0].texture->wrap_u, gltf::TextureWrap::clamp);
  EXPECT_EQ(colours[0].texture->wrap_v, gltf::TextureWrap::mirror);
  EXPECT_FALSE(colours[0].texture->smooth);
  ASSERT_TRUE(colours[1].texture.has_value());
  EXPECT_EQ(colours[1].alpha, gltf::AlphaMode::blend);
  EXPECT_EQ(colours[1].texture->texcoord, 1u);
  EXPECT_EQ(colours[1].texture->wrap_u, gltf::TextureWrap::repeat);
  EXPECT_TRUE(colours[1].texture->smooth);
  EXPECT_FALSE(colours[2].texture.has_value());
}

TEST(BaseColourTextures, TransformIsThatOfTheExtension) {
  Sketch s = textured_sketch();
  s.root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["extensions"]["KHR_texture_transform"] = {
      {"offset", {0.5, 0.25}}, {"rotation", 1.5707963}, {"scale", {2, 3}}};
  const auto document = s.parse();
  ASSERT_TRUE(document.ok());
  const auto colours = gltf::material_colours(*document);
  ASSERT_TRUE(colours[0].texture.has_value());
  // The extension's matrices: translation * rotation * scale, with rotation (c s; -s c).
  const auto placed = colours[0].texture->place({0.1f, 0.2f});
  EXPECT_NEAR(placed[0], 0.5 + 3 * 0.2, 1e-6);
  EXPECT_NEAR(placed[1], 0.25 - 2 * 0.1, 1e-6);
}

TEST(BaseColourTextures, OfOlderAndNewerFiles) {
  Sketch s = textured_sketch();
  s.root["materials"] =
      Json::array({{{"extensions", {{"KHR_materials_pbrSpecularGlossiness", {{"diffuseTexture", {{"index", 0}}}}}}}},
                   {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 1}}}}}}});
  s.root["textures"][1] = {{"extensions", {{"KHR_texture_basisu", {{"source", 0}}}}}};
  const auto document = s.parse();
  ASSERT_TRUE(document.ok()) << document.error().message();
  const auto colours = gltf::material_colours(*document);
  EXPECT_TRUE(colours[0].texture.has_value());
  EXPECT_TRUE(colours[1].texture.has_value()) << "what the picture is, its decoder tells";
}

TEST(BaseColourTextures, WhatIsMissingIsToldAndLeftOut) {
  Sketch s = textured_sketch();
  s.root["textures"][0] = Json::object();
  const auto document = s.parse();
  ASSERT_TRUE(document.ok());
  Warnings warnings;
  EXPECT_FALSE(gltf::material_colours(*document, &warnings)[0].texture.has_value());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("textures[0]"), std::string::npos) << warnings[0];
}

TEST(BaseColourTextures, PicturesComeFromBuffersUrisAndFiles) {
  const TemporaryFolder folder;
  const Bytes picture{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  ASSERT_TRUE(write_file(folder / "a b.png", picture).ok());
  Sketch s = textured_sketch();
  s.root["images"].push_back({{"uri", "data:image/png;base64," + gltf::to_base64(picture)}});
  s.root["images"].push_back({{"uri", "a%20b.png"}});
  s.root["images"].push_back({{"uri", "../elsewhere.png"}});
  s.root["images"].push_back(Json::object());
  auto document = gltf::parse_document(s.glb(), "sketch.glb", (folder / "x").parent_path());
  ASSERT_TRUE(document.ok()) << document.error().message();
  for (const std::size_t image : {0u, 1u, 2u}) {
    const auto bytes = gltf::image_bytes(*document, image);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    EXPECT_EQ(*bytes, picture);
  }
  EXPECT_NE(gltf::image_bytes(*document, 3).error().message().find("images[3]"), std::string::npos);
  EXPECT_FALSE(gltf::image_bytes(*document, 4).ok());
}

TEST(BaseColourTextures, SecondSetOfCoordinates) {
  Sketch s = textured_sketch();
  s.root["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = s.floats({0, 1, 2, 3, 4, 5}, "VEC2", 3);
  const auto document = s.parse();
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(gltf::texcoords_of(*document, {0, 0, 0}, 1), (std::vector<std::array<float, 2>>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_TRUE(gltf::texcoords_of(*document, {0, 0, 0}, 2).empty());
}

}  // namespace
}  // namespace supple
