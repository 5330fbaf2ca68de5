// Examples from meshes, caches and morph targets, against the skin that made the files.
#include "supple/files/example_set_import.h"

#include <gtest/gtest.h>

#include "supple/base/file.h"
#include "supple/deform/skin.h"
#include "supple/files/load.h"
#include "supple/files/vertex_cache.h"
#include "support/example_sets.h"
#include "support/run_command.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

namespace fs = std::filesystem;

ExampleWriter writer_for(const Character& c, const fs::path& folder, std::size_t part = 0) {
  auto writer = ExampleWriter::create(folder, subject_of(c, part, "test"));
  EXPECT_TRUE(writer) << writer.error().message();
  return std::move(*writer);
}

std::vector<Vec3f> posed(const Character& c, const Pose& pose, std::size_t part = 0) {
  Skin skin = Skin::make(c).value();
  EXPECT_TRUE(skin.evaluate(pose));
  return {skin.positions(part).begin(), skin.positions(part).end()};
}

void write_surface(const fs::path& path, const Mesh& mesh) {
  Part part;
  part.mesh = mesh;
  ASSERT_TRUE(write_obj(path, std::span(&part, 1)));
}

Pose bent(const Character& c, float flexion, float twist = 0) {
  Pose pose = c.rest();
  const float angles[]{flexion, twist};
  set_angles(pose, c.skeleton, 1, angles);
  return pose;
}

constexpr float degree = static_cast<float>(pi / 180);

TEST(ImportMeshes, PosesByAnglesAxesAndQuaternions) {
  const ScratchFolder work;
  const Character c = bar();
  fs::create_directory(work / "m");
  const Mesh& rest = c.parts[0].mesh;
  write_surface(work / "m" / "a.obj", {posed(c, bent(c, 60 * degree, 20 * degree)), {}, rest.triangles});
  write_surface(work / "m" / "b.obj", {posed(c, bent(c, 30 * degree)), {}, rest.triangles});
  const Quatf q = bent(c, 30 * degree).local[1].rotation;
  char text[1000];
  std::snprintf(text, sizeof text,
                R"({"poses": {"a.obj": {"joints": {"elbow": {"twist": 20, "flexion": 60}, "tip": {"x": 90}}},
                "b": {"joints": {"elbow": [%.9g, %.9g, %.9g, %.9g]}, "role": "test", "tags": ["t"], "weight": 0.25}}})",
                q.x, q.y, q.z, q.w);
  ASSERT_TRUE(write_file(work / "poses.json", std::string_view(text)));
  const auto book = read_pose_book(work / "poses.json", c.skeleton);
  ASSERT_TRUE(book) << book.error().message();
  auto writer = writer_for(c, work / "set");
  Warnings warnings;
  ImportTarget target{writer, c, 0, &warnings, {}};
  const auto done = import_meshes(target, work / "m", *book);
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_TRUE(warnings.empty());
  ASSERT_TRUE(writer.finish());
  const ExampleSet set = load_examples(work / "set").value();
  ASSERT_TRUE(validate(set));
  ASSERT_TRUE(check_matches(set, c, 0));
  EXPECT_EQ(set.examples[1].name, "b");
  EXPECT_EQ(set.examples[1].role, Role::test);
  EXPECT_EQ(set.examples[1].weight, 0.25f);
  const Quatf turned = from_axis_angle(Vec3f{1, 0, 0}, 90 * degree);
  EXPECT_LT(angle_between(set.rotations_of(0)[2], turned), 1e-5f) << "about the joint's own axis";
  // The mesh in the file is the skin of the pose in the book: evaluating the stored pose gives the stored skin.
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<Vec3f> skin = posed(c, set.pose(i));
    for (std::size_t v = 0; v < 8; ++v) EXPECT_LT(length(skin[v] - set.positions_of(i)[v]), 1e-5f) << i << " " << v;
  }
}

