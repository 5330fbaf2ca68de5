// Compressed files: those of other programs are read and posed within what they were rounded by, ours too, and what
// cannot be read is refused by name.
#include <gtest/gtest.h>

#include "files/gltf_support.h"
#include "supple/base/rng.h"
#include "supple/deform/posed_surfaces.h"
#include "supple/files/gltf/decode/decompress.h"
#include "supple/files/gltf/encode/compress.h"
#include "supple/files/load.h"
#include "supple/make/figure.h"
#include "supple/make/hand.h"
#include "support/shared_data.h"
#ifdef SUPPLE_HAS_MESHOPT
#include "support/packed_like_gltfpack.h"
#endif
#ifdef SUPPLE_HAS_DRACO
#include "support/draco_document.h"
#endif

namespace supple::test {
namespace {

const Character& small_hand() {
  static const Character hand = make::make_hand({.vertices = 1200, .bones = false}).value();
  return hand;
}

gltf::Document plain_document(const Character& character) {
  return gltf::compacted(gltf::to_document(character).value());
}

/// What surfaces in space differ by at most, at rest and over the clips of the first one, and its size.
struct Deviation {
  double at_rest = 0, in_clips = 0, size = 0;
};

double largest_distance(const Character& a, const Character& b) {
  double worst = 0;
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    EXPECT_EQ(a.parts[p].mesh.positions.size(), b.parts[p].mesh.positions.size());
    for (std::size_t v = 0; v < a.parts[p].mesh.positions.size(); ++v) {
      worst = std::max(worst, length(Vec3d(a.parts[p].mesh.positions[v]) - Vec3d(b.parts[p].mesh.positions[v])));
    }
  }
  return worst;
}

Deviation deviation(const Character& a, const Character& b) {
  EXPECT_EQ(a.parts.size(), b.parts.size());
  EXPECT_EQ(a.clips.size(), b.clips.size());
  Deviation result;
  const Character rest = posed_surfaces(a, a.rest()).value();
  for (const Part& part : rest.parts)
    result.size = std::max<double>(result.size, bounds(part.mesh.positions).diagonal());
  result.at_rest = largest_distance(rest, posed_surfaces(b, b.rest()).value());
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    for (const float part : {0.3f, 0.6f}) {
      Pose pose_a = a.rest(), pose_b = b.rest();
      sample(a.clips[c], a.clips[c].end() * part, pose_a);
      sample(b.clips[c], b.clips[c].end() * part, pose_b);
      result.in_clips = std::max(
          result.in_clips, largest_distance(posed_surfaces(a, pose_a).value(), posed_surfaces(b, pose_b).value()));
    }
  }
  return result;
}

Result<gltf::Imported> read_glb(std::span<const std::byte> glb, Warnings* warnings = nullptr) {
  auto document = gltf::parse_document(glb, "packed.glb");
  if (!document) return document.error();
  return gltf::to_character(*document, warnings);
}

#ifdef SUPPLE_HAS_MESHOPT

void expect_like_gltfpack(const gltf::Document& source) {
  const LikeGltfpack packed(source);
  const Bytes glb = Sketch::glb_of(packed.root().dump(), packed.bytes());
  Warnings warnings;
  const auto read = read_glb(glb, &warnings);
  ASSERT_TRUE(read) << read.error().message();
  for (const std::string& warning : warnings) {  // a grid may make a sliver flat
    EXPECT_NE(warning.find("have no area"), std::string::npos) << warning;
  }
  const Deviation d = deviation(gltf::to_character(source).value().character, read->character);
  std::printf("%zu bytes, %zu packed; rest %.2e, clips %.2e of the size\n", gltf::to_glb(source).value().size(),
              glb.size(), d.at_rest / d.size, d.in_clips / d.size);
  // Half the diagonal of a step of the grid, and the rounding of floats.
  EXPECT_LE(d.at_rest, packed.grid() * 0.87 + d.size * 1e-6);
  // Four weights are off by half of 1/255 at most, of what joints differ by, which is below the size of the body; and
  // rotations of 12 bits, along a chain of joints.
  EXPECT_LE(d.in_clips, d.size * (4 * 0.5 / 255 + 1e-3));
  // What is written again is plain, and holds the same numbers.
  const auto plain = gltf::to_glb(gltf::parse_document(glb, "packed.glb").value());
  ASSERT_TRUE(plain);
  const auto again = gltf::parse_document(*plain, "plain.glb");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->root.dump().find("meshopt"), std::string::npos);
  EXPECT_EQ(deviation(read->character, gltf::to_character(*again).value().character).in_clips, 0);
}

