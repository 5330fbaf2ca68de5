// What is written reads back the same; edits touch what they should and nothing else; files appear whole or not at all.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>

#include "files/gltf_support.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/load.h"

namespace supple::test {
namespace {

gltf::Document reread(const gltf::Document& document) {
  auto again = gltf::parse_document(*gltf::to_glb(document), "again.glb");
  EXPECT_TRUE(again) << again.error().message();
  return std::move(*again);
}

TEST(GltfWrite, CharacterSurvives) {
  const Character original = small_character();
  const auto document = gltf::to_document(original);
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ(document->root["asset"]["generator"], "supple 0.1");
  Warnings warnings;
  const auto again = gltf::to_character(reread(*document), &warnings);
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  EXPECT_EQ(again->character.name, "small");
  expect_same(original, again->character);
  EXPECT_EQ(again->character.parts[0].morphs[0].vertices, original.parts[0].morphs[0].vertices) << "stays sparse";
  EXPECT_EQ(again->character.skeleton.size(), original.skeleton.size()) << "the mesh node is a plain root already";
}

TEST(GltfWrite, SameCharacterSameBytes) {
  const auto once = gltf::to_glb(*gltf::to_document(small_character()));
  const auto twice = gltf::to_glb(*gltf::to_document(small_character()));
  EXPECT_TRUE(*once == *twice);
}

TEST(GltfWrite, SkinnedPartsMoveToPlainRoots) {
  Character c = small_character();
  c.parts[0].node = no_joint;
  const auto read = gltf::to_character(reread(*gltf::to_document(c)));
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->character.skeleton.size(), c.skeleton.size() + 1);
  EXPECT_EQ(read->character.parts[0].node, c.skeleton.size());
  EXPECT_EQ(read->character.skeleton.parent(read->character.parts[0].node), no_joint);
}

TEST(GltfWrite, JointsOfOneSkinGetACommonRoot) {
  Character c = small_character();
  std::vector<RawJoint> joints(2);
  joints[0].name = "left", joints[1].name = "right";
  c.skeleton = build_skeleton(joints)->skeleton;
  c.skins = {{"two", {0, 1}, std::vector<Affinef>(2)}};
  c.clips.clear();
  c.parts.resize(1);
  c.parts[0].node = no_joint;
  c.parts[0].weights = {};
  for (int v = 0; v < 5; ++v) c.parts[0].weights.push_vertex(std::vector<Influence>{{1, 1.0f}});
  const auto read = gltf::to_character(reread(*gltf::to_document(c)));
  ASSERT_TRUE(read) << read.error().message();
  const Skeleton& s = read->character.skeleton;
  EXPECT_EQ(s.parent(*s.find("left")), *s.find("root"));
  EXPECT_EQ(s.parent(*s.find("right")), *s.find("root"));
}

TEST(GltfWrite, InvalidCharactersAreRefused) {
  Character c = small_character();
  c.parts[0].mesh.triangles[0][0] = 77;
  EXPECT_FALSE(gltf::to_document(c));
}

TEST(GltfWrite, WeightsSumToOneInFloat) {
  Character c = small_character();
  c.parts[0].weights = {};
  for (int v = 0; v < 5; ++v) {
    c.parts[0].weights.push_vertex(std::vector<Influence>{{0, 0.3334f}, {1, 0.3333f}, {2, 0.3332f}});
  }
  const gltf::Document d = *gltf::to_document(c);
  const std::size_t accessor = d.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].get<std::size_t>();
  const std::vector<float> w = gltf::read_floats(d, accessor);
  for (std::size_t i = 0; i < w.size(); i += 4) EXPECT_NEAR(double{w[i]} + w[i + 1] + w[i + 2] + w[i + 3], 1, 2e-7);
}

