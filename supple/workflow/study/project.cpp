#include "supple/workflow/study/project.h"

#include <algorithm>
#include <set>

#include "supple/base/file.h"
#include "supple/base/text.h"
#include "supple/files/json_file.h"
#include "supple/workflow/study/label_table.h"
#include "supple/workflow/study/members.h"

namespace supple::workflow {
namespace {

namespace fs = std::filesystem;

constexpr const char* format_name = "scan project";

Result<void> must_exist(const fs::path& path, const std::string& item) {
  std::error_code error;
  if (fs::exists(path, error)) return {};
  return Error{item, "'" + path.string() + "' is not there", "paths are relative to the project file"};
}

using LabelNames = std::map<std::string, std::string>;

/// What labels are called, in place or in a file; `names`: those that hold where it says nothing.
Result<LabelNames> label_names_of(const Json* json, LabelNames names, const fs::path& folder, const std::string& item) {
  if (json == nullptr) return names;
  auto own = json->is_string() ? read_label_table(folder / json->get<std::string>()) : label_table_of(*json, item);
  if (!own) return own.error();
  for (auto& [label, name] : *own) names[label] = std::move(name);
  return names;
}

Result<ScanEntry> read_scan(const Json& json, std::size_t number, const LabelNames& names, const fs::path& folder,
                            const std::string& file) {
  const std::string place = file + ", scans[" + std::to_string(number) + "]";
  ScanEntry scan;
  Members members(json, place);
  if (!json.is_object()) return members.done().error();
  scan.name = members.text("name");
  const std::string item = scan.name.empty() ? place : file + ", scan '" + scan.name + "'";
  if (scan.name.empty() || scan.name.find('/') != std::string::npos)
    members.fail("needs a name, without slashes", "names are what pictures and decisions call a scan");
  if (const std::string volume = members.text("volume"); !volume.empty()) scan.volume = folder / volume;
  scan.series = members.text("series");
  if (const std::string labels = members.text("labels"); !labels.empty()) scan.labels = folder / labels;
  auto own_names = label_names_of(members.find("label_names"), names, folder, item);
  if (!own_names) return own_names.error();
  scan.label_names = std::move(*own_names);
  if (const std::string skin = members.text("skin"); !skin.empty()) scan.skin = folder / skin;
  if (const Json* bones = members.find("bones")) {
    if (!bones->is_array()) members.fail("has 'bones' that are no list of files", "");
    for (const Json& bone : *bones) {
      if (bone.is_string()) scan.bones.push_back(folder / bone.get<std::string>());
      if (!bone.is_string()) members.fail("has 'bones' that are no list of files", "");
    }
  }
  const std::string role = members.text("role", "train");
  if (role != "train" && role != "test") members.fail("has role '" + role + "'", "write train or test");
  scan.role = role == "test" ? Role::test : Role::train;
  const bool surfaces = !scan.bones.empty() && !scan.skin.empty();
  if ((scan.volume.empty() && scan.labels.empty()) == !surfaces)
    members.fail("needs either a 'volume' or 'labels', or both 'bones' and 'skin'",
                 "give a file or a folder of DICOM slices");
  if (auto ok = members.done(); !ok) return ok.error();
  for (const fs::path& source : {scan.volume, scan.labels})
    if (auto there = source.empty() ? Result<void>() : must_exist(source, item); !there) return there.error();
  for (const fs::path& bone : scan.bones)
    if (auto there = must_exist(bone, item); !there) return there.error();
  if (!scan.skin.empty())
    if (auto there = must_exist(scan.skin, item); !there) return there.error();
  return scan;
}

Result<void> order_scans(Project& project, const std::string& file) {
  std::set<std::string> names;
  for (const ScanEntry& scan : project.scans) {
    if (!names.insert(scan.name).second) return Error{file, "names two scans '" + scan.name + "'", "rename one"};
  }
  const auto base = std::find_if(project.scans.begin(), project.scans.end(),
                                 [&](const ScanEntry& s) { return s.name == project.base; });
  if (base == project.scans.end()) {
    const std::vector<std::string> known(names.begin(), names.end());
    return Error{file, "has no scan '" + project.base + "' to be its base", did_you_mean(project.base, known)};
  }
  if (base->role == Role::test)
    return Error{file + ", scan '" + base->name + "'", "is the base and cannot be held out",
                 "take its role away, or name another base"};
  std::rotate(project.scans.begin(), base, base + 1);
  const auto train = std::count_if(project.scans.begin() + 1, project.scans.end(),
                                   [](const ScanEntry& s) { return s.role == Role::train; });
  if (train == 0)
    return Error{file, "has no scan to learn from besides its base",
                 "joints show only where bones have moved: add "
                 "scans of other poses"};
  return {};
}

}  // namespace

fs::path Project::work_folder() const { return file.parent_path() / (file.stem().string() + ".work"); }

Result<Project> read_project(const fs::path& file) {
  auto text = read_text(file);
  if (!text) return text.error();
  return parse_project(std::move(*text), file);
}

Result<Project> parse_project(std::string text, const fs::path& file) {
  const std::string name = file.string();
  auto json = parse_json(text, name);
  if (!json) return json.error();
  Project project;
  project.file = file;
  project.text = std::move(text);
  project.document = std::move(*json);
  Members members(project.document, name);
  if (project.document.is_object()) {
    if (members.text("supple") != format_name)
      members.fail("is no scan project", "it begins with \"supple\": \"scan project\", \"version\": 1");
    members.number("version", 1, 1, 1);
    project.name = members.text("name", file.stem().string());
    project.skeleton = members.text("template", "hand");
    if (project.skeleton != "hand")
      members.fail("asks for the template '" + project.skeleton + "'", "only 'hand' is known");
    const std::string side = members.text("side", "right");
    if (side != "left" && side != "right") members.fail("has side '" + side + "'", "write left or right");
    project.right = side == "right";
    project.base = members.text("base");
    project.skin_triangles = static_cast<std::size_t>(members.number("skin_triangles", 100000, 1000, 2000000));
    project.bone_blur = members.number("bone_blur", 0.5, 0, 5);
    project.skin_blur = members.number("skin_blur", 0.8, 0, 5);
    if (const Json* refine = members.find("refine_labels"); refine != nullptr) {
      if (!refine->is_boolean()) members.fail("has a 'refine_labels' that is not true or false", "");
      project.refine_labels = refine->is_boolean() && refine->get<bool>();
    }
    project.label_blur = members.number("label_blur", 0.8, 0, 5);
    project.smallest_mm3 = members.number("smallest_piece_mm3", 60, 0.1, 1e5);
    if (const Json* decisions = members.find("decisions"); decisions != nullptr && !decisions->is_object())
      members.fail("has 'decisions' that are no object", "take them away to have everything decided anew");
    const auto names = label_names_of(members.find("label_names"), {}, file.parent_path(), name);
    if (!names) return names.error();
    const Json* scans = members.find("scans");
    if (scans == nullptr || !scans->is_array() || scans->empty()) {
      members.fail("lists no scans", "\"scans\": [{\"name\": \"relaxed\", \"volume\": \"relaxed.nrrd\"}, ...]");
    } else {
      for (std::size_t i = 0; i < scans->size(); ++i) {
        auto scan = read_scan((*scans)[i], i, *names, file.parent_path(), name);
        if (!scan) return scan.error();
        project.scans.push_back(std::move(*scan));
      }
    }
  }
  if (auto ok = members.done(); !ok) return ok.error();
  if (project.base.empty()) project.base = project.scans.front().name;
  if (auto ok = order_scans(project, name); !ok) return ok.error();
  return project;
}

Result<void> write_project(Project& project, const fs::path& memory, const Json& remembered) {
  const auto now = read_text(project.file);
  if (!now) return now.error();
  if (*now != project.text)
    return Error{project.file.string(), "was changed while the build ran, and is left as it is now",
                 "run the build again; stages whose inputs are the same are kept"};
  std::string text = to_text(project.document);
  FileTransaction files;
  if (auto ok = files.add(memory, to_text(remembered)); !ok) return ok;
  if (auto ok = files.add(project.file, text); !ok) return ok;
  if (auto ok = files.commit(); !ok) return ok;
  project.text = std::move(text);
  return {};
}

}  // namespace supple::workflow