TEST(ImportMeshes, FaultsAreNamed) {
  const ScratchFolder work;
  const Character c = bar();
  const Mesh rest = c.parts[0].mesh;
  fs::create_directory(work / "m");
  const auto attempt = [&](const std::string& poses, const SurfaceOptions& options = {}) {
    EXPECT_TRUE(write_file(work / "poses.json", poses));
    const auto book = read_pose_book(work / "poses.json", c.skeleton);
    if (!book) return book.error().message();
    auto writer = writer_for(c, work / "set");
    ImportTarget target{writer, c, 0, nullptr, {}};
    const auto done = import_meshes(target, work / "m", *book, options);
    return done ? std::string("done") : done.error().message();
  };
  const auto expect = [&](const std::string& said, const std::string& part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  const std::string good = R"({"poses": {"a": {"joints": {}}}})";
  expect(attempt(good), "has no .obj or .ply files");
  write_surface(work / "m" / "a.obj", rest);
  EXPECT_EQ(attempt(good), "done");
  expect(attempt(R"({"poses": {"b": {"joints": {}}}})"), "a.obj: has no pose");
  expect(attempt(R"({"poses": {"a": {"joints": {}}, "b": {"joints": {}}}})"), "pose 'b': has no mesh");
  expect(attempt(R"({"poses": {"a": {"joints": {"elbov": {}}}}})"), "did you mean elbow?");
  expect(attempt(R"({"poses": {"a": {"joints": {"elbow": {"flex": 3}}}}})"), "it has flexion, twist, x, y, z");
  expect(attempt(R"({"poses": {"a": {"joints": {"elbow": [0, 0, 0, 0]}}}})"), "length zero");
  expect(attempt(R"({"poses": {"a": {"joints": {"elbow": [0, 0, 1]}}}})"), "pose 'a'.joints.elbow");
  expect(attempt(R"({"poses": {"a": {"joints": {"elbow": {"x": 1, "rotation": [0, 0, 0, 1]}}}}})"), "both angles");
  expect(attempt(R"({"poses": {"a": {}}})"), "has no \"joints\"");
  expect(attempt(R"({"a": {}})"), "has no \"poses\"");
  expect(attempt("{\n\"poses\": {\n,}}"), "poses.json:3");
  Mesh other = rest;
  other.positions.push_back({});
  write_surface(work / "m" / "a.obj", other);
  expect(attempt(good), "a.obj: has 9 vertices; part 'skin' has 8");
  other = rest;
  other.triangles.pop_back();
  write_surface(work / "m" / "a.obj", other);
  expect(attempt(good), "a.obj: has 11 triangles");
  EXPECT_EQ(attempt(good, {.compare_triangles = false}), "done");
  other = rest;
  std::swap(other.triangles[7][0], other.triangles[7][1]);
  write_surface(work / "m" / "a.obj", other);
  expect(attempt(good), "a.obj, triangle 7: has other corners");
  other = rest;
  std::rotate(other.triangles[7].begin(), other.triangles[7].begin() + 1, other.triangles[7].end());
  write_surface(work / "m" / "a.obj", other);
  EXPECT_EQ(attempt(good), "done") << "a triangle may start at any corner";
  EXPECT_FALSE(fs::exists(work / "set")) << "what fails leaves nothing";
}

TEST(ImportMeshes, AxesAndUnits) {
  const ScratchFolder work;
  const Character c = bar();
  Mesh centimetres = c.parts[0].mesh;
  for (Vec3f& p : centimetres.positions) p = Vec3f{p.x, -p.z, p.y} * 100;
  for (Vec3f& n : centimetres.normals) n = {n.x, -n.z, n.y};
  fs::create_directory(work / "m");
  write_surface(work / "m" / "a.obj", centimetres);
  const PoseBook book{"book", {{{"a"}, rest_pose(c.skeleton)}}};
  for (const bool right : {true, false}) {
    auto writer = writer_for(c, work / "set");
    Warnings warnings;
    ImportTarget target{writer, c, 0, &warnings, {}};
    ASSERT_TRUE(import_meshes(target, work / "m", book, {.z_up = right, .scale = 0.01}));
    ASSERT_TRUE(writer.finish());
    EXPECT_EQ(warnings.size(), right ? 0u : 1u);
    if (!right) continue;
    const ExampleSet set = load_examples(work / "set").value();
    for (std::size_t v = 0; v < 8; ++v) {
      EXPECT_LT(length(set.positions_of(0)[v] - set.rest_positions[v]), 1e-6f);
      EXPECT_LT(length(set.normals_of(0)[v] - set.rest_normals[v]), 1e-6f);
    }
  }
}

// Counts whose product overflows must not make a short file look right.
TEST(VertexCache, CountsThatOverflowAreRefused) {
  const ScratchFolder work;
  const unsigned char mdd[8] = {0x40, 0, 0, 0, 0x55, 0x55, 0x55, 0x55};
  std::ofstream(work / "huge.mdd", std::ios::binary).write(reinterpret_cast<const char*>(mdd), sizeof mdd);
  const auto opened = VertexCache::open(work / "huge.mdd");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message().find("cut short"), std::string::npos);
}

