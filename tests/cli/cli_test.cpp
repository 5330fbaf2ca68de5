// The command line as its users meet it: results, errors, exit codes, and files that are whole or not there.
#include <gtest/gtest.h>

#include <cstring>

#include "cli/program.h"
#include "supple/files/json.h"
#include "supple/files/load.h"
#include "support/run_command.h"
#include "support/shared_data.h"

namespace supple::test {
namespace {

/// One small hand for all tests.
const std::filesystem::path& hand() {
  static const ScratchFolder folder;
  static const std::filesystem::path path = [] {
    const auto file = folder / "hand.glb";
    const CommandResult made = supple("make hand --vertices 1500 --side left -o " + file.string());
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return file;
  }();
  return path;
}

TEST(Cli, MakeHandIsDeterministicAndInspectable) {
  const ScratchFolder work;
  const auto again = work / "again.glb";
  ASSERT_EQ(supple("make hand --vertices 1500 --side left --threads 1 -o " + again.string()).exit_code, 0);
  EXPECT_EQ(contents(again), contents(hand()));
  const CommandResult inspected = supple("inspect --json " + hand().string());
  ASSERT_EQ(inspected.exit_code, 0) << inspected.err;
  const Json report = Json::parse(inspected.out);
  EXPECT_TRUE(report["ok"]);
  EXPECT_NEAR(report["parts"][0]["vertices"].get<double>(), 1500, 45);
  EXPECT_EQ(report["parts"][0]["max_influences"], 4);
  EXPECT_TRUE(report["problems"].empty()) << report["problems"];
  EXPECT_TRUE(report["engines"]["bevy"]["fits"]);
  EXPECT_EQ(report["clips"][0]["name"], "fist");
  const CommandResult text = supple("inspect --joints " + hand().string());
  EXPECT_NE(text.out.find("index-finger-phalanx-proximal"), std::string::npos);
  EXPECT_NE(text.out.find("flexion"), std::string::npos);
}

TEST(Cli, EveryCommandHelpsWithAnExample) {
  for (const std::string command : {"",
                                    "make",
                                    "make hand",
                                    "make limb",
                                    "inspect",
                                    "bind",
                                    "pose",
                                    "convert",
                                    "render",
                                    "compare",
                                    "demo",
                                    "plan",
                                    "fit",
                                    "studio",
                                    "subdivide",
                                    "add",
                                    "add flesh",
                                    "add kinodynamics",
                                    "add wrinkles",
                                    "add delta-mush",
                                    "remove",
                                    "bake",
                                    "measure",
                                    "simulate",
                                    "examples info",
                                    "examples check",
                                    "examples import"}) {
    const CommandResult help = supple(command + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_NE(help.out.find("Example:\n  supple"), std::string::npos) << command << help.out;
  }
  EXPECT_NE(supple("--help").out.find("Exit codes"), std::string::npos);
  EXPECT_NE(supple("--version").out.find("supple 0."), std::string::npos);
}

TEST(Cli, ChoicesAreListedTakenInAnyCaseAndNothingElse) {
  const ScratchFolder work;
  const std::string limb = "make hand --vertices 300 --no-bones -o " + (work / "hand.glb").string();
  EXPECT_NE(supple("make hand --help").out.find("--side left|right"), std::string::npos);
  EXPECT_EQ(supple(limb + " --side LEFT").exit_code, 0);
  const CommandResult other = supple(limb + " --side middle");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("'middle' is not one of left|right"), std::string::npos) << other.err;
  for (const char* number : {"nan", "0", "-1", "1e999", "ten"})
    EXPECT_EQ(supple("add flesh " + hand().string() + " --auto --unit " + number + " -o x.glb").exit_code, 2) << number;
}

TEST(Cli, MisspeltWordsAreAnsweredWithTheRightOne) {
  const CommandResult option = supple("inspect --jionts " + hand().string());
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("did you mean --joints?"), std::string::npos) << option.err;
  const CommandResult command = supple("inspekt " + hand().string());
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_NE(command.err.find("did you mean inspect?"), std::string::npos) << command.err;
  const CommandResult joint = supple("pose " + hand().string() + " --pose wirst.flexion=10 -o /dev/null");
  EXPECT_EQ(joint.exit_code, 2);
  EXPECT_NE(joint.err.find("did you mean wrist?"), std::string::npos) << joint.err;
  const CommandResult clip = supple("render " + hand().string() + " --clip fits -o none.png");
  EXPECT_NE(clip.err.find("did you mean fist?"), std::string::npos) << clip.err;
  EXPECT_EQ(supple("").exit_code, 2);
}

TEST(Cli, BadInputIsCodeTwoAndWritesNothing) {
  const ScratchFolder work;
  const std::string glb = contents(hand());
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(work / name, std::ios::binary) << bytes;
  };
  write("empty.glb", "");
  write("short.glb", glb.substr(0, 100));
  write("half.glb", glb.substr(0, glb.size() / 2));
  write("text.glb", "this is not a model");
  write("broken.obj", "v 0 0 0\nf 1 2 3\n");
  write("model.xyz", "?");
  std::string lying = glb;
  lying[8] = static_cast<char>(lying[8] + 4);  // total length
  write("lying.glb", lying);
  const std::size_t before = work.entries();
  for (const std::string name :
       {"missing.glb", "empty.glb", "short.glb", "half.glb", "text.glb", "broken.obj", "model.xyz", "lying.glb"}) {
    for (const std::string& command :
         std::vector<std::string>{"convert " + (work / name).string() + " -o " + (work / "out.glb").string(),
                                  "render " + (work / name).string() + " -o " + (work / "out.png").string(),
                                  "inspect " + (work / name).string()}) {
      const CommandResult result = supple(command);
      EXPECT_EQ(result.exit_code, 2) << command;
      EXPECT_NE(result.err.find(name), std::string::npos) << "the message must name the file: " << result.err;
    }
  }
  EXPECT_EQ(work.entries(), before) << "something was written";
}

