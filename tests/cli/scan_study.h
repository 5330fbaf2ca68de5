// A small phantom study and its builds, for tests of supple scan build.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "cli/program.h"
#include "supple/files/json_file.h"
#include "support/engines.h"
#include "support/made_once.h"

namespace supple::test {

/// What a test begins with: scans alone, or also the hand that was built of them, with its stages.
enum class Begin { scans, built };

/// A phantom with one pose beside rest and one held out, and its project.
struct Study {
  ScratchFolder work;
  fs::path folder = work / "scans", project = folder / "project.json", hand = work / "hand.glb";
  fs::path made;  // of a hand that was built: facts.json as the build told them, report.html and examples, to be read

  explicit Study(const std::string& options = "", Begin begin = Begin::scans) {
    const std::string poses = options.find("--poses") == std::string::npos ? "--poses 1 " : "";
    // Labels keep bones apart that touch in coarser voxels.
    const std::string millimetres = options.find("--labels") == std::string::npos ? "0.9" : "1.1";
    const std::string voxel = options.find("--voxel") == std::string::npos ? "--voxel " + millimetres + " " : "";
    const std::string all = " " + voxel + "--no-flesh --noise 10 --vertices 2000 " + poses + "--seed 0 " + options;
    const std::string hash = std::to_string(std::hash<std::string>()(all));
    const fs::path scans = made_once("scans_" + hash, cli, [&](const fs::path& f) {
      const CommandResult drawn = run(cli + " scan phantom -o " + (f / "scans").string() + all);
      EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
      edit(f / "scans" / "project.json", [](Json& json) {
        json["skin_triangles"] = 3000;
        json["scans"].erase(json["scans"].end() - 1);
      });
    });
    if (begin == Begin::scans) {
      copy(scans / "scans", folder);
      return;
    }
    made = made_once("built_" + hash, cli, [&](const fs::path& f) {
      copy(scans / "scans", f / "scans");
      const CommandResult built = run(cli + " scan build " + (f / "scans" / "project.json").string() + " -o " +
                                      (f / "hand.glb").string() + " --json --no-pictures --report " +
                                      (f / "report.html").string() + " --examples " + (f / "examples").string());
      EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
      std::ofstream(f / "facts.json") << built.out;
    });
    copy(made / "scans", folder);
    copy(made / "hand.glb", hand);
  }
  Json facts() const { return *read_json(made / "facts.json"); }

  /// With times, by which a build tells whether a scan is another.
  static void copy(const fs::path& from, const fs::path& to) {
    EXPECT_EQ(run("cp -a " + from.string() + " " + to.string()).exit_code, 0);
  }
  static void edit(const fs::path& project, const std::function<void(Json&)>& change) {
    Json json = *read_json(project);
    change(json);
    std::ofstream(project) << json.dump(1);
  }
  void edit(const std::function<void(Json&)>& change) const { edit(project, change); }
  CommandResult build(const std::string& options = "") const {
    return run(cli + " scan build " + project.string() + " -o " + hand.string() + " " + options);
  }
};

/// Stages that a build (with --json) did not find kept.
inline std::vector<std::string> made_anew(const CommandResult& built) {
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
  if (built.exit_code != 0) return {};
  const Json facts = Json::parse(built.out);
  std::vector<std::string> stages;
  for (const Json& stage : facts["stages"])
    if (!stage["kept"]) stages.push_back(stage["stage"]);
  return stages;
}
inline std::vector<std::string> made_anew(const Study& study) { return made_anew(study.build("--json")); }

}  // namespace supple::test