TEST(VertexCache, WhatIsWrittenIsRead) {
  const ScratchFolder work;
  std::vector<std::vector<Vec3f>> frames;
  for (int f = 0; f < 3; ++f) {
    frames.emplace_back();
    for (int v = 0; v < 5; ++v)
      frames.back().push_back({static_cast<float>(f) + 0.1f, static_cast<float>(v) / 3, -1e-7f});
  }
  const double times[]{0, 0.5, 0.75};
  ASSERT_TRUE(write_mdd(work / "a.mdd", times, frames));
  ASSERT_TRUE(write_pc2(work / "a.pc2", 10, 2, frames));
  // The bytes by hand: MDD starts with two big-endian counts; PC2 with its name.
  EXPECT_EQ(contents(work / "a.mdd").substr(0, 8), std::string("\0\0\0\x03\0\0\0\x05", 8));
  EXPECT_EQ(contents(work / "a.mdd").size(), 8 + 3 * 4 + 3 * 5 * 12u);
  EXPECT_EQ(contents(work / "a.pc2").substr(0, 20), std::string("POINTCACHE2\0\x01\0\0\0\x05\0\0\0", 20));
  EXPECT_EQ(contents(work / "a.pc2").size(), 32 + 3 * 5 * 12u);
  const auto mdd = VertexCache::open(work / "a.mdd"), pc2 = VertexCache::open(work / "a.pc2", 30);
  ASSERT_TRUE(mdd && pc2);
  ASSERT_EQ(mdd->frames(), 3u);
  EXPECT_EQ(mdd->time(2), 0.75);
  EXPECT_DOUBLE_EQ(pc2->time(1), 12 / 30.0);
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_TRUE(same_bits<Vec3f>(mdd->read(f).value().positions, frames[f]));
    EXPECT_TRUE(same_bits<Vec3f>(pc2->read(f).value().positions, frames[f]));
  }
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(write_file(work / name, bytes));
    const auto opened = VertexCache::open(work / name);
    EXPECT_FALSE(opened) << name;
    EXPECT_NE((opened ? "" : opened.error().item).find(name), std::string::npos);
  };
  const std::string mdd_bytes = contents(work / "a.mdd"), pc2_bytes = contents(work / "a.pc2");
  refused("cut.mdd", mdd_bytes.substr(0, mdd_bytes.size() - 1));
  refused("cut.pc2", pc2_bytes.substr(0, pc2_bytes.size() - 1));
  refused("head.pc2", pc2_bytes.substr(0, 20));
  refused("head.mdd", mdd_bytes.substr(0, 6));
  refused("wrong.pc2", mdd_bytes);
  refused("negative.mdd", std::string(8, '\xff'));
  refused("none.mdd", std::string("\0\0\0\0\0\0\0\x05", 8));
  refused("huge.mdd", std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
  refused("a.abc", "x");
}