TEST(CompressedGltf, AHandAsGltfpackWritesIt) { expect_like_gltfpack(plain_document(small_hand())); }

TEST(CompressedGltf, AFigureAsGltfpackWritesIt) {
  expect_like_gltfpack(plain_document(make::make_figure({.vertices = 1000}).value()));
}

TEST(CompressedGltf, AFoxAsGltfpackWritesIt) {
  const auto fox = shared_data("gltf_khronos/Fox.glb");
  SUPPLE_REQUIRE_DATA(fox);
  const gltf::Document source = gltf::read_document(fox).value();
  expect_like_gltfpack(source);
  // Its texture coordinates stay on their grid, which the material undoes.
  const LikeGltfpack packed(source);
  const auto document = gltf::parse_document(Sketch::glb_of(packed.root().dump(), packed.bytes()), "fox.glb");
  const Json& material = document->root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
  EXPECT_TRUE(material["extensions"].contains("KHR_texture_transform"));
  const Character fox_read = gltf::to_character(*document).value().character;
  float largest = 0;
  for (const auto& uv : fox_read.parts[0].texcoords) largest = std::max({largest, uv[0], uv[1]});
  EXPECT_GT(largest, 1000) << "as the file has them";
}

TEST(CompressedGltf, OursAreSmallerAndNearlyTheSame) {
  const TemporaryFolder work;
  for (const Character& character : {small_hand(), make::make_figure({.vertices = 1000}).value(), small_character()}) {
    const gltf::Document document = gltf::to_document(character).value();
    for (const char* extension : {".glb", ".gltf"}) {
      const auto plain = work / (std::string("plain") + extension), packed = work / (std::string("packed") + extension);
      ASSERT_TRUE(gltf::write_document(plain, document));
      ASSERT_TRUE(gltf::write_document(packed, document, {.compress = true}));
      Warnings warnings;
      const auto a = load(plain), b = load(packed, &warnings, {.strict = true});
      ASSERT_TRUE(b) << b.error().message();
      const Deviation d = deviation(a->character(), b->character());
      // Positions: half the diagonal of a step of 2^-16 of at most twice the size; weights 4 * 2^-16, morph targets,
      // clips.
      EXPECT_LE(d.at_rest, d.size * 3e-5);
      EXPECT_LE(d.in_clips, d.size * 1e-4);
      for (std::size_t p = 0; p < a->character().parts.size(); ++p) {
        EXPECT_EQ(a->character().parts[p].mesh.triangles, b->character().parts[p].mesh.triangles) << "corner by corner";
      }
      EXPECT_EQ(a->character().skins[0].inverse_bind, b->character().skins[0].inverse_bind);
      if (character.parts[0].mesh.positions.size() < 100) continue;  // nothing to gain
      const auto size = [&](const char* file) { return static_cast<double>(std::filesystem::file_size(work / file)); };
      EXPECT_LT(size("packed.glb"), 0.7 * size("plain.glb"));
    }
  }
}

TEST(CompressedGltf, WhatWasCompressedOnceStaysAsItIs) {
  const Bytes once = gltf::to_glb(gltf::compressed(plain_document(small_hand()))).value();
  const gltf::Document read = gltf::parse_document(once, "once.glb").value();
  const Bytes twice = gltf::to_glb(gltf::compressed(gltf::compacted(read))).value();
  const Character a = gltf::to_character(read).value().character, b = read_glb(twice)->character;
  EXPECT_EQ(deviation(a, b).at_rest, 0) << "rounded numbers are not rounded again";
}

// ---- sizes that lie, streams that are cut ----

