// A scan project: which scans there are, and what was decided about them, by the program or by hand.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "supple/files/json.h"
#include "supple/rig/role.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// One scan: a volume, labels with or without their volume, or surfaces that another program made.
struct ScanEntry {
  std::string name;
  std::filesystem::path volume;  // file, or folder of DICOM slices; empty: labels or surfaces are given
  std::string series;            // of a folder that holds several
  std::filesystem::path labels;  // what each sample is; empty: thresholds decide
  std::map<std::string, std::string> label_names;  // what a label is, by its name or number; "": nothing of use
  std::vector<std::filesystem::path> bones;        // closed surfaces, one per piece, millimetres
  std::filesystem::path skin;                      // millimetres
  Role role = Role::train;
};

struct Project {
  std::filesystem::path file;
  std::string text;  // of the file, as this program last read or wrote it
  Json document;     // what it says; decisions are added to it
  std::string name;
  std::string skeleton = "hand";  // template
  bool right = true;
  std::string base;              // name of the base scan
  std::vector<ScanEntry> scans;  // the base first
  std::size_t skin_triangles = 100000;
  double bone_blur = 0.5, skin_blur = 0.8;  // samples
  double label_blur = 0.8;                  // samples, of labels
  bool refine_labels = true;                // bones of labels follow the edges of the image
  double smallest_mm3 = 60;

  /// Where results of stages are kept.
  std::filesystem::path work_folder() const;
};

/// Reads and checks it: unknown members, scans without a name or a source, a base that is not there, files that are
/// missing.
Result<Project> read_project(const std::filesystem::path& file);
/// The same of a text; `file` is what paths are relative to.
Result<Project> parse_project(std::string text, const std::filesystem::path& file);

/// Writes the document back, and what the program decided into `memory`: both or neither, or an edit by hand could not
/// be told from what the program wrote. A file that somebody changed in the meantime is not touched; that is an error.
Result<void> write_project(Project& project, const std::filesystem::path& memory, const Json& remembered);

}  // namespace supple::workflow