TEST(ImportCache, ObjSequenceByFrameNumber) {
  const ScratchFolder work;
  Character c = bar();
  Track track{Channel::rotation, Interpolation::linear, 1, 4, {0, 1}, {}};
  for (const float angle : {0.0f, 60 * degree}) {
    const Quatf q = bent(c, angle).local[1].rotation;
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  c.clips.push_back({"bend", {track}});
  fs::create_directory(work / "seq");
  for (const int frame : {9, 10, 11}) {
    const Pose pose = c.at(c.clips[0], static_cast<float>(frame) / 20);
    write_surface(work / "seq" / ("walk_v2_" + std::to_string(frame) + ".obj"),
                  {posed(c, pose), {}, c.parts[0].mesh.triangles});
  }
  auto writer = writer_for(c, work / "set");
  Warnings warnings;
  ImportTarget target{writer, c, 0, &warnings, {}};
  const auto done = import_cache(target, c.clips[0], work / "seq", {.frames_per_second = 20});
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(warnings.empty());
  const ExampleSet set = load_examples(work / "set").value();
  ASSERT_EQ(set.size(), 3u);
  EXPECT_EQ(set.examples[2].sweep, "bend");
  EXPECT_NEAR(get_angles(set.pose(2), set.skeleton, 1)[0], 11 / 20.0 * 60 * degree, 1e-5);
  ASSERT_TRUE(write_file(work / "seq" / "copy-10.obj", contents(work / "seq" / "walk_v2_10.obj")));
  EXPECT_NE(VertexCache::open(work / "seq").error().message().find("frame number of"), std::string::npos);
  fs::remove(work / "seq" / "copy-10.obj");
  ASSERT_TRUE(write_file(work / "seq" / "rest.obj", contents(work / "seq" / "walk_v2_10.obj")));
  EXPECT_NE(VertexCache::open(work / "seq").error().message().find("no frame number"), std::string::npos);
}

TEST(ImportCache, BlocksAreHeldOut) {
  const ScratchFolder work;
  Character c = bar();
  Track track{Channel::rotation, Interpolation::linear, 1, 4, {0, 4}, {}};
  for (const float angle : {0.0f, 60 * degree}) {
    const Quatf q = bent(c, angle).local[1].rotation;
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  c.clips.push_back({"bend", {track}});
  std::vector<std::vector<Vec3f>> frames;
  for (int f = 0; f < 96; ++f) frames.push_back(posed(c, c.at(c.clips[0], static_cast<float>(f) / 24)));
  ASSERT_TRUE(write_pc2(work / "bend.pc2", 0, 1, frames));
  const auto roles = [&](const char* name, const CacheOptions& options) {
    auto writer = writer_for(c, work / name);
    ImportTarget target{writer, c, 0, nullptr, {}};
    EXPECT_TRUE(import_cache(target, c.clips[0], work / "bend.pc2", options));
    EXPECT_TRUE(writer.finish());
    std::string text;
    for (const Example& e : load_examples(work / name).value().examples) text += e.role == Role::test ? 't' : '.';
    return text;
  };
  // Four seconds: blocks of half a second, 12 frames, a quarter of them.
  const std::string block(12, '.'), tested(12, 't');
  EXPECT_EQ(roles("default", {}), block + tested + block + block + block + tested + block + block);
  EXPECT_EQ(roles("none", {.hold_out = 0}), std::string(96, '.'));
  EXPECT_EQ(roles("few", {.every = 24}), std::string(4, '.')) << "four frames: none to spare";
}

TEST(ImportCache, VerticesThatAnExporterSplitAreMatched) {
  // The rig's file has every vertex twice; the cache has them once, in another order.
  const ScratchFolder work;
  Character c = bar();
  Part& part = c.parts[0];
  const std::size_t places = part.mesh.positions.size();
  const Character whole = c;
  for (std::uint32_t v = 0; v < places; ++v) {
    part.mesh.positions.push_back(part.mesh.positions[v]);
    part.mesh.normals.push_back(part.mesh.normals[v]);
    part.weights.push_vertex(whole.parts[0].weights.of(v));
  }
  for (std::size_t t = 1; t < part.mesh.triangles.size(); t += 2)
    for (std::uint32_t& v : part.mesh.triangles[t]) v += static_cast<std::uint32_t>(places);
  Track track{Channel::rotation, Interpolation::linear, 1, 4, {0, 1}, {}};
  for (const float angle : {20 * degree, 60 * degree}) {
    const Quatf q = bent(c, angle).local[1].rotation;
    track.values.insert(track.values.end(), {q.x, q.y, q.z, q.w});
  }
  c.clips.push_back({"bend", {track}});
  std::vector<std::vector<Vec3f>> frames;
  for (int f = 0; f < 3; ++f) {
    std::vector<Vec3f> skin = posed(whole, c.at(c.clips[0], static_cast<float>(f) / 24));
    for (Vec3f& p : skin) p.y += 0.001f;  // not quite what linear blend makes of it
    std::reverse(skin.begin(), skin.end());
    frames.push_back(skin);
  }
  ASSERT_TRUE(write_pc2(work / "bend.pc2", 0, 1, frames));
  auto writer = writer_for(c, work / "set");
  ImportTarget target{writer, c, 0, nullptr, {}};
  const auto done = import_cache(target, c.clips[0], work / "bend.pc2");
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_TRUE(writer.finish());
  const ExampleSet set = load_examples(work / "set").value();
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t v = 0; v < set.vertices(); ++v)
      ASSERT_EQ(set.positions_of(e)[v], frames[e][places - 1 - v % places]) << e << " " << v;
}

TEST(ImportCache, CesiumManWalks) {
  const auto path = shared_data("gltf_khronos/CesiumMan.glb");
  SUPPLE_REQUIRE_DATA(path);
  const ScratchFolder work;
  const auto loaded = load(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Character& c = loaded->character();
  ASSERT_FALSE(c.clips.empty());
  std::vector<double> times;
  std::vector<std::vector<Vec3f>> frames;
  for (int f = 0; f < 12; ++f) {
    times.push_back(f / 12.0);
    frames.push_back(posed(c, c.at(c.clips[0], static_cast<float>(c.clips[0].start() + times.back()))));
  }
  ASSERT_TRUE(write_mdd(work / "walk.mdd", times, frames));
  auto writer = writer_for(c, work / "set");
  Warnings warnings;
  ImportTarget target{writer, c, 0, &warnings, {}};
  const auto done = import_cache(target, c.clips[0], work / "walk.mdd", {.every = 5, .start = c.clips[0].start()});
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  const ExampleSet set = load_examples(work / "set").value();
  ASSERT_EQ(set.size(), 3u) << "frames 0, 5, 10";
  ASSERT_TRUE(validate(set)) << validate(set).error().message();
  ASSERT_TRUE(check_matches(set, c, 0)) << check_matches(set, c, 0).error().message();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits<Vec3f>(set.positions_of(i), frames[5 * i]));
    // Times went through 32-bit floats on both sides; a walk moves by metres a second.
    const std::vector<Vec3f> again = posed(c, set.pose(i));
    for (std::size_t v = 0; v < again.size(); ++v)
      ASSERT_LT(length(again[v] - frames[5 * i][v]), 1e-5f) << i << " " << v;
  }
  frames.pop_back();
  times.pop_back();
  for (auto& frame : frames) frame.pop_back();
  ASSERT_TRUE(write_pc2(work / "short.pc2", 0, 1, frames));
  auto second = writer_for(c, work / "none");
  ImportTarget other{second, c, 0, nullptr, {}};
  const std::string refused = import_cache(other, c.clips[0], work / "short.pc2").error().message();
  EXPECT_NE(refused.find("short.pc2, frame "), std::string::npos) << refused;
  EXPECT_NE(refused.find("has 3272 vertices; the rig has 3273, at "), std::string::npos) << refused;
}

