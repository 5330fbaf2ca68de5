// Broken, lying and hostile files give an error that names the item, and never a crash.
#include <functional>

#include "exchange/gltf_support.h"
#include "supple/base/rng.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

using gltf::Json;

struct Broken {
  const char* what;
  std::function<void(Sketch&)> damage;
  const char* item;  // part of the message
};

Json& primitive(Sketch& s) { return s.root["meshes"][0]["primitives"][0]; }
Json& accessor_of(Sketch& s, const char* semantic) {
  return s.root["accessors"][primitive(s)["attributes"][semantic].get<std::size_t>()];
}

const float not_a_number = std::numeric_limits<float>::quiet_NaN();

const std::vector<Broken> broken_documents{
    {"no asset", [](Sketch& s) { s.root.erase("asset"); }, "asset"},
    {"asset is a string", [](Sketch& s) { s.root["asset"] = "2.0"; }, "asset"},
    {"version 1", [](Sketch& s) { s.root["asset"]["version"] = "1.0"; }, "asset.version"},
    {"minimum version 2.1", [](Sketch& s) { s.root["asset"]["minVersion"] = "2.1"; }, "asset.minVersion"},
    {"compressed by Draco", [](Sketch& s) { s.root["extensionsRequired"] = {"KHR_draco_mesh_compression"}; },
     "KHR_draco"},
    {"compressed by meshopt", [](Sketch& s) { s.root["extensionsRequired"] = {"EXT_meshopt_compression"}; },
     "EXT_meshopt"},
    {"unknown required extension", [](Sketch& s) { s.root["extensionsRequired"] = {"ACME_all"}; }, "ACME_all"},
    {"accessors is an object", [](Sketch& s) { s.root["accessors"] = Json::object(); }, ""},
    {"node is a number", [](Sketch& s) { s.root["nodes"][1] = 5; }, "nodes[1]"},
    {"buffer longer than its chunk",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 1 << 20}}});
     },
     "buffers[0]"},
    {"buffer without length", [](Sketch& s) { s.root["buffers"] = Json::array({Json::object()}); }, "buffers[0]"},
    {"second buffer without data",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", s.bytes.size()}}, {{"byteLength", 4}}});
     },
     "buffers[1]"},
    {"buffer outside the folder",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "../../etc/passwd"}}});
     },
     "buffers[0].uri"},
    {"buffer outside, escaped",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "a/%2e%2e/%2e%2e/b"}}});
     },
     "buffers[0].uri"},
    {"buffer at an absolute path",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "/etc/passwd"}}});
     },
     "buffers[0].uri"},
    {"buffer on the web",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "https://example.org/a.bin"}}});
     },
     "buffers[0].uri"},
    {"buffer file missing",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "none.bin"}}});
     },
     "none.bin"},
    {"buffer not base64",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 4}, {"uri", "data:;base64,A*AA"}}});
     },
     "buffers[0].uri"},
    {"buffer data cut short",
     [](Sketch& s) {
       s.root["buffers"] = Json::array({{{"byteLength", 400}, {"uri", "data:;base64,AAAA"}}});
     },
     "buffers[0]"},
    {"view of no buffer", [](Sketch& s) { s.root["bufferViews"][0]["buffer"] = 3; }, "bufferViews[0].buffer"},
    {"view past the end", [](Sketch& s) { s.root["bufferViews"][0]["byteLength"] = 1 << 20; }, "bufferViews[0]"},
    {"view offset that overflows", [](Sketch& s) { s.root["bufferViews"][0]["byteOffset"] = 18446744073709551615u; },
     "bufferViews[0].byteOffset"},
    {"negative view offset", [](Sketch& s) { s.root["bufferViews"][0]["byteOffset"] = -4; },
     "bufferViews[0].byteOffset"},
    {"odd stride", [](Sketch& s) { s.root["bufferViews"][0]["byteStride"] = 13; }, "bufferViews[0].byteStride"},
    {"stride below the element", [](Sketch& s) { s.root["bufferViews"][0]["byteStride"] = 8; }, "accessors[0]"},
    {"accessor of no view", [](Sketch& s) { s.root["accessors"][0]["bufferView"] = 99; }, "accessors[0].bufferView"},
    {"huge accessor", [](Sketch& s) { s.root["accessors"][0]["count"] = 4000000000u; }, "accessors[0]"},
    {"accessor whose size overflows", [](Sketch& s) { s.root["accessors"][0]["count"] = std::uint64_t{1} << 62; },
     "accessors[0].count"},
    {"huge accessor without data",
     [](Sketch& s) {
       s.root["accessors"][0] = {{"componentType", 5126}, {"type", "VEC3"}, {"count", 4000000000u}};
     },
     "accessors[0].count"},
    {"empty accessor", [](Sketch& s) { s.root["accessors"][0]["count"] = 0; }, "accessors[0].count"},
    {"fractional count", [](Sketch& s) { s.root["accessors"][0]["count"] = 2.5; }, "accessors[0].count"},
    {"misaligned accessor",
     [](Sketch& s) { s.root["accessors"][0]["byteOffset"] = 2, s.root["accessors"][0]["count"] = 2; },
     "accessors[0].byteOffset"},
    {"unknown component type", [](Sketch& s) { s.root["accessors"][0]["componentType"] = 5124; },
     "accessors[0].componentType"},
    {"unknown type", [](Sketch& s) { s.root["accessors"][0]["type"] = "VEC5"; }, "accessors[0].type"},
    {"sparse index out of range",
     [](Sketch& s) {
       const std::size_t i = s.view<std::uint32_t>({7}), v = s.view<float>({1, 2, 3});
       s.root["accessors"][0]["sparse"] = {
           {"count", 1}, {"indices", {{"bufferView", i}, {"componentType", 5125}}}, {"values", {{"bufferView", v}}}};
     },
     "accessors[0].sparse.indices"},
    {"sparse indices that do not increase",
     [](Sketch& s) {
       const std::size_t i = s.view<std::uint8_t>({1, 1}), v = s.view<float>({1, 2, 3, 4, 5, 6});
       s.root["accessors"][0]["sparse"] = {
           {"count", 2}, {"indices", {{"bufferView", i}, {"componentType", 5121}}}, {"values", {{"bufferView", v}}}};
     },
     "accessors[0].sparse.indices"},
    {"more sparse elements than data",
     [](Sketch& s) {
       const std::size_t i = s.view<std::uint8_t>({1}), v = s.view<float>({1, 2, 3});
       s.root["accessors"][0]["sparse"] = {
           {"count", 3}, {"indices", {{"bufferView", i}, {"componentType", 5121}}}, {"values", {{"bufferView", v}}}};
     },
     "accessors[0].sparse"},
    {"attribute without accessor", [](Sketch& s) { primitive(s)["attributes"]["NORMAL"] = 99; }, "attributes.NORMAL"},
    {"primitive without attributes", [](Sketch& s) { primitive(s).erase("attributes"); }, "attributes"},
    {"mesh without primitives", [](Sketch& s) { s.root["meshes"][0]["primitives"] = Json::array(); },
     "meshes[0].primitives"},
    {"no such mode", [](Sketch& s) { primitive(s)["mode"] = 7; }, "mode"},
    {"positions of two numbers", [](Sketch& s) { accessor_of(s, "POSITION")["type"] = "VEC2"; }, "accessors[0]"},
    {"NaN position", [](Sketch& s) { std::memcpy(s.bytes.data() + 16, &not_a_number, 4); }, "vertex 1"},
    {"attribute counts differ",
     [](Sketch& s) {
       primitive(s)["attributes"]["NORMAL"] = s.floats({0, 0, 1, 0, 0, 1}, "VEC3", 2);
     },
     "NORMAL"},
    {"triangle names a missing vertex",
     [](Sketch& s) {
       primitive(s)["indices"] = s.accessor<std::uint16_t>({0, 1, 3}, gltf::uint16, "SCALAR", 3);
     },
     "names vertex 3"},
    {"corners not a multiple of three",
     [](Sketch& s) {
       primitive(s)["indices"] = s.accessor<std::uint16_t>({0, 1}, gltf::uint16, "SCALAR", 2);
     },
     "multiple of 3"},
    {"float indices",
     [](Sketch& s) {
       primitive(s)["indices"] = s.floats({0, 1, 2}, "SCALAR", 3);
     },
     "componentType"},
    {"node of no mesh", [](Sketch& s) { s.root["nodes"][0]["mesh"] = 1; }, "nodes[0].mesh"},
    {"node of no skin", [](Sketch& s) { s.root["nodes"][0]["skin"] = 1; }, "nodes[0].skin"},
    {"node is its own child", [](Sketch& s) { s.root["nodes"][1]["children"] = {1}; }, "nodes[1]"},
    {"nodes in a cycle", [](Sketch& s) { s.root["nodes"][2]["children"] = {1}; }, "cycle"},
    {"two parents", [](Sketch& s) { s.root["nodes"][0]["children"] = {2}; }, "nodes[2]"},
    {"missing child", [](Sketch& s) { s.root["nodes"][1]["children"] = {12}; }, "nodes[1].children[0]"},
    {"matrix of nine", [](Sketch& s) { s.root["nodes"][1]["matrix"] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; },
     "nodes[1].matrix"},
    {"projective matrix",
     [](Sketch& s) { s.root["nodes"][1]["matrix"] = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; },
     "nodes[1].matrix"},
    {"infinite translation",
     [](Sketch& s) {
       s.root["nodes"][1]["translation"] = {1e300, 0, 0};
     },
     "nodes[1].translation"},
    {"rotation of length zero",
     [](Sketch& s) {
       s.root["nodes"][1]["rotation"] = {0, 0, 0, 0};
     },
     "hip"},
    {"joint of no node",
     [](Sketch& s) {
       s.root["skins"][0]["joints"] = {1, 9};
     },
     "skins[0].joints[1]"},
    {"skin without joints", [](Sketch& s) { s.root["skins"][0]["joints"] = Json::array(); }, "skins[0].joints"},
    {"too few inverse binds",
     [](Sketch& s) {
       s.root["skins"][0]["joints"] = {1, 2, 0};
     },
     "skins[0]"},
    {"singular inverse bind",
     [](Sketch& s) {
       s.root["skins"][0]["inverseBindMatrices"] = s.floats(
           {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "MAT4", 2);
     },
     "knee"},
    {"joint number out of range",
     [](Sketch& s) {
       primitive(s)["attributes"]["JOINTS_0"] =
           s.accessor<std::uint8_t>({0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, gltf::uint8, "VEC4", 3);
     },
     "vertex 2"},
    {"times that stand still",
     [](Sketch& s) {
       s.root["animations"][0]["samplers"][0]["input"] = s.floats({1, 1}, "SCALAR", 2);
     },
     "animations[0].samplers[0].input"},
    {"NaN time",
     [](Sketch& s) {
       s.root["animations"][0]["samplers"][0]["input"] = s.floats({0, not_a_number}, "SCALAR", 2);
     },
     "animations[0].samplers[0].input"},
    {"wrong number of keys", [](Sketch& s) { s.root["animations"][0]["samplers"][0]["interpolation"] = "CUBICSPLINE"; },
     "animations[0].samplers[0]"},
    {"NaN key",
     [](Sketch& s) {
       s.root["animations"][0]["samplers"][0]["output"] = s.floats({0, 0, 0, 1, 0, 0, not_a_number, 1}, "VEC4", 2);
     },
     "not finite"},
    {"no such interpolation", [](Sketch& s) { s.root["animations"][0]["samplers"][0]["interpolation"] = "BEZIER"; },
     "BEZIER"},
    {"channel without sampler", [](Sketch& s) { s.root["animations"][0]["channels"][0]["sampler"] = 4; },
     "animations[0].channels[0].sampler"},
    {"channel of no node", [](Sketch& s) { s.root["animations"][0]["channels"][0]["target"]["node"] = 44; },
     "animations[0].channels[0].target.node"},
    {"morph weights that do not fit",
     [](Sketch& s) {
       primitive(s)["targets"] = Json::array({{{"POSITION", 0}}}), s.root["meshes"][0]["weights"] = {1, 2};
     },
     "meshes[0].weights"},
    {"scene of no node", [](Sketch& s) { s.root["scenes"][0]["nodes"] = {77}; }, "scenes[0].nodes[0]"},
    {"texture of no image",
     [](Sketch& s) {
       s.root["textures"] = Json::array({{{"source", 0}}});
     },
     "textures[0].source"},
    {"DOF without axis",
     [](Sketch& s) {
       s.root["nodes"][1]["extras"] = {{"supple", {{"dofs", {{{"name", "x"}}}}}}};
     },
     "nodes[1].extras.supple.dofs[0].axis"},
};

TEST(GltfBroken, EveryDamageIsNamed) {
  ASSERT_TRUE(skinned_sketch().read()) << skinned_sketch().read().error().message();
  for (const Broken& broken : broken_documents) {
    SCOPED_TRACE(broken.what);
    Sketch sketch = skinned_sketch();
    broken.damage(sketch);
    const auto read = sketch.read();
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message().find(broken.item), std::string::npos) << read.error().message();
    EXPECT_EQ(read.error().item.find("sketch.glb"), 0u) << "names the file: " << read.error().message();
  }
  std::printf("%zu kinds of damage\n", broken_documents.size());
  EXPECT_GE(broken_documents.size(), 60u);
}