/// The hand as gltfpack writes it, with one change to the extension of its first view.
Result<gltf::Imported> read_changed(const std::function<void(Json& root, Json& extension)>& change) {
  static const gltf::Document source = plain_document(small_hand());
  const LikeGltfpack packed(source);
  Json root = packed.root();
  change(root, root["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]);
  return read_glb(Sketch::glb_of(root.dump(), packed.bytes()));
}

TEST(CompressedGltf, LiesAreNamed) {
  const std::pair<const char*, std::function<void(Json&, Json&)>> lies[] = {
      {"bufferViews[0].extensions.EXT_meshopt_compression.mode", [](Json&, Json& e) { e["mode"] = "POINTS"; }},
      {"POINTS", [](Json&, Json& e) { e["filter"] = "POINTS"; }},
      {"byteStride", [](Json&, Json& e) { e["byteStride"] = 6; }},
      {"byteStride", [](Json&, Json& e) { e["byteStride"] = std::size_t{1} << 40; }},
      {"byteStride", [](Json&, Json& e) { e["filter"] = "QUATERNION", e["byteStride"] = 4; }},
      {"count", [](Json&, Json& e) { e["count"] = 0; }},
      {"count", [](Json&, Json& e) { e["count"] = 4000000000u; }},
      {"count", [](Json&, Json& e) { e["count"] = std::uint64_t{1} << 52; }},
      {"damaged", [](Json&, Json& e) { e["count"] = e["count"].get<std::size_t>() + 300; }},
      {"damaged", [](Json&, Json& e) { e["byteLength"] = e["byteLength"].get<std::size_t>() - 1; }},
      {"damaged",
       [](Json& root, Json& e) {
         e["mode"] = "TRIANGLES", e["byteStride"] = 4, e["count"] = 3;
         root["bufferViews"][0]["byteLength"] = 12;
       }},
      {"reaches to byte", [](Json&, Json& e) { e["byteLength"] = 1 << 30; }},
      {"buffer", [](Json&, Json& e) { e["buffer"] = 7; }},
      {"reaches to byte", [](Json&, Json& e) { e["buffer"] = 1; }},
      {"byteLength", [](Json& root, Json&) { root["bufferViews"][0]["byteLength"] = 1 << 30; }},
      {"reaches to byte", [](Json& root, Json&) { root["bufferViews"][0].erase("extensions"); }},
  };
  ASSERT_TRUE(read_changed([](Json&, Json&) {}));
  for (const auto& [named, change] : lies) {
    const auto read = read_changed(change);
    ASSERT_FALSE(read) << named;
    EXPECT_NE(read.error().message().find(named), std::string::npos) << read.error().message();
  }
}

TEST(CompressedGltf, ManyViewsOfFewBytesAreRefused) {
  // 1.1 MB of JSON, each view of which would unpack to 16 kB of zeros.
  Sketch sketch = triangle_sketch();
  const std::vector<std::uint8_t> zeros(16384);
  std::vector<unsigned char> stream(meshopt_encodeVertexBufferBound(4096, 4));
  meshopt_encodeVertexVersion(0);
  stream.resize(meshopt_encodeVertexBuffer(stream.data(), stream.size(), zeros.data(), 4096, 4));
  const std::size_t packed = sketch.view(stream);
  const Json at = sketch.root["bufferViews"][packed];
  Json view = {{"buffer", 0}, {"byteLength", 16384}};
  view["extensions"]["EXT_meshopt_compression"] = {{"buffer", 0},
                                                   {"byteOffset", at["byteOffset"]},
                                                   {"byteLength", at["byteLength"]},
                                                   {"byteStride", 4},
                                                   {"count", 4096},
                                                   {"mode", "ATTRIBUTES"}};
  sketch.root["extensionsUsed"] = {"EXT_meshopt_compression"};
  sketch.root["bufferViews"].push_back(view);
  EXPECT_TRUE(sketch.read()) << "one is fine";
  for (int n = 0; n < 4000; ++n) sketch.root["bufferViews"].push_back(view);
  const auto read = sketch.read();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("implausible"), std::string::npos) << read.error().message();
}

TEST(CompressedGltf, MutationsOfAWholeFileNeverCrash) {
  const LikeGltfpack packed(plain_document(make::make_hand({.vertices = 200, .bones = false}).value()));
  const Bytes glb = Sketch::glb_of(packed.root().dump(), packed.bytes());
  ASSERT_TRUE(read_glb(glb));
  Rng rng(5);
  std::size_t refused = 0;
  for (int round = 0; round < 150; ++round) {
    Bytes bad = glb;
    for (int n = 0; n < 4; ++n)
      bad[20 + rng.below(static_cast<std::uint32_t>(bad.size() - 20))] = static_cast<std::byte>(rng.next());
    if (!read_glb(bad)) ++refused;
  }
  EXPECT_GT(refused, 50u);
}

#endif
#ifdef SUPPLE_HAS_DRACO

/// The surface of a part as points that can be looked up: Draco numbers vertices anew.
double farthest_from_any(const Part& from, const Part& of) {
  double worst = 0;
  for (const Vec3f& p : from.mesh.positions) {
    double nearest = 1e30;
    for (const Vec3f& q : of.mesh.positions) nearest = std::min(nearest, squared_length(Vec3d(p) - Vec3d(q)));
    worst = std::max(worst, nearest);
  }
  return std::sqrt(worst);
}

TEST(CompressedGltf, ReadsWhatDracoWrites) {
  const gltf::Document source = plain_document(small_hand());
  const Character original = gltf::to_character(source).value().character;
  for (const bool sequential : {false, true}) {
    const gltf::Document packed = draco_document(source, {.sequential = sequential});
    ASSERT_FALSE(packed.buffers.empty());
    const Bytes glb = gltf::to_glb(packed).value();
    EXPECT_LT(glb.size(), gltf::to_glb(source).value().size());
    const auto read = read_glb(glb);
    ASSERT_TRUE(read) << read.error().message();
    Pose pose = original.rest(), same_pose = read->character.rest();
    sample(original.clips[0], 2, pose);
    sample(read->character.clips[0], 2, same_pose);
    const Character a = posed_surfaces(original, pose).value(), b = posed_surfaces(read->character, same_pose).value();
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      EXPECT_EQ(a.parts[p].mesh.triangles.size(), b.parts[p].mesh.triangles.size());
      ASSERT_EQ(a.parts[p].mesh.positions.size(), b.parts[p].mesh.positions.size());
      // Positions have 14 bits of a box of the part's size; weights are exact.
      const double step = bounds(original.parts[p].mesh.positions).diagonal() / 16383;
      EXPECT_LE(farthest_from_any(b.parts[p], a.parts[p]), step);
      EXPECT_LE(farthest_from_any(a.parts[p], b.parts[p]), step);
    }
    const auto plain = gltf::to_glb(gltf::parse_document(glb, "packed.glb").value());
    EXPECT_EQ(gltf::parse_document(*plain, "plain.glb")->root.dump().find("draco"), std::string::npos);
  }
}