/// A document with things that Supple does not know.
gltf::Document decorated() {
  gltf::Document d = *gltf::to_document(small_character());
  Json& primitive = d.root["meshes"][0]["primitives"][0];
  const std::vector<float> colors(5 * 3, 0.5f);
  const std::size_t color = gltf::put_accessor(d, gltf::pack_floats(colors, 3, gltf::vertex_attributes));
  d.root["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = color;
  primitive = d.root["meshes"][0]["primitives"][0];
  primitive["extras"] = {{"mine", "kept"}};
  primitive["extensions"] = {{"EXT_unknown", {{"deep", {1, 2, 3}}}}};
  d.root["extensionsUsed"] = {"EXT_unknown"};
  d.root["extensions"] = {{"EXT_unknown", {{"bufferView", d.root["bufferViews"].size() - 1}}}};
  d.root["nodes"][1]["extras"] = "text instead of an object";
  return d;
}

TEST(GltfEdit, PutPartKeepsTheRest) {
  gltf::Document d = reread(decorated());
  auto imported = *gltf::to_character(d);
  const std::size_t accessors = d.root["accessors"].size();
  Part part = imported.character.parts[0];
  for (Vec3f& p : part.mesh.positions) p.x += 10;
  part.morphs.resize(1);
  Warnings warnings;
  gltf::put_part(d, imported.sources[0], part, std::vector<float>{0.75f}, &warnings);
  EXPECT_EQ(warnings.size(), 1u) << "the weights track no longer fits";
  const gltf::Document again = reread(d);
  const Json& primitive = again.root["meshes"][0]["primitives"][0];
  EXPECT_EQ(primitive["extras"]["mine"], "kept");
  EXPECT_EQ(primitive["extensions"]["EXT_unknown"]["deep"], Json({1, 2, 3}));
  EXPECT_TRUE(primitive["attributes"].contains("COLOR_0"));
  EXPECT_EQ(primitive["material"], 0);
  EXPECT_LE(again.root["accessors"].size(), accessors) << "numbers are reused";
  EXPECT_EQ(again.root["nodes"][1]["extras"], "text instead of an object");
  const auto character = gltf::to_character(again)->character;
  EXPECT_EQ(character.parts[0].mesh.positions, part.mesh.positions);
  EXPECT_EQ(character.parts[0].morphs.size(), 1u);
  EXPECT_EQ(character.morph_weights, (std::vector<float>{0.75f}));
  EXPECT_EQ(character.parts[1].mesh.positions, imported.character.parts[1].mesh.positions);
}

TEST(GltfEdit, PutPartWithMoreVerticesDropsWhatNoLongerFits) {
  gltf::Document d = reread(decorated());
  auto imported = *gltf::to_character(d);
  Part part = imported.character.parts[0];
  part.mesh.positions.push_back({5, 5, 5});
  part.mesh.normals.push_back({0, 1, 0});
  part.texcoords.push_back({0, 0});
  part.weights.push_vertex(std::vector<Influence>{{3, 1.0f}});
  part.morphs.clear();
  Warnings warnings;
  gltf::put_part(d, imported.sources[0], part, {}, &warnings);
  ASSERT_EQ(warnings.size(), 2u) << "the weights track, and";
  EXPECT_NE(warnings[1].find("COLOR_0"), std::string::npos);
  const auto character = gltf::to_character(reread(d));
  ASSERT_TRUE(character) << character.error().message();
  EXPECT_EQ(character->character.parts[0].mesh.positions.size(), 6u);
}

TEST(GltfEdit, RepeatedEditsDoNotGrowTheFile) {
  gltf::Document d = decorated();
  const auto imported = *gltf::to_character(d);
  gltf::put_part(d, imported.sources[0], imported.character.parts[0], imported.character.morph_weights);
  ASSERT_TRUE(gltf::put_clip(d, imported.character.clips[0], gltf::places_of(imported)));
  const std::size_t size = gltf::to_glb(d)->size();
  for (int i = 0; i < 5; ++i) {
    gltf::put_part(d, imported.sources[0], imported.character.parts[0], imported.character.morph_weights);
    ASSERT_TRUE(gltf::put_clip(d, imported.character.clips[0], gltf::places_of(imported)));
    gltf::put_skin(d, 0, imported.character.skins[0], gltf::places_of(imported));
  }
  EXPECT_LE(gltf::to_glb(d)->size(), size + 16);  // numbers of views may take a digit more
  expect_same(imported.character, gltf::to_character(reread(d))->character);
}

TEST(GltfEdit, PutClipAddsAndReplaces) {
  gltf::Document d = *gltf::to_document(small_character());
  const auto imported = *gltf::to_character(d);
  Clip clip{"wave", {{Channel::rotation, Interpolation::linear, 2, 4, {0, 1}, {0, 0, 0, 1, 1, 0, 0, 0}}}};
  ASSERT_TRUE(gltf::put_clip(d, clip, gltf::places_of(imported)));
  clip.tracks[0].times = {0, 3};
  ASSERT_TRUE(gltf::put_clip(d, clip, gltf::places_of(imported)));
  const auto again = gltf::to_character(reread(d));
  ASSERT_TRUE(again) << again.error().message();
  ASSERT_EQ(again->character.clips.size(), 2u);
  EXPECT_EQ(again->character.find_clip("wave")->end(), 3.0f);
  clip.tracks[0].target = 99;
  EXPECT_FALSE(gltf::put_clip(d, clip, gltf::places_of(imported)));
}

TEST(GltfEdit, PutRestPose) {
  Sketch s = skinned_sketch();
  s.root["nodes"][2] = {{"name", "knee"}, {"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1}}};
  gltf::Document d = *s.parse();
  const auto imported = *gltf::to_character(d);
  Pose pose = imported.character.rest();
  pose.local[imported.nodes.to_joint[2]].translation = {0, 0.1f, 0};
  gltf::put_rest_pose(d, pose, gltf::places_of(imported));
  EXPECT_FALSE(d.root["nodes"][2].contains("matrix"));
  EXPECT_EQ(d.root["nodes"][2]["translation"].dump(), "[0.0,0.1,0.0]") << "written as short as it was meant";
  EXPECT_EQ(gltf::to_character(d)->character.skeleton.rest(imported.nodes.to_joint[2]).translation,
            (Vec3f{0, 0.1f, 0}));
}

TEST(GltfSave, UnusedDataIsDroppedAndSharedDataStaysShared) {
  Sketch s = triangle_sketch();
  s.view<float>(std::vector<float>(1000));
  s.root["bufferViews"].push_back({{"buffer", 0}, {"byteOffset", 12}, {"byteLength", 24}});  // inside view 0
  s.root["extensions"] = {{"EXT_any", {{"bufferView", 2}}}};
  s.root["extensionsUsed"] = {"EXT_any"};
  const gltf::Document small = reread(*s.parse());
  EXPECT_EQ(small.root["bufferViews"].size(), 2u);
  EXPECT_EQ(small.buffers[0].size(), 36u);
  EXPECT_EQ(small.root["extensions"]["EXT_any"]["bufferView"], 1);
  EXPECT_EQ(small.root["bufferViews"][1]["byteOffset"], 12);
}

TEST(GltfSave, ExternalEmbeddedAndImages) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  std::filesystem::create_directory(folder / "b");
  gltf::Document d = *gltf::to_document(small_character());
  d.folder = folder / "a";
  d.root["images"] = Json::array({{{"uri", "sk%69n.png"}}, {{"uri", "missing.png"}}});
  ASSERT_TRUE(write_file(folder / "a/skin.png", std::string_view("\x89PNG....")));
  ASSERT_TRUE(gltf::write_document(folder / "a/with space.gltf", d));
  const auto beside = gltf::read_document(folder / "a/with space.gltf");
  ASSERT_TRUE(beside) << beside.error().message();
  EXPECT_EQ(beside->root["buffers"][0]["uri"], "with%20space.bin");
  EXPECT_EQ(beside->root["images"][0]["uri"], "sk%69n.png") << "the same folder: the link still holds";
  ASSERT_TRUE(gltf::write_document(folder / "b/embedded.gltf", d, {.embed = true}));
  EXPECT_FALSE(std::filesystem::exists(folder / "b/embedded.bin"));
  Warnings warnings;
  ASSERT_TRUE(gltf::write_document(folder / "b/moved.glb", d, {}, &warnings));
  const auto moved = gltf::read_document(folder / "b/moved.glb");
  ASSERT_TRUE(moved) << moved.error().message();
  EXPECT_EQ(moved->root["images"][0]["mimeType"], "image/png");
  EXPECT_FALSE(moved->root["images"][0].contains("uri"));
  EXPECT_EQ(moved->root["images"][1]["uri"], "missing.png");
  EXPECT_EQ(warnings.size(), 1u);
  for (const auto name : {"a/with space.gltf", "b/embedded.gltf", "b/moved.glb"}) {
    const auto loaded = load(folder / name);
    ASSERT_TRUE(loaded) << loaded.error().message();
    expect_same(small_character(), loaded->character());
  }
}

TEST(GltfSave, FullDiskLeavesTheOldFile) {
  TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "out.gltf", std::string_view("old")));
  // A limit on file sizes fails in write() as a full disk does.
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = save(folder / "out.gltf", small_character());
  const auto obj = save(folder / "out.obj", small_character());
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_FALSE(obj);
  EXPECT_NE(written.error().item.find("out."), std::string::npos);
  EXPECT_EQ(*read_text(folder / "out.gltf"), "old");
  EXPECT_EQ(folder.files(), 1u) << "nothing is left behind";
}

TEST(GltfSave, MissingFolderAndUnknownKinds) {
  TemporaryFolder folder;
  EXPECT_FALSE(save(folder / "no/such/out.glb", small_character()));
  const auto unknown = save(folder / "out.fbx", small_character());
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().remedy.find(".glb"), std::string::npos);
  EXPECT_FALSE(load(folder / "nothing.glb"));
  EXPECT_FALSE(load(folder / "nothing.fbx"));
}

}  // namespace
}  // namespace supple::test
