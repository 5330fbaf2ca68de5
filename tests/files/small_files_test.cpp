// Small files that claim much: refused, or read with time and memory in proportion to their size.
#include <gtest/gtest.h>

#include "files/gltf_support.h"
#include "supple/files/bvh.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/volume_mesh.h"
#include "support/limited.h"

namespace supple::test {
namespace {

std::string document_text(const std::string& members) { return R"({"asset":{"version":"2.0"},)" + members + "}"; }

std::string repeated(std::size_t count, const std::function<std::string(std::size_t)>& item) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += (i > 0 ? "," : "") + item(i);
  return "[" + list + "]";
}

Result<gltf::Imported> read_gltf(const std::string& text) {
  const auto document = gltf::parse_document(std::as_bytes(std::span(text)), "small.gltf");
  if (!document) return document.error();
  return gltf::to_character(*document);
}

std::string numbers(std::size_t count) { return std::to_string(count); }

constexpr const char* triangle_buffer =  // three positions and two times, as a buffer
    R"("buffers":[{"byteLength":44,"uri":"data:application/octet-stream;base64,)"
    R"(AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8="}],)"
    R"("bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":8}],)"
    R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
    R"({"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR"}])";

TEST(SmallFiles, AccessorsWithoutDataCannotClaimMoreThanTheFileCouldUse) {
  const auto text = [](const std::string& count, std::size_t meshes) {
    return document_text(R"("accessors":[{"componentType":5126,"count":)" + count + R"(,"type":"VEC3"}],"meshes":)" +
                         repeated(meshes, [](auto) { return R"({"primitives":[{"attributes":{"POSITION":0}}]})"; }) +
                         R"(,"nodes":)" + repeated(meshes, [](auto i) { return R"({"mesh":)" + numbers(i) + "}"; }));
  };
  expect_within(100,
                [&] { return refused_with(read_gltf(text("16777216", 10)), "elements without data are too many"); });
  // below that limit, many of them
  expect_within(500, [&] { return refused_with(read_gltf(text("999999", 100)), "take more than 128 MB"); });
  expect_within(100, [&] { return read_gltf(text("300", 100)) ? "" : "refused"; });
}

TEST(SmallFiles, NodesBelowEachOtherAreCounted) {
  const auto chain = [](std::size_t length) {
    return document_text(R"("nodes":)" + repeated(length, [&](auto i) {
                           return i + 1 < length ? R"({"children":[)" + numbers(i + 1) + "]}" : "{}";
                         }));
  };
  expect_within(200, [&] { return refused_with(read_gltf(chain(100000)), "nodes[1000]: lies below 1000 others"); });
  expect_within(100, [&] { return read_gltf(chain(1000)) ? "" : "refused"; });
}

TEST(SmallFiles, MeshesThatShareAnAccessorAreCounted) {
  // 21 000 vertices, 252 kB, named by 4000 meshes: a gigabyte of positions
  Sketch sketch;
  std::vector<float> positions(63000);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<float>(i % 101);
  const std::size_t accessor = sketch.floats(positions, "VEC3", positions.size() / 3);
  for (std::size_t m = 0; m < 4000; ++m) {
    sketch.root["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", accessor}}}}}}});
    sketch.root["nodes"].push_back({{"mesh", m}});
  }
  const auto refused = [&] { return refused_with(sketch.read(), "too many nodes, meshes"); };
  expect_within(600, refused);
  // the same by nodes that share a mesh, and by morph targets
  for (Json& node : sketch.root["nodes"]) node["mesh"] = 0;
  expect_within(600, refused);
  sketch.root["nodes"] = Json::array({{{"mesh", 0}}});
  for (std::size_t t = 0; t < 4000; ++t)
    sketch.root["meshes"][0]["primitives"][0]["targets"].push_back({{"POSITION", accessor}});
  expect_within(600, refused);
}

