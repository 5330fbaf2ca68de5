// Broken, lying and hostile files give an error that names the item, and never a crash.
#include <gtest/gtest.h>

#include <limits>

#include "files/gltf_support.h"
#include "supple/base/rng.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

/// A change of one place of broken_base(): the value is JSON, or "" to take the place away.
struct Broken {
  const char *what, *place, *value;
  const char* item;  // part of the message
};

/// skinned_sketch() with spare accessors and views that only the damages refer to.
Sketch broken_base() {
  Sketch s = skinned_sketch();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  s.floats({0, 0, 1, 0, 0, 1}, "VEC3", 2);                          // accessor 6
  s.accessor<std::uint16_t>({0, 1, 3}, gltf::uint16, "SCALAR", 3);  // 7
  s.accessor<std::uint16_t>({0, 1}, gltf::uint16, "SCALAR", 2);     // 8
  s.floats({0, 1, 2}, "SCALAR", 3);                                 // 9
  s.floats({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,         // 10
            1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
           "MAT4", 2);
  s.accessor<std::uint8_t>({0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}, gltf::uint8, "VEC4", 3);  // 11
  s.floats({1, 1}, "SCALAR", 2);                                                           // 12
  s.floats({0, nan}, "SCALAR", 2);                                                         // 13
  s.floats({0, 0, 0, 1, 0, 0, nan, 1}, "VEC4", 2);                                         // 14
  s.floats({0, 0, 0, 1, nan, 0, 0, 1, 0}, "VEC3", 3);                                      // 15
  s.view<std::uint32_t>({7});                                                              // view 16
  s.view<float>({1, 2, 3, 4, 5, 6});                                                       // 17
  s.view<std::uint8_t>({1, 1});                                                            // 18
  return s;
}

#define PRIMITIVE "/meshes/0/primitives/0"
#define SAMPLER "/animations/0/samplers/0"
#define CHANNEL "/animations/0/channels/0"

constexpr Broken broken_documents[] = {
    {"no asset", "/asset", "", "asset"},
    {"asset is a string", "/asset", R"("2.0")", "asset"},
    {"version 1", "/asset/version", R"("1.0")", "asset.version"},
    {"minimum version 2.1", "/asset/minVersion", R"("2.1")", "asset.minVersion"},
    {"extensions that are no list", "/extensionsUsed", R"("EXT_meshopt_compression")", "extensionsUsed"},
    {"unknown required extension", "/extensionsRequired", R"(["ACME_all"])", "ACME_all"},
    {"accessors is an object", "/accessors", R"({})", ""},
    {"node is a number", "/nodes/1", R"(5)", "nodes[1]"},
    {"name is a number", "/nodes/1/name", R"(5)", "nodes[1].name"},
    {"buffer longer than its chunk", "/buffers", R"([{"byteLength":1048576}])", "buffers[0]"},
    {"buffer without length", "/buffers", R"([{}])", "buffers[0]"},
    {"second buffer without data", "/buffers", R"([{"byteLength":4},{"byteLength":4}])", "buffers[1]"},
    {"buffer outside the folder", "/buffers", R"([{"byteLength":4,"uri":"../../etc/passwd"}])", "buffers[0].uri"},
    {"buffer outside, escaped", "/buffers", R"([{"byteLength":4,"uri":"a/%2e%2e/%2e%2e/b"}])", "buffers[0].uri"},
    {"buffer at an absolute path", "/buffers", R"([{"byteLength":4,"uri":"/etc/passwd"}])", "buffers[0].uri"},
    {"buffer on the web", "/buffers", R"([{"byteLength":4,"uri":"https://example.org/a.bin"}])", "buffers[0].uri"},
    {"buffer file missing", "/buffers", R"([{"byteLength":4,"uri":"none.bin"}])", "none.bin"},
    {"buffer not base64", "/buffers", R"([{"byteLength":4,"uri":"data:;base64,A*AA"}])", "buffers[0].uri"},
    {"buffer data cut short", "/buffers", R"([{"byteLength":400,"uri":"data:;base64,AAAA"}])", "buffers[0]"},
    {"view of no buffer", "/bufferViews/0/buffer", R"(3)", "bufferViews[0].buffer"},
    {"view past the end", "/bufferViews/0/byteLength", R"(1048576)", "bufferViews[0]"},
    {"view offset that overflows", "/bufferViews/0/byteOffset", R"(18446744073709551615)", "bufferViews[0].byteOffset"},
    {"negative view offset", "/bufferViews/0/byteOffset", R"(-4)", "bufferViews[0].byteOffset"},
    {"odd stride", "/bufferViews/0/byteStride", R"(13)", "bufferViews[0].byteStride"},
    {"stride below the element", "/bufferViews/0/byteStride", R"(8)", "accessors[0]"},
    {"accessor of no view", "/accessors/0/bufferView", R"(99)", "accessors[0].bufferView"},
    {"huge accessor", "/accessors/0/count", R"(4000000000)", "accessors[0]"},
    {"accessor whose size overflows", "/accessors/0/count", R"(4611686018427387904)", "accessors[0].count"},
    {"huge accessor without data", "/accessors/0", R"({"componentType":5126,"type":"VEC3","count":4000000000})",
     "accessors[0].count"},
    {"empty accessor", "/accessors/0/count", R"(0)", "accessors[0].count"},
    {"fractional count", "/accessors/0/count", R"(2.5)", "accessors[0].count"},
    {"misaligned accessor", "/accessors/0",
     R"({"bufferView":0,"byteOffset":2,"componentType":5126,"type":"VEC3","count":2})", "accessors[0].byteOffset"},
    {"unknown component type", "/accessors/0/componentType", R"(5124)", "accessors[0].componentType"},
    {"unknown type", "/accessors/0/type", R"("VEC5")", "accessors[0].type"},
    {"sparse index out of range", "/accessors/0/sparse",
     R"({"count":1,"indices":{"bufferView":16,"componentType":5125},"values":{"bufferView":17}})",
     "accessors[0].sparse.indices"},
    {"sparse indices that do not increase", "/accessors/0/sparse",
     R"({"count":2,"indices":{"bufferView":18,"componentType":5121},"values":{"bufferView":17}})",
     "accessors[0].sparse.indices"},
    {"more sparse elements than data", "/accessors/0/sparse",
     R"({"count":3,"indices":{"bufferView":18,"componentType":5121},"values":{"bufferView":17}})",
     "accessors[0].sparse"},
    {"sparse without values", "/accessors/0/sparse", R"({"count":1,"indices":{"bufferView":18,"componentType":5121}})",
     "accessors[0].sparse.values"},
    {"attribute without accessor", PRIMITIVE "/attributes/NORMAL", R"(99)", "attributes.NORMAL"},
    {"primitive without attributes", PRIMITIVE "/attributes", "", "attributes"},
    {"mesh without primitives", "/meshes/0/primitives", R"([])", "meshes[0].primitives"},
    {"no such mode", PRIMITIVE "/mode", R"(7)", "mode"},
    {"positions of two numbers", "/accessors/0/type", R"("VEC2")", "accessors[0]"},
    {"NaN position", PRIMITIVE "/attributes/POSITION", R"(15)", "vertex 1"},
    {"attribute counts differ", PRIMITIVE "/attributes/NORMAL", R"(6)", "NORMAL"},
    {"triangle names a missing vertex", PRIMITIVE "/indices", R"(7)", "names vertex 3"},
    {"corners not a multiple of three", PRIMITIVE "/indices", R"(8)", "multiple of 3"},
    {"float indices", PRIMITIVE "/indices", R"(9)", "componentType"},
    {"node of no mesh", "/nodes/0/mesh", R"(1)", "nodes[0].mesh"},
    {"node of no skin", "/nodes/0/skin", R"(1)", "nodes[0].skin"},
    {"node is its own child", "/nodes/1/children", R"([1])", "nodes[1]"},
    {"nodes in a cycle", "/nodes/2/children", R"([1])", "cycle"},
    {"two parents", "/nodes/0/children", R"([2])", "nodes[2]"},
    {"missing child", "/nodes/1/children", R"([12])", "nodes[1].children[0]"},
    {"matrix of nine", "/nodes/1/matrix", R"([1,0,0,0,1,0,0,0,1])", "nodes[1].matrix"},
    {"projective matrix", "/nodes/1/matrix", R"([1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1])", "nodes[1].matrix"},
    {"infinite translation", "/nodes/1/translation", R"([1e300,0,0])", "nodes[1].translation"},
    {"rotation of length zero", "/nodes/1/rotation", R"([0,0,0,0])", "hip"},
    {"joint of no node", "/skins/0/joints", R"([1,9])", "skins[0].joints[1]"},
    {"skin without joints", "/skins/0/joints", R"([])", "skins[0].joints"},
    {"too few inverse binds", "/skins/0/joints", R"([1,2,0])", "skins[0]"},
    {"singular inverse bind", "/skins/0/inverseBindMatrices", R"(10)", "knee"},
    {"joint number out of range", PRIMITIVE "/attributes/JOINTS_0", R"(11)", "vertex 2"},
    {"times that stand still", SAMPLER "/input", R"(12)", "animations[0].samplers[0].input"},
    {"NaN time", SAMPLER "/input", R"(13)", "animations[0].samplers[0].input"},
    {"wrong number of keys", SAMPLER "/interpolation", R"("CUBICSPLINE")", "animations[0].samplers[0]"},
    {"NaN key", SAMPLER "/output", R"(14)", "not finite"},
    {"no such interpolation", SAMPLER "/interpolation", R"("BEZIER")", "BEZIER"},
    {"channel without sampler", CHANNEL "/sampler", R"(4)", "animations[0].channels[0].sampler"},
    {"channel of no node", CHANNEL "/target/node", R"(44)", "animations[0].channels[0].target.node"},
    {"morph weights that do not fit", "/meshes/0",
     R"({"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}],"weights":[1,2]})",
     "meshes[0].weights"},
    {"scene of no node", "/scenes/0/nodes", R"([77])", "scenes[0].nodes[0]"},
    {"texture of no image", "/textures", R"([{"source":0}])", "textures[0].source"},
    {"material of no texture", "/materials", R"([{"normalTexture":{"index":0}}])", "materials[0].normalTexture.index"},
    {"DOF without axis", "/nodes/1/extras", R"({"supple":{"dofs":[{"name":"x"}]}})",
     "nodes[1].extras.supple.dofs[0].axis"},
};

