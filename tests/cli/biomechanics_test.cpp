// supple scan biomechanics as users run it. That MuJoCo and OpenSim load and move the models is tested by
// tests/biomechanics, with these programs.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/scan_study.h"
#include "supple/files/lines.h"
#include "supple/files/stl.h"

namespace supple::test {
namespace {

/// Rows of a table by the names in its first line; no cell of ours has a comma.
std::vector<std::map<std::string, std::string>> rows_of(const fs::path& file) {
  std::istringstream text(contents(file));
  const auto cells = [](const std::string& line) {
    std::vector<std::string> list;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) list.push_back(cell);
    return list;
  };
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> values = cells(line);
    EXPECT_EQ(values.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < values.size() && i < names.size(); ++i) row[names[i]] = values[i];
  }
  return rows;
}
double number(const std::map<std::string, std::string>& row, const std::string& column) {
  return std::stod(row.at(column));
}

Affined matrix_of(const std::map<std::string, std::string>& row) {
  Affined m;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) m.linear[c][r] = number(row, "m" + std::to_string(r) + std::to_string(c));
    m.translation[r] = number(row, "m" + std::to_string(r) + "3") / 1000;
  }
  return m;
}

/// Rows of a 3 x 4 matrix, as the truth of a phantom has it.
Affined matrix_of(const Json& rows) {
  Affined m;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) m.linear[c][r] = rows[r][c].get<double>();
    m.translation[r] = rows[r][3].get<double>();
  }
  return m;
}

double degrees_of(const Mat3d& turn) {
  const double cosine = (turn.c0.x + turn.c1.y + turn.c2.z - 1) / 2;
  return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / 3.14159265358979;
}

// Two scans beside the base are few: every table is there all the same, and what cannot be told is not made up.
TEST(Biomechanics, OfVeryFewScansIsWhole) {
  const Study study("", Begin::built);
  const fs::path out = study.work / "out";
  const CommandResult made =
      run(cli + " scan biomechanics " + study.project.string() + " -o " + out.string() + " --rate 2 --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  for (const Json& joint : facts["joints"]) {
    EXPECT_EQ(joint["tried"].size(), 5u);
    EXPECT_NE(joint["kind"], "universal") << joint["joint"];  // one scan to learn from has six numbers for its eight
  }
  const auto transforms = rows_of(out / "transforms.csv");
  EXPECT_EQ(transforms.size(), 22u * 3u);  // 21 bones with joints, the radius among them, and the ulna
  EXPECT_EQ(rows_of(out / "angles_scans.csv").size(), 20u * 3u);
  EXPECT_EQ(rows_of(out / "bone_axes.csv").size(), 21u);
  EXPECT_TRUE(fs::exists(out / "bones" / "test-a" / "wrist.stl"));
  EXPECT_TRUE(fs::exists(out / "model" / "hand.osim"));
  EXPECT_FALSE(fs::exists(out / "model" / "reference_coordinates.csv"));
}

