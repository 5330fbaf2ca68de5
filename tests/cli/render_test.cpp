// supple render: textures, parts left out, bare skeletons, moving pictures.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "files/gltf_support.h"
#include "supple/base/file.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "supple/render/decode_image.h"
#include "support/fleshy_limb.h"

namespace supple::test {
namespace {

render::Image picture_of(const std::string& arguments, const std::filesystem::path& output) {
  const CommandResult result = supple("render --size 64x64 -o " + output.string() + " " + arguments);
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  const auto bytes = read_file(output);
  const auto image = bytes ? render::decode_image(*bytes) : Result<render::Image>(bytes.error());
  EXPECT_TRUE(image.ok()) << image.error().message();
  return image ? *image : render::Image({64, 64}, {});
}

std::size_t reddish(const render::Image& image) {
  return static_cast<std::size_t>(std::count_if(image.pixels.begin(), image.pixels.end(),
                                                [](render::Rgba8 p) { return p.r > p.g + 80 && p.r > p.b + 80; }));
}

/// Two triangles on nodes of their own, "near" in front of "far". The texture of the near one is red.
Sketch two_triangles() {
  Sketch s = triangle_sketch();
  render::Image red({4, 4}, {230, 20, 20});
  const Bytes png = *render::encode_png(red);
  std::vector<std::uint8_t> bytes;
  for (const std::byte b : png) bytes.push_back(static_cast<std::uint8_t>(b));
  s.root["images"] = Json::array({{{"bufferView", s.view(bytes)}, {"mimeType", "image/png"}}});
  s.root["textures"] = Json::array({{{"source", 0}}});
  s.root["materials"] = Json::array({{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}}}});
  Json& primitive = s.root["meshes"][0]["primitives"][0];
  primitive["material"] = 0;
  primitive["attributes"]["TEXCOORD_0"] = s.floats({0, 0, 1, 0, 0, 1}, "VEC2", 3);
  s.root["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}});
  s.root["nodes"] =
      Json::array({{{"mesh", 0}, {"name", "near"}}, {{"mesh", 1}, {"name", "far"}, {"translation", {0, 0, -0.5}}}});
  s.root["scenes"] = Json::array({{{"nodes", {0, 1}}}});
  return s;
}

TEST(CliRender, TexturesShowAndPartsCanBeLeftOut) {
  const ScratchFolder work;
  const auto file = work / "two.glb", picture = work / "p.png";
  ASSERT_TRUE(write_file(file, two_triangles().glb()).ok());
  const std::string front = file.string() + " --view front";
  EXPECT_GT(reddish(picture_of(front, picture)), 500u);
  EXPECT_EQ(reddish(picture_of(front + " --no-textures", picture)), 0u);
  EXPECT_EQ(reddish(picture_of(front + " --hide near", picture)), 0u);
  EXPECT_GT(reddish(picture_of(front + " --hide far", picture)), 500u);
  const CommandResult wrong = supple("render " + front + " --hide nera -o " + picture.string());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean near?"), std::string::npos) << wrong.err;
}

TEST(CliRender, ATextureThatCannotBeReadIsToldAndDoneWithout) {
  const ScratchFolder work;
  Sketch s = two_triangles();
  s.root["images"][0] = {{"uri", "data:image/webp;base64,UklGRgAAAABXRUJQVlA4IA=="}};
  ASSERT_TRUE(write_file(work / "webp.glb", s.glb()).ok());
  const CommandResult result =
      supple("render --size 32x32 " + (work / "webp.glb").string() + " -o " + (work / "p.png").string());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("WebP"), std::string::npos) << result.err;
}