TEST(SmallFiles, ManyChannelsAndNodesAreReadInProportion) {
  constexpr std::size_t count = 60000;
  const std::string nodes = repeated(count, [](auto) { return R"({"mesh":0})"; });
  const std::string channels = repeated(
      count, [](auto i) { return R"({"sampler":0,"target":{"node":)" + numbers(i) + R"(,"path":"weights"}})"; });
  const std::string text = document_text(
      std::string(triangle_buffer) +
      R"(,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}],"nodes":)" + nodes +
      R"(,"animations":[{"samplers":[{"input":1,"output":1}],"channels":)" + channels + "}]");
  expect_within(500, [&]() -> std::string {
    const auto read = read_gltf(text);
    if (!read) return read.error().message();
    return read->character.clips[0].tracks.size() == count ? "" : "not all channels were read";
  });
}

TEST(SmallFiles, ManyPrimitivesOfAMeshAreReadInProportion) {
  constexpr std::size_t count = 10000;
  Sketch sketch = skinned_sketch();
  Json& primitives = sketch.root["meshes"][0]["primitives"];
  const Json first = primitives[0];
  for (std::size_t p = 1; p < count; ++p) primitives.push_back(first);
  expect_within(500, [&]() -> std::string {
    auto document = sketch.parse();
    if (!document) return document.error().message();
    const auto read = gltf::to_character(*document);
    if (!read) return read.error().message();
    gltf::put_mended_weights(*document, *read);
    return read->character.parts.size() == count ? "" : "not all primitives were read";
  });
}

TEST(SmallFiles, ManyMembersOfAnObjectAreReadInProportion) {
  constexpr std::size_t count = 200000;
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += "\"key" + numbers(i) + "\":0,";
  text += R"("key7":7,"key150000":8})";
  expect_within(200, [&]() -> std::string {
    const Json json = Json::parse(text);
    // a member that comes twice keeps its place and has the later value, in small objects and in large ones
    const bool right = json.size() == count && json.at("key7") == 7 && json.at("key150000") == 8;
    return right ? "" : "members were lost";
  });
}

TEST(SmallFiles, FramesOfNothingEndAtOnce) {
  const auto text = [](const std::string& channels, const std::string& motion) {
    return "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS " + channels +
           "\n}\nMOTION\nFrames: 4294967295\nFrame Time: 1\n" + motion;
  };
  expect_within(50, [&]() -> std::string {
    const auto motion = parse_bvh(text("0", ""), "small.bvh");
    if (!motion) return motion.error().message();
    return motion->clip.tracks.empty() ? "" : "something moves";
  });
  expect_within(50, [&] { return refused_with(parse_bvh(text("1 Xrotation", "1 2 3"), "small.bvh"), "frame 3 of"); });
}

TEST(SmallFiles, BvhNamesDoNotGrowWithTheirDepth) {
  std::string text = "HIERARCHY\nROOT a\n{\n";
  for (int i = 0; i < 900; ++i) text += "End Site\n{\n";
  expect_within(50, [&] { return refused_with(parse_bvh(text, "small.bvh"), "nothing hangs below an end site"); });
}

TEST(SmallFiles, GmshNodesAreCountedAgainstTheFile) {
  const std::string format = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n";
  expect_within(50, [&] {
    return refused_with(
        parse_volume_mesh("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2147483647\n1 0 0 0\n", "small.msh"),
        "2147483647, more than the rest of the file can hold");
  });
  expect_within(50, [&] {
    return refused_with(
        parse_volume_mesh(format + "1 2147483647 1 2147483647\n3 1 0 2147483647\n1\n0 0 0\n", "small.msh"),
        "more than the rest of the file can hold");
  });
  // a dimension that claims as many parameters of every node
  expect_within(50, [&] {
    return refused_with(parse_volume_mesh(format + "1 1 1 1\n2147483647 1 1 1\n1\n0 0 0\n", "small.msh"),
                        "parameter expected, found the end of the file");
  });
}

}  // namespace
}  // namespace supple::test
