// A scan project: which scans there are, and what was decided about them, by the program or by hand.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "supple/rig/role.h"

namespace supple::cli {

/// One scan: a volume, or surfaces that another program made of one.
struct ScanEntry {
  std::string name;
  std::filesystem::path volume;              // file, or folder of DICOM slices; empty: surfaces are given
  std::string series;                        // of a folder that holds several
  std::vector<std::filesystem::path> bones;  // closed surfaces, one per piece, millimetres
  std::filesystem::path skin;                // millimetres
  Role role = Role::train;
};

struct Project {
  std::filesystem::path file;
  Json document;  // as it was read; decisions are added to it
  std::string name;
  std::string skeleton = "hand";  // template
  bool right = true;
  std::string base;              // name of the base scan
  std::vector<ScanEntry> scans;  // the base first
  std::size_t skin_triangles = 100000;
  double bone_blur = 0.5, skin_blur = 0.8;  // samples
  double smallest_mm3 = 60;

  /// Where results of stages are kept.
  std::filesystem::path work_folder() const;
};

/// Reads and checks it: unknown members, scans without a name or a source, a base that is not there, files that are
/// missing.
Result<Project> read_project(const std::filesystem::path& file);

/// Writes the document back, whole.
Result<void> write_project(const Project& project);

/// What is decided about the scans, item by item: "thresholds" > scan, "bones" > bone, "alignment" > scan > bone,
/// "joints" > bone, "features" > scan. An item that differs from what the program last wrote was corrected by hand and
/// holds from then on; it is marked so, and taking it away lets the program decide again.
class Decisions {
 public:
  Decisions(Project& project, Json remembered);

  using Path = std::vector<std::string>;
  /// What was set by hand.
  std::optional<Json> by_hand(const Path& path);
  /// What the program found; items set by hand stay.
  void decide(const Path& path, Json value);
  /// What the program last wrote, to be kept beside the results.
  const Json& remembered() const { return remembered_; }

 private:
  Project* project_;
  Json remembered_;
};

}  // namespace supple::cli