Result<gltf::Imported> read_bytes(std::span<const std::byte> bytes) {
  auto document = gltf::parse_document(bytes, "damaged.glb");
  if (!document) return document.error();
  return gltf::to_character(*document);
}

TEST(GltfBroken, TruncatedAnywhere) {
  const Bytes small = skinned_sketch().glb();
  for (std::size_t n = 0; n < small.size(); ++n) EXPECT_FALSE(read_bytes(std::span(small).first(n))) << n;
  const auto path = shared_data("gltf_khronos/RiggedSimple.glb");
  SUPPLE_REQUIRE_DATA(path);
  const Bytes real = *read_file(path);
  ASSERT_TRUE(read_bytes(real));
  for (std::size_t n = 0; n < real.size(); n += 37) EXPECT_FALSE(read_bytes(std::span(real).first(n))) << n;
}

TEST(GltfBroken, LyingHeaders) {
  const Bytes good = skinned_sketch().glb();
  const auto with_word = [&](std::size_t offset, std::uint32_t word) {
    Bytes bad = good;
    std::memcpy(bad.data() + offset, &word, 4);
    return read_bytes(bad);
  };
  std::uint32_t json_size = 0;
  std::memcpy(&json_size, good.data() + 12, 4);
  const std::size_t bin = 20 + json_size;
  EXPECT_TRUE(with_word(4, 2));
  EXPECT_FALSE(with_word(0, 0x12345678)) << "magic";
  EXPECT_FALSE(with_word(4, 1)) << "version";
  EXPECT_FALSE(with_word(8, static_cast<std::uint32_t>(good.size() + 4))) << "longer than the file";
  EXPECT_FALSE(with_word(8, static_cast<std::uint32_t>(good.size() - 4))) << "shorter than the file";
  for (const std::size_t at : {std::size_t{12}, bin}) {
    EXPECT_FALSE(with_word(at, 0xffffffffu));
    EXPECT_FALSE(with_word(at, 0x7ffffffcu));
    EXPECT_FALSE(with_word(at, 0u));
  }
  EXPECT_FALSE(with_word(16, 0x004E4942)) << "the binary chunk first";
  EXPECT_FALSE(with_word(bin + 4, 0x4E4F534A)) << "a second JSON chunk in place of the data";
}