TEST(Biomechanics, TellsWhereBonesAreAndWhatJointsDo) {
  const Study study("--poses 3");
  const fs::path out = study.work / "out";
  const std::string command = cli + " scan biomechanics " + study.project.string() + " -o " + out.string();
  const CommandResult made = run(command + " --reference-poses 20 --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json facts = Json::parse(made.out);
  EXPECT_EQ(facts["joints"].size(), 20u);
  EXPECT_EQ(facts["bodies"].size(), 21u);
  const Json truth = *read_json(study.folder / "truth.json");

  // The matrices are the motions of the phantom, and the bones lie where they say.
  const auto transforms = rows_of(out / "transforms.csv");
  ASSERT_EQ(transforms.size(), 22u * 5u);  // one scan is dropped by the study, one held out
  std::map<std::string, Json> poses;
  for (const Json& pose : truth["poses"]) poses[pose["name"].get<std::string>()] = pose;
  for (const auto& row : transforms) {
    EXPECT_EQ(row.at("found"), "1");
    const std::string moves_with = row.at("bone") == "ulna" ? "forearm" : row.at("bone");  // in the modelled hand
    const Affined found = matrix_of(row), wanted = matrix_of(poses.at(row.at("scan"))["bones"][moves_with]);
    // What .9 mm voxels leave; the forearm's short pieces may slip along themselves.
    EXPECT_LT(degrees_of(transpose(wanted.linear) * found.linear), 2.5) << row.at("scan") << " " << row.at("bone");
  }
  const std::string bone = "index-finger-phalanx-proximal";
  const auto lies = std::find_if(transforms.begin(), transforms.end(),
                                 [&](const auto& row) { return row.at("scan") == "grasp" && row.at("bone") == bone; });
  ASSERT_NE(lies, transforms.end());
  const std::string header = contents(out / "bones" / "grasp" / (bone + ".stl")).substr(0, 80);
  EXPECT_TRUE(header.starts_with("SPACE=LPS"));
  const Mesh rest = read_stl(out / "bones" / "relaxed" / (bone + ".stl")).value(),
             posed = read_stl(out / "bones" / "grasp" / (bone + ".stl")).value();
  ASSERT_EQ(rest.positions.size(), posed.positions.size());
  for (std::size_t v = 0; v < rest.positions.size(); ++v)  // floats of up to 300 mm
    EXPECT_LT(length(matrix_of(*lies).point(Vec3d(rest.positions[v])) - Vec3d(posed.positions[v])), 1e-7);

  // 3D Slicer's transform is the way back, in the same axes.
  std::istringstream tfm(contents(out / "transforms" / "grasp" / (bone + ".tfm")));
  std::string word;
  while (tfm >> word && word != "Parameters:") {
  }
  Affined back;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) tfm >> back.linear[c][r];
  for (std::size_t r = 0; r < 3; ++r) tfm >> back.translation[r];
  back.translation = back.translation / 1000.0;
  const Vec3d point{0.1, -0.2, 0.05};
  EXPECT_LT(length(back.point(matrix_of(*lies).point(point)) - point), 1e-12);
  const Json json = *read_json(out / "transforms.json");
  EXPECT_EQ(json["scans"].size(), 5u);
  for (const Json& one : json["scans"][1]["bones"])
    if (one["bone"] == bone) {
      EXPECT_DOUBLE_EQ(one["matrix"][0][3].get<double>(), number(*lies, "m03"));
    }

  // Fingers bend as the phantom's did. The base scan's own angles are those of its rest.
  const auto angles = rows_of(out / "angles_scans.csv");
  ASSERT_EQ(angles.size(), 20u * 5u);
  std::map<std::string, double> at_rest;
  std::size_t within = 0, counted = 0;
  for (const auto& row : angles) {
    const std::string& joint = row.at("joint");
    if (row.at("role") == "base") at_rest[joint] = number(row, "flexion_degrees");
    if (row.at("role") == "base" || joint.find("-phalanx-") == std::string::npos) continue;
    const double bent = number(row, "flexion_degrees") - at_rest.at(joint);
    const double wanted = poses.at(row.at("scan"))["angles"][joint + ".flexion"].get<double>();
    EXPECT_NEAR(bent, wanted, 4) << row.at("scan") << " " << joint;  // bones' axes are some degrees off the joints'
    EXPECT_GT(number(row, "flexion_sd_degrees"), 0);
    ++counted;
    within += std::abs(bent - wanted) < 2 ? 1 : 0;
  }
  EXPECT_GT(10 * within, 9 * counted);
  const auto clips = rows_of(out / "angles_clips.csv");
  EXPECT_EQ(clips.size(), 20u * (30 * 5 + 1));  // five seconds through four scans and back
  EXPECT_EQ(clips.front().at("clip"), "scans");

  // Every kind that was tried is written down.
  EXPECT_EQ(rows_of(out / "joint_types.csv").size(), 20u * 5u);
  EXPECT_EQ(rows_of(out / "bone_axes.csv").size(), 21u);
  EXPECT_EQ(rows_of(out / "model" / "coordinates.csv").size(), 5u);
  EXPECT_EQ(rows_of(out / "model" / "reference_coordinates.csv").size(), 20u);
  EXPECT_TRUE(fs::exists(out / "model" / "Geometry" / (bone + ".stl")));
  for (const char* model : {"hand.xml", "hand.osim"}) EXPECT_GT(fs::file_size(out / "model" / model), 10000u);
  EXPECT_GT(facts["mass_kg"], 0.2);
  EXPECT_LT(facts["mass_kg"], 0.8);

  // A folder that holds something is left alone, before any work; so is one that cannot be.
  const CommandResult again = run(command);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.err.find("exists already"), std::string::npos) << again.err;
  const CommandResult lost =
      run(cli + " scan biomechanics " + study.project.string() + " -o " + (study.work / "none" / "out").string());
  EXPECT_EQ(lost.exit_code, 2);
  EXPECT_FALSE(fs::exists(study.work / "none"));
  // Clips of a character that is no such hand.
  const fs::path limb = study.work / "limb.glb", other = study.work / "other";
  ASSERT_EQ(supple("make limb -o " + limb.string()).exit_code, 0);
  const CommandResult wrong =
      run(cli + " scan biomechanics " + study.project.string() + " -o " + other.string() + " --clips " + limb.string());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("limb.glb"), std::string::npos) << wrong.err;
  EXPECT_FALSE(fs::exists(other));
}

}  // namespace
}  // namespace supple::test
