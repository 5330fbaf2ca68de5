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

/// A phantom with one pose beside rest and one held out, and its project.
struct Study {
  ScratchFolder work;
  fs::path folder = work / "scans", project = folder / "project.json", hand = work / "hand.glb";

  explicit Study(const std::string& options = "") {
    const std::string poses = options.find("--poses") == std::string::npos ? "--poses 1 " : "";
    const std::string all = " --voxel 0.9 --no-flesh --noise 10 --vertices 3000 " + poses + "--seed 0 " + options;
    const fs::path scans =
        made_once("scans_" + std::to_string(std::hash<std::string>()(all)), cli, [&](const fs::path& f) {
          const CommandResult made = run(cli + " scan phantom -o " + (f / "scans").string() + all);
          EXPECT_EQ(made.exit_code, 0) << made.err;
        });
    fs::copy(scans / "scans", folder, fs::copy_options::recursive);
    edit([](Json& json) {
      json["skin_triangles"] = 5000;
      json["scans"].erase(json["scans"].end() - 1);
    });
  }
  void edit(const std::function<void(Json&)>& change) const {
    Json json = *read_json(project);
    change(json);
    std::ofstream(project) << json.dump(1);
  }
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