/// A sculpt that lifts one corner, for a pose in which the elbow is bent.
Character sculpted(const std::string& name) {
  Character c = bar();
  c.parts[0].morphs = {{name, {3}, {{0.1f, 0.2f, 0.3f}}, {}, {}}, {"tip.x=30", {2}, {{0, 0, 0.5f}}, {}, {}}};
  c.morph_weights = {0, 0};
  return c;
}

TEST(ImportMorphs, TheSculptIsSkinnedInItsPose) {
  const ScratchFolder work;
  const Character c = sculpted("elbow.flexion=60,elbow.twist=-10");
  auto writer = writer_for(c, work / "set");
  ImportTarget target{writer, c, 0, nullptr, {}};
  const auto done = import_morphs(target, {});
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_TRUE(writer.finish());
  const ExampleSet set = load_examples(work / "set").value();
  ASSERT_EQ(set.size(), 2u);
  EXPECT_TRUE(validate(set));
  // By hand: vertex 3 follows the elbow alone.
  const Pose pose = bent(c, 60 * degree, -10 * degree);
  const Affinef m = to_world(c.skeleton, pose)[1] * c.skins[0].inverse_bind[1];
  EXPECT_LT(length(set.positions_of(0)[3] - m.point(c.parts[0].mesh.positions[3] + Vec3f{0.1f, 0.2f, 0.3f})), 1e-5f);
  EXPECT_LT(length(set.positions_of(0)[2] - m.point(c.parts[0].mesh.positions[2])), 1e-5f) << "the other sculpt is off";
  EXPECT_LT(angle_between(set.rotations_of(1)[2], from_axis_angle(Vec3f{1, 0, 0}, 30 * degree)), 1e-5f);
}