TEST(GltfBroken, NestedBombsAndBadText) {
  const auto parse = [](const std::string& text) {
    return gltf::parse_document(std::as_bytes(std::span(text)), "text.gltf");
  };
  EXPECT_FALSE(parse(std::string(1000000, '[')));
  std::string bomb = R"({"asset":{"version":"2.0"},"extras":)";
  for (int i = 0; i < 100000; ++i) bomb += "{\"a\":";
  EXPECT_FALSE(parse(bomb));
  EXPECT_FALSE(parse(bomb + "1" + std::string(100001, '}')));
  for (const auto text : {"", " ", "null", "[]", "3", "\"asset\"", "{\"asset\":{\"version\":\"2.0\"}",
                          "{\"asset\":{\"version\":\"2.\xff\"}}", "{\"asset\":{\"version\":2.0}}",
                          "{\"asset\":{\"version\":\"2.0\"},\"nodes\":1e999}", "glTF", "not glTF at all"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
  EXPECT_TRUE(parse(R"({"asset":{"version":"2.0"}})")) << "the least there is";
}

TEST(GltfBroken, MutationsNeverCrash) {
  const Bytes good = skinned_sketch().glb();
  const Bytes rich = *gltf::to_glb(*gltf::to_document(small_character()));
  Rng rng(20240607);
  std::size_t survived = 0;
  constexpr std::size_t mutations = 3000;
  for (std::size_t i = 0; i < mutations; ++i) {
    Bytes bad = i % 2 == 0 ? good : rich;
    const std::uint32_t changes = 1 + rng.below(4);
    for (std::uint32_t c = 0; c < changes; ++c) {
      // Past the lengths, so that most mutations reach the parser; digits half of the time, since numbers are what
      // hurts.
      const std::size_t at = 20 + rng.below(static_cast<std::uint32_t>(bad.size() - 20));
      const bool is_digit = bad[at] >= std::byte{'0'} && bad[at] <= std::byte{'9'};
      bad[at] = is_digit && rng.below(2) == 0 ? static_cast<std::byte>('0' + rng.below(10))
                                              : static_cast<std::byte>(rng.below(256));
    }
    if (const auto read = read_bytes(bad)) {
      ++survived;
      const auto document = gltf::to_document(read->character);
      EXPECT_TRUE(!document || gltf::to_glb(*document).ok());
    }
  }
  std::printf("%zu of %zu mutated files still read\n", survived, mutations);
  EXPECT_GT(survived, mutations / 50) << "mutations should reach the reader";
  EXPECT_LT(survived, mutations);
}

}  // namespace
}  // namespace supple::test