TEST(Cli, ErrorsInJsonHaveTheirParts) {
  const CommandResult result = supple("inspect --json missing.glb");
  EXPECT_EQ(result.exit_code, 2);
  const Json report = Json::parse(result.out);
  EXPECT_FALSE(report["ok"]);
  EXPECT_NE(report["error"]["item"].get<std::string>().find("missing.glb"), std::string::npos);
}

TEST(Cli, AFullDiskLeavesTheOldFile) {
  const ScratchFolder work;
  const auto file = work / "hand.glb";
  std::filesystem::copy_file(hand(), file);
  // A limit on file size (in KiB) stands for a full disk.
  const CommandResult result =
      run("ulimit -f 8; " + std::string(SUPPLE_CLI) + " make limb --vertices 5000 -o " + file.string());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("hand.glb"), std::string::npos) << result.err;
  EXPECT_EQ(contents(file), contents(hand()));
  EXPECT_EQ(work.entries(), 1u) << "a temporary file was left";
}

TEST(Cli, BadArgumentsAreRefused) {
  for (const std::string& arguments : std::vector<std::string>{
           "make hand --vertices 0 -o /dev/null/x.glb", "make hand --vertices 1000000000 -o x.glb",
           "make hand --side up -o x.glb", "make hand -o nowhere/x.glb --vertices 200",
           "make hand --vertices many -o x.glb", "render " + hand().string() + " -o x.png --size 0x10",
           "render " + hand().string() + " -o x.png --view sideways",
           "render " + hand().string() + " -o x.png --map heat", "render " + hand().string() + " -o x.png --map error",
           "pose " + hand().string() + " --pose wrist=3 -o x.obj",
           "pose " + hand().string() + " --pose wrist.curl=3 -o x.obj", "convert " + hand().string() + " -o x.fbx",
           "convert " + hand().string()}) {
    const CommandResult result = supple(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.err.find("supple: error: "), std::string::npos) << arguments;
    EXPECT_FALSE(std::filesystem::exists("x.glb") || std::filesystem::exists("x.png") ||
                 std::filesystem::exists("x.obj"))
        << arguments;
  }
}

