// Decisions in a scan project: what people set holds, whatever changes around it, and what cannot hold is said.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/scan_study.h"

namespace supple::test {
namespace {

const std::string knuckle = "index-finger-phalanx-proximal";

Json decisions_of(const Study& study) { return (*read_json(study.project))["decisions"]; }

/// What a build says; it must succeed.
Json built(const Study& study) {
  const CommandResult result = study.build("--json");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  return result.exit_code == 0 ? Json::parse(result.out) : Json();
}

/// A build after `change` is refused with these words, and the project is what it was again.
void refuses(const Study& study, const std::function<void(Json&)>& change, const std::string& why) {
  const std::string good = contents(study.project);
  study.edit(change);
  const CommandResult result = study.build();
  EXPECT_EQ(result.exit_code, 2) << why;
  EXPECT_NE(result.err.find(why), std::string::npos) << why << "\n" << result.err;
  std::ofstream(study.project, std::ios::binary) << good;
}

/// The scan "grasp" as a header without the patient's position, which is worth a warning, and a file of samples.
fs::path detach_samples(const Study& study) {
  std::string text = contents(study.folder / "grasp.nrrd");
  const std::size_t end = text.find("\n\n");
  const fs::path samples = study.folder / "samples.gz";
  std::ofstream(samples, std::ios::binary) << text.substr(end + 2);
  std::string header = text.substr(0, end);
  const std::string space = "space: left-posterior-superior\n";
  const std::size_t at = header.find(space);
  EXPECT_NE(at, std::string::npos) << header;
  header.replace(at, space.size(), "data file: samples.gz\n");
  std::ofstream(study.folder / "grasp.nhdr", std::ios::binary) << header << "\n";
  study.edit([](Json& json) { json["scans"][1]["volume"] = "grasp.nhdr"; });
  return samples;
}

void mistakes_are_named(const Study& study) {
  const auto wrong = [&](const std::function<void(Json&)>& change, const std::string& why) {
    refuses(
        study, [&](Json& json) { change(json["decisions"]); }, why);
  };
  wrong([](Json& d) { d["joint"] = Json::object(); },
        "decisions: has an unknown member 'joint' (did you mean joints?)");
  wrong([](Json& d) { d["thresholds"]["relaxd"]["bone"] = 300; },
        "a scan 'relaxd' that it cannot be about (did you mean");
  wrong([](Json& d) { d["alignment"]["relaxed"]["wrist"]["shift_mm"] = {0, 0, 0}; }, "a scan 'relaxed' that it cannot");
  wrong([](Json& d) { d["joints"]["wirst"]["slides"] = true; }, "a bone 'wirst' that it cannot be about (did you mean");
  wrong([](Json& d) { d["joints"]["wrist"]["slides"] = "yes"; },
        "joints.wrist: has a 'slides' that is not true or false");
  wrong([](Json& d) { d["joints"]["wrist"]["center_mm"] = {0, 0, 0}; }, "unknown member 'center_mm'");
  wrong([](Json& d) { d["thresholds"]["grasp"]["bone"] = "300"; },
        "thresholds.grasp: has a 'bone' that is not a number");
  wrong([](Json& d) { d["pieces"]["marker"] = true; }, "pieces: has a 'marker' that is not a number");
  wrong([](Json& d) { d["bones"]["wrist"]["pieces"] = {1, 1}; }, "bones.wrist: lists piece 1 twice");
  wrong([](Json& d) { d["bones"]["wrist"]["decided"] = "byhand"; }, "has a 'decided' that is not \"by hand\"");
  wrong([](Json& d) { d["features"]["grasp"]["points"][0]["name"] = 5; }, "points[0]: has a 'name' that is not text");
  wrong([](Json& d) { d["features"]["grasp"]["points"][0]["vertex"] = -1; }, "has a 'vertex' that is not");
}

void an_edit_during_a_build_is_kept(const Study& study) {
  const fs::path work = study.folder / "project.work", edited = study.work / "edited.json";
  Json json = *read_json(study.project);
  json["name"] = "renamed meanwhile";
  std::ofstream(edited) << json.dump(1);
  const std::string before = contents(study.project), memory = contents(work / "decided.json");
  // The first stage is to be made again, and so is the second, which gives the time for an edit in between.
  fs::remove(work / "surfaces of relaxed.stage");
  fs::remove(work / "surfaces of grasp.stage");
  const CommandResult result =
      run("( while [ ! -e '" + (work / "surfaces of relaxed.stage").string() + "' ]; do sleep 0.01; done; cp " +
          edited.string() + " " + study.project.string() + " ) & " + cli + " scan build " + study.project.string() +
          " -o " + study.hand.string() + "; code=$?; wait; exit $code");
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_NE(result.err.find("was changed while the build ran"), std::string::npos) << result.err;
  EXPECT_EQ(contents(study.project), contents(edited));
  EXPECT_EQ(contents(work / "decided.json"), memory);
  std::ofstream(study.project, std::ios::binary) << before;
}

TEST(ScanDecisions, HoldWhateverChangesAroundThem) {
  const Study study;
  const fs::path samples = detach_samples(study);
  // Set before the first build, not marked, and only a part of the item: the program finds the centre.
  study.edit([](Json& json) { json["decisions"]["joints"]["thumb-metacarpal"]["slides"] = false; });
  const Json first = built(study);
  ASSERT_FALSE(first.is_null());
  Json decided = decisions_of(study);
  const Json& thumb = decided["joints"]["thumb-metacarpal"];
  EXPECT_EQ(thumb["slides"], false);
  EXPECT_EQ(thumb.value("decided", ""), "by hand");
  EXPECT_FALSE(thumb.contains("centre_mm"));
  EXPECT_TRUE(thumb.contains("residual_mm"));
  // Kept stages warn as they did when they ran.
  ASSERT_FALSE(first["warnings"].empty());
  EXPECT_NE(first["warnings"].dump().find("does not say how the patient lies"), std::string::npos);
  EXPECT_EQ(built(study)["warnings"], first["warnings"]);

  refuses(
      study, [](Json& json) { json["side"] = "left"; }, "the other side");
  mistakes_are_named(study);
  refuses(
      study,
      [](Json& json) {
        for (Json& centre : json["decisions"]["bones"]["wrist"]["centres_mm"]) centre[0] = centre[0].get<double>() + 10;
      },
      "is another one now, 10 mm from where it was");

  // What is measured of an item is measured where it was put.
  study.edit([](Json& json) {
    Json& centre = json["decisions"]["joints"][knuckle]["centre_mm"][1];
    centre = centre.get<double>() + 500;
    json["decisions"]["bones"]["wrist"]["decided"] = "by hand";
    Json& target = json["decisions"]["features"]["grasp"]["points"][0]["target_mm"][0];
    target = target.get<double>() + 0.1;
  });
  const std::string doubts = built(study)["warnings"].dump();
  EXPECT_NE(doubts.find("joint '" + knuckle + "': its centre lies "), std::string::npos) << doubts;
  EXPECT_EQ(first["warnings"].dump().find("its centre lies"), std::string::npos);
  // The knuckle bends by more than half a right angle: a centre off its axis goes astray.
  EXPECT_LT(decided["joints"][knuckle]["residual_mm"], 1);
  decided = decisions_of(study);
  EXPECT_GT(decided["joints"][knuckle]["residual_mm"], 3);
  EXPECT_EQ(made_anew(study), std::vector<std::string>{"character"});  // measured anew, but nothing else is

  // Features are places on the skin, not numbers of vertices.
  study.edit([](Json& json) { json["skin_triangles"] = 4000; });
  const Json finer = built(study);
  const Json before = decided["features"]["grasp"]["points"],
             after = decisions_of(study)["features"]["grasp"]["points"];
  ASSERT_EQ(before.size(), after.size());
  EXPECT_NE(before[0]["vertex"], after[0]["vertex"]);
  ASSERT_TRUE(before[0].contains("base_mm") && after[0].contains("base_mm"));
  EXPECT_EQ(before[0]["base_mm"], after[0]["base_mm"]);
  for (const Json& error : finer["errors"]) {
    // As with the features that were found for this skin; with the old numbers it is 8 mm.
    if (error["role"] == "train") {
      EXPECT_LT(error["wpsd"]["rms_mm"], 0.2) << error.dump();
    }
  }

  an_edit_during_a_build_is_kept(study);

  // Other samples behind the same header.
  const std::string good = contents(samples);
  std::ofstream(samples, std::ios::binary) << good.substr(0, good.size() / 2);
  EXPECT_EQ(study.build().exit_code, 2);
  std::ofstream(samples, std::ios::binary) << good;

  // The memory of what the program decided is gone: nobody can tell any more who set what, so all of it stays.
  fs::remove(study.folder / "project.work" / "decided.json");
  study.edit([](Json& json) { json["decisions"]["thresholds"]["test-a"]["bone"] = 410; });
  built(study);
  const Json threshold = decisions_of(study)["thresholds"]["test-a"];
  EXPECT_EQ(threshold["bone"], 410);
  EXPECT_EQ(threshold.value("decided", ""), "by hand");
}

// STL has no unit: a scan in metres is a thousand times too small.
// Radius and ulna of the modelled hand: the only single bones that it has.
TEST(ScanDecisions, SingleBonesHaveNamesThatHold) {
  const Study study;
  const Json first = built(study);
  ASSERT_EQ(first["single_bones"].size(), 2u);
  EXPECT_EQ(first["single_bones"][0]["name"], "radius");  // leads the forearm
  EXPECT_TRUE(first["single_bones"][0]["leads"]);
  EXPECT_GT(first["single_bones"][0]["volume_mm3"], first["single_bones"][1]["volume_mm3"]);
  const Json decisions = (*read_json(study.project))["decisions"];
  EXPECT_TRUE(decisions["alignment"]["grasp"].contains("ulna"));
  EXPECT_FALSE(decisions["joints"].contains("ulna"));
  const Json radius = decisions["bones"]["radius"]["pieces"], ulna = decisions["bones"]["ulna"]["pieces"];
  study.edit([&](Json& json) {
    json["decisions"]["bones"]["radius"] = {{"pieces", ulna}};
    json["decisions"]["bones"]["ulna"] = {{"pieces", radius}};
  });
  const Json second = built(study);
  ASSERT_EQ(second["single_bones"].size(), 2u);
  EXPECT_EQ(second["single_bones"][0]["name"], "radius");
  EXPECT_EQ(second["single_bones"][0]["pieces"], ulna);
  study.edit([&](Json& json) { json["decisions"]["bones"]["ulnar"] = {{"pieces", radius}}; });
  const CommandResult refused = study.build();
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("did you mean ulna"), std::string::npos) << refused.err;
}

TEST(ScanDecisions, SurfacesThatAreNotInMillimetresAreRefused) {
  const ScratchFolder work;
  const auto write_block = [&](const char* name, double size) {
    std::ofstream file(work / name);
    const int corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    file << "solid block\n";
    for (const auto& face : faces) {
      file << "facet normal 0 0 0\nouter loop\n";
      for (const int c : face)
        file << "vertex " << size * corners[c][0] << " " << size * corners[c][1] << " " << size * corners[c][2] << "\n";
      file << "endloop\nendfacet\n";
    }
    file << "endsolid\n";
  };
  const fs::path project = work / "project.json";
  const Json scan = {{"bones", {"bone.stl"}}, {"skin", "bone.stl"}};
  Json json = {{"supple", "scan project"}, {"version", 1}, {"scans", {scan, scan}}};
  json["scans"][0]["name"] = "relaxed";
  json["scans"][1]["name"] = "grasp";
  std::ofstream(project) << json.dump(1);
  const auto says_unit = [&](double size) {
    write_block("bone.stl", size);
    const CommandResult result = run(cli + " scan build " + project.string() + " -o " + (work / "hand.glb").string());
    EXPECT_EQ(result.exit_code, 2);
    return result.err.find("must be in millimetres") != std::string::npos;
  };
  EXPECT_TRUE(says_unit(0.19));
  EXPECT_TRUE(says_unit(190000));
  EXPECT_FALSE(says_unit(190));  // refused for what it is: no hand
}

}  // namespace
}  // namespace supple::test
