#include "supple/workflow/study/biomechanics/transforms.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "supple/files/json_file.h"
#include "supple/files/stl.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/csv.h"

namespace supple::workflow {
namespace {

constexpr const char* patient_space = "SPACE=LPS";  // 3D Slicer reads it off the header of an STL file

/// Bones with joints, then the single bones of the compound ones.
std::size_t bone_count(const Chain& chain) { return chain.bones.size() + chain.bodies.size(); }
const scan::ScanBone& bone_at(const Chain& chain, std::size_t b) {
  return b < chain.bones.size() ? chain.bones[b] : chain.bodies[b - chain.bones.size()];
}

/// The base's own fit: where it is, known without doubt.
const scan::BoneFit& fit_in(const Chain& chain, std::size_t scan, std::size_t bone) {
  static const scan::BoneFit base = [] {
    scan::BoneFit fit;
    fit.overlap = 1;
    return fit;
  }();
  if (scan == 0) return base;
  const scan::Alignment& found = chain.scans[scan].alignment;
  return bone < chain.bones.size() ? found.bones[bone] : found.bodies[bone - chain.bones.size()];
}

const char* role_in(const Chain& chain, std::size_t scan) {
  if (scan == 0) return "base";
  return chain.scans[scan].entry->role == Role::test ? "test" : "train";
}

/// Rows of 4 x 4 numbers, millimetres.
std::array<std::array<double, 4>, 4> matrix_of(const Affined& m) {
  std::array<std::array<double, 4>, 4> rows{};
  for (std::size_t r = 0; r < 3; ++r) rows[r] = {m.linear.c0[r], m.linear.c1[r], m.linear.c2[r], m.translation[r] * mm};
  rows[3] = {0, 0, 0, 1};
  return rows;
}

Mesh moved_bone(const Mesh& bone, const Affined& motion) {
  Mesh result;
  result.triangles = bone.triangles;
  result.positions.reserve(bone.positions.size());
  for (const Vec3f& p : bone.positions) result.positions.emplace_back(motion.point(Vec3d(p)));
  return result;
}

}  // namespace

std::vector<std::string> file_names(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    std::string file = name;
    for (char& c : file) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
      if (!plain) c = '_';
    }
    if (file.find_first_not_of('.') == std::string::npos) file = "_" + file;  // "" and ".."
    const std::string wanted = file;
    for (int n = 2; !taken.insert(file).second; ++n) file = wanted + "-" + std::to_string(n);
    result.push_back(file);
  }
  return result;
}

std::string transforms_csv(const Chain& chain) {
  std::vector<std::string> columns{
      "scan", "role", "bone", "found", "residual_mm", "overlap", "rotation_sd_degrees", "shift_sd_mm"};
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) columns.push_back(fmt::format("m{}{}", r, c));
  CsvTable table(columns);
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    for (std::size_t b = 0; b < bone_count(chain); ++b) {
      const scan::BoneFit& fit = fit_in(chain, s, b);
      table.add(chain.scans[s].entry->name).add(role_in(chain, s)).add(bone_at(chain, b).name).add(fit.found);
      table.add(fit.residual * mm).add(fit.overlap).add(fit.rotation_sd * degrees).add(fit.shift_sd * mm);
      for (const auto& row : matrix_of(fit.motion))
        for (const double x : row) table.add(x);
      table.end_row();
    }
  }
  return table.text();
}

Json transforms_json(const Chain& chain) {
  Json scans = Json::array();
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    Json bones = Json::array();
    for (std::size_t b = 0; b < bone_count(chain); ++b) {
      const scan::BoneFit& fit = fit_in(chain, s, b);
      bones.push_back({{"bone", bone_at(chain, b).name},
                       {"found", fit.found},
                       {"residual_mm", fit.residual * mm},
                       {"rotation_sd_degrees", fit.rotation_sd * degrees},
                       {"shift_sd_mm", fit.shift_sd * mm},
                       {"matrix", matrix_of(fit.motion)}});
    }
    scans.push_back({{"scan", chain.scans[s].entry->name}, {"role", role_in(chain, s)}, {"bones", std::move(bones)}});
  }
  return {{"supple", "bone transforms"},
          {"version", 1},
          {"about",
           "rows of a 4 x 4 matrix, millimetres: points of the base scan to the scan, both in the axes of their volume "
           "files' patient (left, posterior, superior)"},
          {"base", chain.project.base},
          {"scans", std::move(scans)}};
}

std::string itk_transform(const Affined& motion) {
  const Affined back = inverse(motion);
  std::string text = "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters:";
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) text += fmt::format(" {}", back.linear[c][r] + 0.0);
  for (std::size_t r = 0; r < 3; ++r) text += fmt::format(" {}", back.translation[r] * mm + 0.0);
  return text + "\nFixedParameters: 0 0 0\n";
}

Result<void> write_transforms(const Chain& chain, FolderTransaction& folder) {
  std::vector<std::string> scan_names, bone_names;
  for (const ScanWork& scan : chain.scans) scan_names.push_back(scan.entry->name);
  std::vector<Mesh> surfaces;  // single bones that move for themselves are not part of the bone that they belong to
  for (std::size_t b = 0; b < bone_count(chain); ++b) {
    bone_names.push_back(bone_at(chain, b).name);
    surfaces.push_back(scan::without_apart(bone_at(chain, b)).surface);
  }
  scan_names = file_names(scan_names);
  bone_names = file_names(bone_names);
  if (auto ok = folder.write("transforms.csv", transforms_csv(chain)); !ok) return ok;
  if (auto ok = folder.write("transforms.json", to_text(transforms_json(chain))); !ok) return ok;
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    for (std::size_t b = 0; b < bone_count(chain); ++b) {
      const scan::BoneFit& fit = fit_in(chain, s, b);
      if (!fit.found) continue;
      const std::string name = scan_names[s] + "/" + bone_names[b];
      const std::string surface = to_stl(moved_bone(surfaces[b], fit.motion), 0.001, patient_space);
      if (auto ok = folder.write("bones/" + name + ".stl", surface); !ok) return ok;
      if (auto ok = folder.write("transforms/" + name + ".tfm", itk_transform(fit.motion)); !ok) return ok;
    }
  }
  return {};
}

}  // namespace supple::workflow