TEST(Cli, PosedSurfaceEqualsPosedRig) {
  const ScratchFolder work;
  const std::string turns = " --clip fist --time 1.5 --pose 'index-finger-*.flexion=30' --pose wrist.flexion=-20 ";
  const auto surface = work / "posed.glb", rig = work / "rig.glb";
  ASSERT_EQ(supple("pose " + hand().string() + turns + "--bake -o " + surface.string()).exit_code, 0);
  ASSERT_EQ(supple("pose " + hand().string() + turns + "-o " + rig.string()).exit_code, 0);
  // The rig's new rest pose is the pose: comparing rest with the baked surface must find rounding only.
  const CommandResult same = supple("compare --json --max 1e-6 " + rig.string() + " " + surface.string());
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  const CommandResult different = supple("compare --max 1e-3 " + hand().string() + " " + surface.string());
  EXPECT_EQ(different.exit_code, 1) << different.out;
  EXPECT_NE(different.out.find("worst at vertex"), std::string::npos);
}

TEST(Cli, CompareMeasuresVolumeAndFolds) {
  const CommandResult result = supple("compare --json --interior 60 " + hand().string() + " " + hand().string() +
                                      " --clip fist --time 2 --reference-blend dual");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json skin = Json::parse(result.out)["parts"][0];
  EXPECT_GT(skin["vertex_mm"]["max"].get<double>(), 0.1) << "linear and dual quaternion blending differ in a fist";
  EXPECT_LT(std::abs(skin["volume"]["change_percent"].get<double>()), 20);
  EXPECT_GT(skin["jacobian"]["points"].get<int>(), 20);
  EXPECT_FALSE(skin["vertex_mm"]["worst"]["joint"].get<std::string>().empty());
}

TEST(Cli, PicturesAreWritten) {
  const ScratchFolder work;
  const auto picture = work / "p.png";
  for (const std::string& look :
       std::vector<std::string>{"--view palm,dorsal", "--clip fist --frames 3", "--wireframe --bones", "--map weights",
                                "--map weights:wrist", "--map displacement --clip fist --time 2", "--opacity 0.4",
                                "--map error --clip fist --time 2 --blend dual --reference " + hand().string()}) {
    const CommandResult result =
        supple("render " + hand().string() + " --size 160x160 -o " + picture.string() + " " + look);
    ASSERT_EQ(result.exit_code, 0) << look << result.err;
    EXPECT_EQ(contents(picture).substr(1, 3), "PNG");
    EXPECT_GT(contents(picture).size(), 2000u) << look;
  }
}