TEST(CliRender, BareSkeletonIsDrawnAsBones) {
  const ScratchFolder work;
  ASSERT_TRUE(write_file(work / "walk.bvh",
                         "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "JOINT knee\n{\nOFFSET 0 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "End Site\n{\nOFFSET 0 -1 0\n}\n}\n}\n"
                         "MOTION\nFrames: 3\nFrame Time: 0.1\n0 0 0 0 0 0\n0 0 0 45 0 0\n0 0 0 90 0 0\n")
                  .ok());
  const std::string file = (work / "walk.bvh").string();
  const auto bluish = [&](const render::Image& image) {
    return std::count_if(image.pixels.begin(), image.pixels.end(), [](render::Rgba8 p) { return p.b > p.r + 40; });
  };
  EXPECT_GT(bluish(picture_of(file + " --view front", work / "p.png")), 30);
  const CommandResult film = supple("render --json --size 48x40 " + file + " -o " + (work / "w.gif").string());
  ASSERT_EQ(film.exit_code, 0) << film.err;
  const Json report = Json::parse(film.out);
  EXPECT_EQ(report["frames"], 6);  // 0.2 seconds at 25 a second, both ends
  const auto bytes = read_file(work / "w.gif");
  ASSERT_TRUE(bytes.ok());
  // The head of a GIF: its kind, width and height.
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()), 6), "GIF89a");
  EXPECT_EQ(static_cast<int>((*bytes)[6]), 48);
  EXPECT_EQ(static_cast<int>((*bytes)[8]), 40);
}

TEST(CliRender, FleshIsShownFromTheSideWhereItMoves) {
  // Flesh on the back of a limb: what faces the front gives its weight back to the bone.
  Character limb = fleshy_limb(limb_recipe(), 400);
  Part& part = limb.parts[0];
  const std::vector<JointIndex>& joints = limb.skins[*part.skin].joints;
  SkinWeights weights;
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
    std::vector<Influence> own(part.weights.of(v).begin(), part.weights.of(v).end());
    for (Influence& i : own)
      for (const FleshTwin& twin : limb.flesh.elements[0].twins)
        if (joints[i.joint] == twin.joint && part.mesh.positions[v].z > -0.02f)
          i.joint = static_cast<std::uint32_t>(std::find(joints.begin(), joints.end(), twin.bone) - joints.begin());
    weights.push_vertex(own);
  }
  part.weights = weights;
  clean(part.weights, joints.size());
  const ScratchFolder work;
  const std::string file = (work / "limb.glb").string();
  ASSERT_TRUE(save(file, limb));
  const render::Image shown = picture_of(file, work / "p.png");
  EXPECT_EQ(shown.pixels, picture_of(file + " --view back", work / "p.png").pixels);
  EXPECT_NE(shown.pixels, picture_of(file + " --view front", work / "p.png").pixels);
}

TEST(CliRender, MovingPicturesSayWhatTheyNeed) {
  const ScratchFolder work;
  ASSERT_EQ(supple("make limb --vertices 300 -o " + (work / "limb.glb").string()).exit_code, 0);
  ASSERT_TRUE(write_file(work / "two.glb", two_triangles().glb()).ok());
  const auto refused = [&](const std::string& arguments) {
    const CommandResult result = supple("render --size 32x32 " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  const std::string two = (work / "two.glb").string(), limb = (work / "limb.glb").string();
  EXPECT_NE(refused(two + " -o " + (work / "a.gif").string()).find("no clip"), std::string::npos);
  EXPECT_NE(refused(two + " -o " + (work / "a.bmp").string()).find(".gif or .mp4"), std::string::npos);
  EXPECT_NE(refused(two + " --rate 10 -o " + (work / "a.png").string()).find("--rate"), std::string::npos);
  // Without ffmpeg on the PATH the error says what to install, and leaves nothing behind.
  const CommandResult without =
      run("PATH=/nowhere " + cli + " render --size 32x32 " + limb + " -o " + (work / "a.mp4").string());
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("apt install ffmpeg"), std::string::npos) << without.err;
  EXPECT_FALSE(std::filesystem::exists(work / "a.mp4"));
  if (run("command -v ffmpeg").exit_code != 0) GTEST_SKIP() << "ffmpeg is not installed: no .mp4 is written here";
  const CommandResult film = supple("render --size 33x32 --frames 5 " + limb + " -o " + (work / "a.mp4").string());
  ASSERT_EQ(film.exit_code, 0) << film.err;
  const auto bytes = read_file(work / "a.mp4");
  ASSERT_TRUE(bytes.ok());
  ASSERT_GT(bytes->size(), 100u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes->data()) + 4, 4), "ftyp");
}

}  // namespace
}  // namespace supple::test