/// Sets or erases what stands at a path such as "/nodes/1/extras".
void damage(Sketch& sketch, const Broken& broken) {
  Json* at = &sketch.root;
  std::string_view rest = broken.place;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string key(rest.substr(0, rest.find('/')));
    rest.remove_prefix(key.size());
    const bool erase = rest.empty() && broken.value[0] == '\0';
    if (at->is_array()) {
      const std::size_t place = key == "-" ? at->size() : std::stoul(key);
      erase ? at->erase(place) : static_cast<void>(at = &(*at)[place]);
    } else {
      erase ? at->erase(key) : static_cast<void>(at = &(*at)[key]);
    }
    if (erase) return;
  }
  *at = Json::parse(broken.value);
}

TEST(GltfBroken, EveryDamageIsNamed) {
  ASSERT_TRUE(broken_base().read()) << broken_base().read().error().message();
  for (const Broken& broken : broken_documents) {
    SCOPED_TRACE(broken.what);
    Sketch sketch = broken_base();
    damage(sketch, broken);
    const auto read = sketch.read();
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message().find(broken.item), std::string::npos) << read.error().message();
    EXPECT_EQ(read.error().item.find("sketch.glb"), 0u) << "names the file: " << read.error().message();
  }
  std::printf("%zu kinds of damage\n", std::size(broken_documents));
  EXPECT_GE(std::size(broken_documents), 70u);
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