TEST(Cli, BindGivesWeightsToAMeshWithoutARig) {
  const ScratchFolder work;
  const auto mesh = work / "mesh.obj", bound = work / "bound.glb", limb = work / "limb.glb";
  ASSERT_EQ(supple("make limb --joints 3 --vertices 1200 -o " + limb.string()).exit_code, 0);
  ASSERT_EQ(supple("pose " + limb.string() + " -o " + mesh.string()).exit_code, 0);
  const CommandResult result =
      supple("bind --json " + mesh.string() + " --skeleton " + limb.string() + " --influences 3 -o " + bound.string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LE(Json::parse(result.out)["max_influences"].get<int>(), 3);
  const CommandResult rest = supple("compare --max 1e-6 " + bound.string() + " " + mesh.string());
  EXPECT_EQ(rest.exit_code, 0) << rest.out << rest.err;
}

TEST(Cli, WeightsAreMendedInTheFileThatIsWritten) {
  const ScratchFolder work;
  const auto limb = work / "limb.glb", heavy = work / "heavy.glb", mended = work / "mended.glb";
  ASSERT_EQ(supple("make limb --vertices 300 -o " + limb.string()).exit_code, 0);
  gltf::Document document = gltf::read_document(limb).value();
  const auto& accessor =
      document.root["accessors"][document.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].get<int>()];
  const auto& view = document.root["bufferViews"][accessor["bufferView"].get<int>()];
  ASSERT_EQ(accessor["componentType"], 5126) << "floats";
  for (std::size_t i = 0; i < 4 * accessor["count"].get<std::size_t>(); ++i) {
    std::byte* place = document.buffers[0].data() + view.value("byteOffset", std::size_t{0}) +
                       accessor.value("byteOffset", std::size_t{0}) + 4 * i;
    float weight = 0;
    std::memcpy(&weight, place, 4);
    weight *= 2;
    std::memcpy(place, &weight, 4);
  }
  ASSERT_TRUE(gltf::write_document(heavy, document));

  const CommandResult refused = supple("convert --strict " + heavy.string() + " -o " + mended.string());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(mended));
  const CommandResult repaired = supple("convert " + heavy.string() + " -o " + mended.string());
  ASSERT_EQ(repaired.exit_code, 0) << repaired.err;
  EXPECT_NE(repaired.err.find("vertices whose weights do not sum to one"), std::string::npos) << repaired.err;
  EXPECT_EQ(supple("inspect --strict " + mended.string()).exit_code, 0);
  EXPECT_EQ(supple("compare --max 1e-6 " + mended.string() + " " + limb.string() + " --clip 0 --time 1").exit_code, 0);
}

TEST(Cli, ObjFilesHoldTheSurfacesWhereTheRigPlacesThem) {
  const auto figure = shared_data("gltf_khronos/CesiumMan.glb");
  SUPPLE_REQUIRE_DATA(figure);
  const ScratchFolder work;
  const auto obj = work / "figure.obj";
  ASSERT_EQ(supple("convert " + figure.string() + " -o " + obj.string()).exit_code, 0);
  EXPECT_EQ(supple("compare --max 1e-6 " + figure.string() + " " + obj.string()).exit_code, 0);
}

TEST(Cli, OptionsMayComeBeforeTheFile) {
  const ScratchFolder work;
  const CommandResult result =
      supple("pose --pose wrist.flexion=500 " + hand().string() + " -o " + (work / "posed.obj").string());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("beyond its limits"), std::string::npos) << result.err;
}

TEST(Cli, JsonSurvivesNamesThatAreNoText) {
  const CommandResult result = supple("inspect --json \"$(printf 'no\\377such.glb')\"");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_FALSE(Json::parse(result.out)["ok"]);
}

TEST(Cli, AFullStandardOutputIsAnError) {
  EXPECT_EQ(supple("inspect " + hand().string() + " >/dev/full").exit_code, 2);
  EXPECT_EQ(supple("inspect --json " + hand().string() + " >/dev/full").exit_code, 2);
}

TEST(Cli, AMotionIsAppliedByJointNames) {
  const auto motion = shared_data("bvh/cmu_02_01_walk.bvh");
  SUPPLE_REQUIRE_DATA(motion);
  const ScratchFolder work;
  const auto rig = work / "rig.glb", walking = work / "walking.glb";
  // The motion's own skeleton is a rig.
  ASSERT_EQ(supple("convert " + motion.string() + " -o " + rig.string()).exit_code, 0);
  const CommandResult applied =
      supple("convert --json " + rig.string() + " -o " + walking.string() + " --motion " + motion.string());
  ASSERT_EQ(applied.exit_code, 0) << applied.err;
  EXPECT_GE(Json::parse(applied.out)["clips"].get<int>(), 1);
}

}  // namespace
}  // namespace supple::test