TEST(ImportMorphs, WithoutAPoseItIsAnErrorThatExplains) {
  const ScratchFolder work;
  const Character c = sculpted("smile");
  const PoseBook book{"book", {{{"smile"}, bent(c, 1)}}}, misspelt{"book", {{{"smiel"}, bent(c, 1)}}};
  auto writer = writer_for(c, work / "set");
  ImportTarget target{writer, c, 0, nullptr, {}};
  const auto nothing = import_morphs(target, {});
  EXPECT_NE(nothing.error().message().find("'smile': does not say which pose"), std::string::npos);
  EXPECT_NE(nothing.error().message().find("extras.supple.poses"), std::string::npos);
  EXPECT_NE(import_morphs(target, {&misspelt, 1}).error().message().find("did you mean smile?"), std::string::npos);
  EXPECT_TRUE(import_morphs(target, {&book, 1}));
  const Character plain = bar();
  ImportTarget none{writer, plain, 0, nullptr, {}};
  EXPECT_NE(import_morphs(none, {}).error().message().find("no morph targets"), std::string::npos);
}

TEST(ImportMorphs, PosesKeptInTheFile) {
  const ScratchFolder work;
  const auto path = shared_data("gltf_khronos/MorphStressTest.glb");
  SUPPLE_REQUIRE_DATA(path);
  auto loaded = load(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Character& c = loaded->character();
  const auto part = static_cast<std::size_t>(
      std::find_if(c.parts.begin(), c.parts.end(), [](const Part& p) { return !p.morphs.empty(); }) - c.parts.begin());
  ASSERT_LT(part, c.parts.size());
  EXPECT_TRUE(poses_in_extras(*loaded->document, loaded->imported, part).value().poses.empty());
  Json& node = loaded->document->root["nodes"][loaded->imported.sources[part].node];
  const std::string joint = c.skeleton.name(c.parts[part].node);
  for (const MorphTarget& morph : c.parts[part].morphs)
    node["extras"]["supple"]["poses"][morph.name] = {{"joints", {{joint, {{"y", 90}}}}}};
  const auto book = poses_in_extras(*loaded->document, loaded->imported, part);
  ASSERT_TRUE(book) << book.error().message();
  ASSERT_EQ(book->poses.size(), c.parts[part].morphs.size());
  auto writer = writer_for(c, work / "set", part);
  ImportTarget target{writer, c, part, nullptr, {}};
  const auto done = import_morphs(target, {&*book, 1});
  ASSERT_TRUE(done) << done.error().message();
  ASSERT_TRUE(writer.finish());
  const ExampleSet set = load_examples(work / "set").value();
  EXPECT_EQ(set.size(), c.parts[part].morphs.size());
  EXPECT_TRUE(validate(set)) << validate(set).error().message();
  node["extras"]["supple"]["poses"]["x"] = 3;
  EXPECT_FALSE(poses_in_extras(*loaded->document, loaded->imported, part));
}

}  // namespace
}  // namespace supple::test
