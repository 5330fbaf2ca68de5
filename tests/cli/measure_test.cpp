// supple measure: a limb bent too far is told with its place, a clip with its worst frame.
#include <gtest/gtest.h>

#include "cli/program.h"
#include "support/run_command.h"

#include "supple/files/json.h"

namespace supple::test {
namespace {

/// 60 cm along y, 5 cm thick, joints at 0, 20 and 40 cm.
const std::string& limb() {
  static const ScratchFolder folder;
  static const std::string file = [] {
    const std::string path = (folder / "limb.glb").string();
    EXPECT_EQ(supple("make limb --vertices 1500 -o " + path).exit_code, 0);
    return path;
  }();
  return file;
}

Json measured(const std::string& options) {
  const CommandResult done = supple("measure --json " + limb() + " " + options);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  return done.exit_code == 0 ? Json::parse(done.out) : Json{};
}

TEST(MeasureCommand, RestIsSound) {
  const Json part = measured("--interior 40")["parts"][0];
  EXPECT_NEAR(part["volume"]["change_percent"].get<double>(), 0, 1e-4);
  EXPECT_EQ(part["self_intersections"]["triangles"], 0);
  EXPECT_FALSE(part["self_intersections"].contains("worst"));
  EXPECT_NEAR(part["jacobian"]["min"].get<double>(), 1, 1e-4);
  EXPECT_NEAR(part["seam"]["gap_mm"].get<double>(), 0, 1e-4);
}

TEST(MeasureCommand, ALimbBentTooFarCutsThroughItself) {
  const Json part = measured("--pose limb-1.x=140 --list 5")["parts"][0];
  const Json& found = part["self_intersections"];
  EXPECT_GT(found["triangles"], 10);
  EXPECT_EQ(found["new_triangles"], found["triangles"]);
  EXPECT_EQ(found["crossings"].size(), 5u);
  EXPECT_GT(found["length_mm"], 20.0);
  EXPECT_NEAR(found["worst"]["position"][1].get<double>(), 0.2, 0.1) << "at the joint";
  EXPECT_TRUE(found["worst"]["joint"] == "limb-0" || found["worst"]["joint"] == "limb-1");
  EXPECT_LT(part["volume"]["change_percent"], -1.0) << "linear blending loses volume";

  const CommandResult text = supple("measure " + limb() + " --pose limb-1.x=140");
  EXPECT_NE(text.out.find("triangles cross others"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("limb-"), std::string::npos);
}

TEST(MeasureCommand, AClipIsMeasuredInItsWorstFrames) {
  const Json report = measured("--clip bend --rate 10");
  const std::size_t frames = report["frames"];
  ASSERT_GT(frames, 10u);
  const Json& part = report["parts"][0];
  ASSERT_EQ(part["frames"].size(), frames);
  double worst = 0;
  std::size_t most = 0;
  for (const Json& frame : part["frames"]) {
    worst = std::max(worst, std::abs(frame["change_percent"].get<double>()));
    most = std::max(most, frame["triangles"].get<std::size_t>());
  }
  EXPECT_EQ(std::abs(part["volume"]["change_percent"].get<double>()), worst);
  EXPECT_EQ(part["self_intersections"]["triangles"], most);
  const std::size_t at = part["volume"]["frame"];
  EXPECT_EQ(std::abs(part["frames"][at]["change_percent"].get<double>()), worst);
  EXPECT_NEAR(part["volume"]["time"].get<double>(), static_cast<double>(at) / 10, 1e-6);
  // The same frame by itself, and by any number of threads.
  const std::string alone = " --clip bend --time " + std::to_string(part["volume"]["time"].get<double>());
  const Json single = measured("--threads 1" + alone)["parts"][0];
  EXPECT_NEAR(single["volume"]["change_percent"].get<double>(), part["volume"]["change_percent"].get<double>(), 1e-6);
  EXPECT_FALSE(single["volume"].contains("frame"));
}

TEST(MeasureCommand, OpenSurfacesHaveNoVolumeButCrossings) {
  const ScratchFolder work;
  const auto file = work / "open.obj";
  std::ofstream(file) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\nf 4 5 6\n";
  const CommandResult done = supple("measure --json " + file.string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const Json part = Json::parse(done.out)["parts"][0];
  EXPECT_TRUE(part["volume"].is_null());
  EXPECT_NE(part["open"].get<std::string>().find("surface is open"), std::string::npos);
  EXPECT_EQ(part["self_intersections"]["triangles"], 2);
  EXPECT_EQ(part["self_intersections"]["new_triangles"], 0);
  const CommandResult inside = supple("measure --interior 10 " + file.string());
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_NE(inside.err.find("close the holes"), std::string::npos) << inside.err;
}

TEST(MeasureCommand, SaysWhatIsWrong) {
  const auto complaint = [&](const std::string& options) {
    const CommandResult done = supple("measure " + options);
    EXPECT_EQ(done.exit_code, 2) << options;
    return done.err;
  };
  EXPECT_NE(complaint(limb() + " --rate 30").find("give --clip without --time"), std::string::npos);
  EXPECT_NE(complaint(limb() + " --clip bned").find("did you mean bend?"), std::string::npos);
  EXPECT_NE(complaint(limb() + " --pose limb-9.x=3").find("limb-9"), std::string::npos);
  EXPECT_NE(complaint("none.glb").find("none.glb"), std::string::npos);
  const CommandResult help = supple("measure --help");
  EXPECT_NE(help.out.find("Example:\n  supple measure"), std::string::npos);
}

}  // namespace
}  // namespace supple::test
