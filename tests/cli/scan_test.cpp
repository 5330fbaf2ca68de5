// supple scan as users run it: scans in, a posable hand out; decisions corrected by hand; input that cannot be used.
#include <gtest/gtest.h>

#include "cli/scan_study.h"
#include "supple/deform/skin.h"
#include "supple/files/example_set_file.h"
#include "supple/rig/example_set.h"

namespace supple::test {
namespace {

TEST(ScanBuild, MakesAHandThatMovesAsItWasScanned) {
  const Study study("", Begin::built);
  const fs::path examples = study.made / "examples", page = study.made / "report.html";
  const Json facts = study.facts();
  EXPECT_EQ(facts["bones"].size(), 21u);
  EXPECT_EQ(facts["scans"].size(), 3u);
  for (const Json& scan : facts["errors"]) {
    // Skin of a phantom without flesh is a blend; a sample is .9 mm.
    EXPECT_LT(scan["wpsd"]["rms_mm"], scan["role"] == "test" ? 0.6 : 0.2) << scan.dump();
  }
  const std::string text = contents(page);
  EXPECT_LT(text.find("A posable hand of 21 bones"), text.find("In numbers"));
  for (const char* told : {"stages kept", "of all processors together", "What kind of joint each is",
                           "Anatomical angles", "&plusmn;", "Sliding of joints", "Axes of bones in the base scan"})
    EXPECT_NE(text.find(told), std::string::npos) << told;
  EXPECT_GE(facts["processor_seconds"], 0.1);  // of the whole process, which has the stages and more
  EXPECT_GT(facts["memory_mb"], 10);

  const auto loaded = load(study.hand, nullptr, {.strict = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const Character& hand = loaded->character();
  ASSERT_TRUE(hand.pose_space.has_value());
  EXPECT_EQ(hand.pose_space->examples(), 2u);
  EXPECT_TRUE(hand.skeleton.find("index-finger-tip").has_value());
  EXPECT_NE(hand.find_clip("scans"), nullptr);
  const auto set = load_examples(examples);
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(set->size(), 2u);
  Skin skin = Skin::make(hand).value();
  Pose pose = set->pose(0);
  pose.morph_weights = hand.morph_weights;
  ASSERT_TRUE(skin.evaluate(pose).ok());
  for (std::size_t v = 0; v < set->vertices(); ++v)  // the example itself, to the rounding of its way there and back
    EXPECT_LT(length(skin.positions(0)[v] - set->positions_of(0)[v]), 2e-6f);
}

TEST(ScanBuild, RunsAgainOnlyWhatDependsOnWhatWasChanged) {
  const Study study("", Begin::built);
  EXPECT_EQ(made_anew(study), std::vector<std::string>{"character"});
  // Called from within its folder it is the same project.
  const std::string inside =
      "cd " + study.folder.string() + " && " + cli + " scan build project.json -o hand.glb --json";
  EXPECT_EQ(made_anew(run(inside)), std::vector<std::string>{"character"});

  // A joint moved by a millimetre: no scan has to be looked at again.
  double before = 0;
  study.edit([&](Json& json) {
    Json& centre = json["decisions"]["joints"]["index-finger-phalanx-proximal"]["centre_mm"][0];
    before = centre.get<double>();
    centre = before + 1;
  });
  EXPECT_EQ(made_anew(study), std::vector<std::string>{"character"});
  Json joint = (*read_json(study.project))["decisions"]["joints"]["index-finger-phalanx-proximal"];
  EXPECT_EQ(joint["decided"], "by hand");
  EXPECT_DOUBLE_EQ(joint["centre_mm"][0].get<double>(), before + 1);
  // Taken away, it is decided again.
  study.edit([](Json& json) { json["decisions"]["joints"].erase("index-finger-phalanx-proximal"); });
  ASSERT_EQ(study.build().exit_code, 0);
  joint = (*read_json(study.project))["decisions"]["joints"]["index-finger-phalanx-proximal"];
  EXPECT_FALSE(joint.contains("decided"));
  EXPECT_DOUBLE_EQ(joint["centre_mm"][0].get<double>(), before);

  // The threshold of one scan: its own surfaces, bones and skin, and no other's.
  study.edit([](Json& json) { json["decisions"]["thresholds"]["test-a"]["bone"] = 410; });
  const std::vector<std::string> anew = made_anew(study);
  EXPECT_EQ(anew, (std::vector<std::string>{"surfaces of test-a", "bones of test-a", "skin of test-a", "character"}));
}

TEST(ScanBuild, SaysWhatIsWrongWithAProject) {
  const Study study;
  const auto refuses = [&](const std::function<void(Json&)>& change, const std::string& why) {
    const Json good = *read_json(study.project);
    study.edit(change);
    const CommandResult result = study.build();
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(study.hand));
    study.edit([&](Json& json) { json = good; });
  };
  refuses([](Json& j) { j["base"] = "relaxd"; }, "has no scan 'relaxd' to be its base (did you mean relaxed?)");
  refuses([](Json& j) { j["scans"][1]["volume"] = "nowhere.nrrd"; }, "is not there");
  refuses([](Json& j) { j["scans"][1]["rolle"] = "test"; }, "unknown member 'rolle'");
  refuses([](Json& j) { j["scans"][1]["name"] = "relaxed"; }, "names two scans 'relaxed'");
  refuses([](Json& j) { j["supple"] = "recipe"; }, "is no scan project");
  refuses([](Json& j) { j["side"] = "left"; }, "the other side");
  refuses(
      [](Json& j) {
        j["decisions"]["thresholds"]["relaxed"] = {{"bone", 4000}, {"decided", "by hand"}};
      },
      "has no bone at 4000");
  refuses(
      [](Json& j) {
        j["decisions"]["bones"]["wrist"] = {{"pieces", {99}}, {"decided", "by hand"}};
      },
      "names a piece that is not there: 99");
}

// What a lab's own data may hold: the message names the scan and what to do, the hand built before stays as it was, and
// once the fault is mended the project goes on.
TEST(ScanBuild, RefusesScansThatAreNotWhatTheyShouldBe) {
  const Study study("--format both");
  study.edit([](Json& json) { json["scans"][1]["volume"] = "grasp"; });
  ASSERT_EQ(study.build().exit_code, 0);
  const std::string before = contents(study.hand), project = contents(study.project);
  const auto refuses = [&](const std::vector<std::string>& why) {
    const CommandResult result = study.build();
    EXPECT_EQ(result.exit_code, 2) << result.out;
    for (const std::string& words : why) EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(contents(study.hand), before);
  };
  const auto slices = [&](const char* scan) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(study.folder / scan)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  };

  const std::vector<fs::path> grasp = slices("grasp");
  const fs::path aside = study.work / "aside.dcm";
  fs::rename(grasp[grasp.size() / 2], aside);
  refuses({"grasp", "1 slice is missing in 1 gap between"});
  fs::rename(aside, grasp[grasp.size() / 2]);

  for (const fs::path& slice : slices("relaxed"))
    fs::copy_file(slice, study.folder / "grasp" / ("other-" + slice.filename().string()));
  refuses({"holds 2 series", "Hand grasp", "Hand relaxed"});
  study.edit([](Json& json) { json["scans"][1]["series"] = "Hand grasp"; });
  EXPECT_EQ(study.build().exit_code, 0);
  EXPECT_EQ(contents(study.hand), before);  // the same scan as ever

  std::string mr = contents(study.folder / "grasp.nrrd");
  const std::size_t at = mr.find("modality:=CT");
  ASSERT_NE(at, std::string::npos);
  mr.replace(at, 12, "modality:=MR");
  std::ofstream(study.folder / "mr.nrrd", std::ios::binary) << mr;
  study.edit([](Json& json) {
    json["scans"][1].erase("series");
    json["scans"][1]["volume"] = "mr.nrrd";
    json["decisions"]["thresholds"].erase("grasp");
  });
  refuses({"mr.nrrd", "magnetic resonance has no fixed scale", "give the thresholds"});

  const Study left("--side left");
  fs::copy_file(left.folder / "grasp.nrrd", study.folder / "left.nrrd");
  study.edit([](Json& json) { json["scans"][1]["volume"] = "left.nrrd"; });
  refuses({"grasp", "other hand"});

  for (const fs::path& slice : slices("grasp"))
    if (slice.filename().string().starts_with("other-")) fs::remove(slice);
  std::ofstream(study.project, std::ios::binary) << project;
  const CommandResult mended = study.build();
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_EQ(contents(study.hand), before);
}

// Bones that hang together: nothing is cut where the marker is below the surface's own threshold.
TEST(ScanBuild, SaysWhichBonesHangTogether) {
  const Study study("--touching");
  study.edit([](Json& json) {
    json["decisions"]["thresholds"]["relaxed"] = {{"bone", 420}, {"skin", -480}, {"decided", "by hand"}};
    json["decisions"]["pieces"] = {{"marker", 0}, {"decided", "by hand"}};
  });
  const CommandResult merged = study.build();
  EXPECT_EQ(merged.exit_code, 2) << merged.out;
  EXPECT_NE(merged.err.find("likely holds more than one"), std::string::npos) << merged.err;
  EXPECT_NE(merged.err.find("marker"), std::string::npos) << merged.err;
  study.edit([](Json& json) { json.erase("decisions"); });
  const CommandResult apart = study.build();
  EXPECT_EQ(apart.exit_code, 0) << apart.err;
}

TEST(ScanPhantom, TakesPosesOfOnesChoice) {
  const ScratchFolder work;
  const std::string command = cli + " scan phantom --no-flesh --voxel 2 --vertices 1000 -o " +
                              (work / "scans").string() + " --pose-file " + (work / "poses.json").string();
  const auto write = [&](const std::string& text) { std::ofstream(work / "poses.json") << text; };
  for (const char* bad : {"[]", "{\"a\": 3}", "{\"a\": {\"wrist\": 3}}", "{\"a\": {\"wrist\": {\"flexion\": \"x\"}}}",
                          "{\"a\": {\"wing\": {\"flexion\": 3}}}", "{\"relaxed\": {\"wrist\": {\"flexion\": 3}}}"}) {
    write(bad);
    const CommandResult refused = run(command);
    EXPECT_EQ(refused.exit_code, 2) << bad;
    EXPECT_FALSE(fs::exists(work / "scans")) << bad;
  }
  write("{\"bent\": {\"wrist\": {\"flexion\": 30}}, \"test-far\": {\"wrist\": {\"flexion\": 85}}}");
  const CommandResult made = run(command + " --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("beyond its limits"), std::string::npos) << made.out;
  const Json truth = *read_json(work / "scans" / "truth.json"), project = *read_json(work / "scans" / "project.json");
  ASSERT_EQ(truth["poses"].size(), 3u);
  EXPECT_EQ(truth["poses"][1]["name"], "bent");
  EXPECT_NEAR(truth["poses"][1]["angles"]["wrist.flexion"].get<double>(), 30, 1e-3);
  EXPECT_EQ(project["scans"][2]["role"], "test");
}

TEST(ScanInspect, ListsWhatIsInAFolder) {
  const Study study("--format dicom");
  const CommandResult shown = run(cli + " scan inspect " + (study.folder / "grasp").string() + " --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(Json::parse(shown.out)["modality"], "CT") << shown.out;
  const CommandResult all = run(cli + " scan inspect " + study.folder.string());
  EXPECT_NE(all.out.find("grasp"), std::string::npos) << all.out << all.err;  // every series is named
  EXPECT_EQ(run(cli + " scan inspect " + (study.work / "nothing").string()).exit_code, 2);
}

// Surfaces as another program might have segmented them are as good as the volumes they came from.
TEST(ScanSurfaces, OfEveryScanMakeAProjectWithoutVolumes) {
  const Study study;
  study.edit([&](Json& json) {
    for (Json& scan : json["scans"]) {
      const std::string name = scan["name"];
      const CommandResult drawn = run(cli + " scan surfaces " + (study.folder / (name + ".nrrd")).string() + " -o " +
                                      (study.folder / name).string() + " --json");
      ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
      const Json facts = Json::parse(drawn.out);
      if (name == "relaxed") {
        EXPECT_EQ(facts["pieces"].size(), 22u);  // 21 bones, two of them in the forearm
      }
      EXPECT_TRUE(facts["skin"]["closed"]);
      scan.erase("volume");
      scan["skin"] = name + "/skin.stl";
      for (std::size_t p = 1; p <= facts["pieces"].size(); ++p) {
        char file[40];
        std::snprintf(file, sizeof file, "%s/bone-%02zu.stl", name.c_str(), p);
        ASSERT_TRUE(fs::exists(study.folder / file)) << file;
        scan["bones"].push_back(file);
      }
    }
  });
  const CommandResult built = study.build("--json");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Json facts = Json::parse(built.out);
  for (const Json& error : facts["errors"])  // as from the volumes
    EXPECT_LT(error["wpsd"]["rms_mm"], error["role"] == "test" ? 0.6 : 0.2) << error.dump();

  const std::string again = cli + " scan surfaces " + (study.folder / "relaxed.nrrd").string() + " -o ";
  EXPECT_EQ(run(again + (study.folder / "relaxed").string()).exit_code, 2);  // nothing is written over
  const fs::path picture = study.work / "bones.png";
  const CommandResult coarse =
      run(again + (study.work / "coarse").string() + " --triangles 2000 --json --preview " + picture.string());
  ASSERT_EQ(coarse.exit_code, 0) << coarse.err;
  EXPECT_LT(Json::parse(coarse.out)["skin"]["triangles"], 2100);
  EXPECT_GT(fs::file_size(picture), 10000u);

  // What was blurred is said, and can be left out: volumes differ by it.
  const Json blurred = Json::parse(coarse.out);
  EXPECT_EQ(blurred["blur_samples"]["bone"], 0.5);
  EXPECT_EQ(blurred["blur_samples"]["skin"], 0.8);
  const CommandResult sharp =
      run(again + (study.work / "sharp").string() + " --triangles 2000 --json --bone-blur 0 --skin-blur 0");
  ASSERT_EQ(sharp.exit_code, 0) << sharp.err;
  const Json exact = Json::parse(sharp.out);
  EXPECT_EQ(exact["blur_samples"]["bone"], 0);
  EXPECT_NE(exact["skin"]["volume_mm3"], blurred["skin"]["volume_mm3"]);
  EXPECT_NE(exact["pieces"][0]["volume_mm3"], blurred["pieces"][0]["volume_mm3"]);
}

}  // namespace
}  // namespace supple::test