TEST(CompressedGltf, DracoBesidePlainDataIsNotNeeded) {
  const gltf::Document source = plain_document(small_hand());
  gltf::Document packed = draco_document(source);
  packed.root["accessors"] = source.root["accessors"];  // exporters may write both
  packed.root.erase("extensionsRequired");
  const auto read = read_glb(gltf::to_glb(packed).value());
  ASSERT_TRUE(read) << read.error().message();
  expect_same(gltf::to_character(source)->character, read->character);
}

TEST(CompressedGltf, DamagedDracoIsNamed) {
  const gltf::Document packed = draco_document(plain_document(small_hand()));
  const auto read = [&](const std::function<void(gltf::Document&, Json&)>& change) {
    gltf::Document bad = packed;
    change(bad, bad.root["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]);
    return read_glb(gltf::to_glb(bad).value());
  };
  const auto stream_begin = [&](gltf::Document& d, Json& e) {
    return d.buffers[0].begin() + d.root["bufferViews"][e["bufferView"].get<std::size_t>()]["byteOffset"].get<long>();
  };
  ASSERT_TRUE(read([](gltf::Document&, Json&) {}));
  const std::pair<const char*, std::function<void(gltf::Document&, Json&)>> lies[] = {
      {"KHR_draco_mesh_compression", [&](gltf::Document& d, Json& e) { *stream_begin(d, e) = std::byte{'X'}; }},
      {"bitstream", [&](gltf::Document& d, Json& e) { stream_begin(d, e)[5] = std::byte{9}; }},
      {"damaged", [&](gltf::Document& d, Json& e) { std::fill_n(stream_begin(d, e) + 20, 300, std::byte{0xff}); }},
      {"no attribute", [](gltf::Document&, Json& e) { e["attributes"]["POSITION"] = 77; }},
      {"attributes", [](gltf::Document&, Json& e) { e["attributes"] = Json::object(); }},
      {"TANGENT", [](gltf::Document&, Json& e) { e["attributes"]["TANGENT"] = 0; }},
      {"bufferView", [](gltf::Document&, Json& e) { e["bufferView"] = 999; }},
      {"vertices", [](gltf::Document& d, Json&) { d.root["accessors"][0]["count"] = 20; }},
      {"triangles", [](gltf::Document& d, Json&) { d.root["accessors"][0]["count"] = 4000000000u; }},
      {"triangles",
       [](gltf::Document& d, Json&) {
         d.root["accessors"][d.root["meshes"][0]["primitives"][0]["indices"].get<std::size_t>()]["count"] = 30;
       }},
  };
  for (const auto& [named, change] : lies) {
    const auto refused = read(change);
    ASSERT_FALSE(refused) << named;
    EXPECT_NE(refused.error().message().find(named), std::string::npos) << refused.error().message();
  }
  // A header that claims more triangles than the accessor has is refused before anything is decoded.
  Rng rng(6);
  for (int round = 0; round < 60; ++round) {
    const auto ignored = read([&](gltf::Document& d, Json& e) {
      for (int n = 0; n < 3; ++n) stream_begin(d, e)[11 + rng.below(400)] = static_cast<std::byte>(rng.next());
    });
    EXPECT_TRUE(ignored || !ignored.error().problem.empty());
  }
}

#else

TEST(CompressedGltf, DracoIsRefusedByNameWhereItIsNotBuiltIn) {
  Sketch sketch = triangle_sketch();
  sketch.root["extensionsRequired"] = sketch.root["extensionsUsed"] = {"KHR_draco_mesh_compression"};
  const auto read = sketch.read();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("KHR_draco_mesh_compression"), std::string::npos) << read.error().message();
  EXPECT_NE(read.error().remedy.find("SUPPLE_DRACO"), std::string::npos);
}

#endif

TEST(CompressedGltf, CompressedTexturesPassThrough) {
  Sketch sketch = triangle_sketch();
  const std::size_t picture = sketch.view<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8});
  sketch.root["images"] = Json::array(
      {{{"bufferView", picture}, {"mimeType", "image/ktx2"}}, {{"bufferView", picture}, {"mimeType", "image/webp"}}});
  const Json basisu = {{"KHR_texture_basisu", {{"source", 0}}}}, webp = {{"EXT_texture_webp", {{"source", 1}}}};
  sketch.root["textures"] = Json::array({{{"extensions", basisu}}, {{"extensions", webp}}});
  const Json moved = {{"KHR_texture_transform", {{"scale", {2, 2}}}}};
  sketch.root["materials"] =
      Json::array({{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}, {"extensions", moved}}}}}}});
  sketch.root["extensionsUsed"] =
      sketch.root["extensionsRequired"] = {"KHR_texture_basisu", "EXT_texture_webp", "KHR_texture_transform"};
  const auto document = sketch.parse();
  ASSERT_TRUE(document) << document.error().message();
  const auto again = gltf::parse_document(gltf::to_glb(*document).value(), "again.glb");
  ASSERT_TRUE(again);
  for (const auto key : {"images", "textures", "materials", "extensionsUsed", "extensionsRequired"}) {
    Json before = document->root[key], after = again->root[key];
    if (std::string(key) == "images") {
      for (Json* images : {&before, &after}) (*images)[0].erase("bufferView"), (*images)[1].erase("bufferView");
    }
    EXPECT_EQ(before, after) << key;
  }
}

TEST(CompressedGltf, WhatIsNotKnownIsRefusedByName) {
  Sketch sketch = triangle_sketch();
  sketch.root["extensionsRequired"] = {"EXT_mesh_gpu_instancing"};
  const auto read = sketch.read();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message().find("EXT_mesh_gpu_instancing"), std::string::npos);
  EXPECT_FALSE(read.error().remedy.empty());
}

}  // namespace
}  // namespace supple::test
