// supple scan surfaces: skin and pieces of bone of one scan, as files that any program reads.
#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "cli/scan/commands/scan.h"
#include "supple/base/folder.h"
#include "supple/files/stl.h"
#include "supple/geometry/topology.h"
#include "supple/imaging/volume_file.h"
#include "supple/make/hand_template.h"
#include "supple/workflow/study/label_table.h"
#include "supple/workflow/study/labelled_scan.h"
#include "supple/workflow/study/preview.h"
#include "supple/workflow/study/surface_sheet.h"

namespace supple::cli {
namespace {

struct SurfacesOptions {
  std::string input, series, output, preview, labels, names;
  bool left = false;
  double label_blur = scan::LabelledOptions().blur;  // samples
  std::optional<double> bone, skin, marker;
  double smallest = 60;  // cubic millimetres
  std::size_t triangles = 0;
  int smooth = 0;
  double bone_blur = scan::ExtractOptions().bone_blur, skin_blur = scan::ExtractOptions().skin_blur;  // samples
};

void declare_surfaces(Command& app, SurfacesOptions& o) {
  app.option("path", o.input, "Folder of DICOM slices, or a .nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz or .dcm")
      .required()
      .type("PATH");
  app.option(
         "-o,--output", o.output,
         "New folder: skin.stl, bone-01.stl (the largest), ... in millimetres; with labels of single bones by their "
         "names")
      .type("FOLDER");
  app.option(
         "--labels", o.labels,
         "Bones by labels instead of a threshold: .seg.nrrd, .nrrd, .nii.gz, ..., or a DICOM segmentation; the path "
         "once more: without a scan")
      .type("FILE");
  declare_label_names(app, o.names, o.left);
  app.option("--preview", o.preview, "Picture of skin and bones from two sides (.png)").type("FILE");
  app.option("--series", o.series, "Which of several series: its id, or a part of its id or description").type("TEXT");
  app.option("--bone", o.bone, "Where bone begins, in the units of the scan (default: by its histogram)").type("HU");
  app.option("--skin", o.skin, "Where skin begins (default: by the histogram)").type("HU");
  app.option("--marker", o.marker,
             "What is denser is sure to be inside one bone; below --bone: nothing is cut (default: found by trying)")
      .type("HU");
  app.option("--smallest", o.smallest, "Drop pieces of bone that are smaller")
      .not_negative()
      .show_default()
      .type("MM3");
  app.option("--triangles", o.triangles, "Reduce each surface to about so many (default: as the samples give it)")
      .range(100, 100000000)
      .type("N");
  app.option("--smooth", o.smooth, "Passes that take steps and noise away without shrinking")
      .range(0, 1000)
      .show_default()
      .type("N");
  app.option("--bone-blur", o.bone_blur,
             "Gaussian before bone's surfaces are drawn; takes noise away, and a little of the shape")
      .range(0.0, 10.0)
      .show_default()
      .type("SAMPLES");
  app.option("--skin-blur", o.skin_blur, "Gaussian before the skin is drawn")
      .range(0.0, 10.0)
      .show_default()
      .type("SAMPLES");
  app.option("--label-blur", o.label_blur, "Gaussian before surfaces of labels are drawn: takes their steps away")
      .range(0.0, 10.0)
      .show_default()
      .type("SAMPLES");
  app.mark_advanced({"--label-names", "--side", "--label-blur", "--series", "--marker", "--smallest", "--triangles",
                     "--smooth", "--bone-blur", "--skin-blur"});
}

Result<void> finish(Mesh& mesh, const SurfacesOptions& o, const Progress& progress) {
  if (o.smooth > 0) scan::smooth(mesh, o.smooth);
  if (o.triangles == 0 || mesh.triangles.size() <= o.triangles) return {};
  auto reduced = scan::reduce(mesh, o.triangles, progress);
  if (!reduced) return reduced.error();
  mesh = std::move(*reduced);
  return {};
}

/// Of every piece: the bone that its label alone is, or its number.
std::vector<std::string> piece_names(const scan::Parts& parts, const BoneTemplate& skeleton) {
  std::vector<std::string> names;
  std::map<std::uint32_t, std::size_t> met;  // bones, and in how many pieces so far
  for (std::size_t p = 0; p < parts.parts.size(); ++p) {
    const std::vector<std::uint32_t>& candidates = parts.parts[p].candidates;
    if (candidates.size() != 1) {
      names.push_back(fmt::format("bone-{:02}", p + 1));
      continue;
    }
    const std::size_t before = met[candidates.front()]++;
    const std::string& bone = skeleton.bones[candidates.front()].joint;
    names.push_back(before == 0 ? bone : fmt::format("{}-{}", bone, before + 1));
  }
  return names;
}

Json mesh_json(const Mesh& mesh) {
  constexpr double cubic_mm = 1e9;
  return {{"vertices", mesh.positions.size()},
          {"triangles", mesh.triangles.size()},
          {"volume_mm3", enclosed_volume(mesh.positions, mesh.triangles) * cubic_mm},
          {"closed", find_defects(mesh.positions, mesh.triangles).closed()}};
}

/// `names`: of pieces whose labels tell; otherwise they have numbers.
Outcome told(const scan::Surfaces& surfaces, const scan::Parts& parts, const std::vector<std::string>& names,
             bool labelled) {
  Outcome out;
  const auto row = [&](const std::string& name, const Mesh& mesh) {
    const Json json = mesh_json(mesh);
    out.text += fmt::format("{:<{}} {:>9} triangles {:>12.0f} mm3\n", name, labelled ? 34 : 10, mesh.triangles.size(),
                            json["volume_mm3"].get<double>());
    return json;
  };
  const std::string where =
      labelled ? std::string("bones by their labels")
               : fmt::format("skin at {:.0f}, bone at {:.0f}", surfaces.thresholds.skin, surfaces.thresholds.bone);
  out.text +=
      fmt::format("{}, {} piece{} of bone, {} smaller dropped, {} outside the skin\n", where, parts.parts.size(),
                  parts.parts.size() == 1 ? "" : "s", parts.dropped.size(), parts.outside.size());
  if (!labelled) {
    out.json["thresholds"] = {{"skin", surfaces.thresholds.skin}, {"bone", surfaces.thresholds.bone}};
    out.json["marker"] = parts.marker;
  }
  if (!surfaces.skin.triangles.empty()) out.json["skin"] = row("skin", surfaces.skin);
  out.json["pieces"] = Json::array();
  for (std::size_t p = 0; p < parts.parts.size(); ++p) {
    Json piece = row(labelled ? names[p] : fmt::format("bone {}", p + 1), parts.parts[p].surface);
    if (labelled) piece["name"] = names[p];
    out.json["pieces"].push_back(std::move(piece));
  }
  out.json["dropped"] = parts.dropped.size();
  out.json["outside"] = parts.outside.size();
  return out;
}

Result<void> write_surfaces(const std::string& folder, const scan::Surfaces& surfaces, const scan::Parts& parts,
                            const std::vector<std::string>& names) {
  auto files = FolderTransaction::create(folder);
  if (!files) return files.error();
  if (!surfaces.skin.triangles.empty())
    if (auto written = files->write("skin.stl", to_stl(surfaces.skin)); !written) return written;
  for (std::size_t p = 0; p < parts.parts.size(); ++p)
    if (auto written = files->write(names[p] + ".stl", to_stl(parts.parts[p].surface)); !written) return written;
  return files->commit();
}

/// Before the work, not after it.
Result<void> check_outputs(const SurfacesOptions& o) {
  if (auto named = check_preview(o.preview); !named) return named;
  if (!o.labels.empty() && (o.bone || o.marker))
    return Error{o.bone ? "--bone" : "--marker", "has no say where labels tell what is bone", "leave it out"};
  std::error_code failed;
  if (!o.output.empty() && std::filesystem::exists(o.output, failed) && !std::filesystem::is_empty(o.output, failed))
    return Error{o.output, "exists already", "name a new or empty folder"};
  return {};
}

struct DrawnScan {
  scan::Surfaces surfaces;
  scan::Parts parts;
};

Result<DrawnScan> draw_by_labels(const SurfacesOptions& o, const BoneTemplate& skeleton, Session& session) {
  ScanEntry entry;
  std::error_code failed;  // of what is not there, which reading tells
  if (!std::filesystem::equivalent(o.input, o.labels, failed)) entry.volume = o.input;
  entry.series = o.series;
  entry.labels = o.labels;
  if (!o.names.empty()) {
    auto names = read_label_table(o.names);
    if (!names) return names.error();
    entry.label_names = std::move(*names);
  }
  scan::ExtractOptions extracting;
  extracting.skin = o.skin;
  extracting.skin_blur = o.skin_blur;
  const LabelledHand hand{skeleton, !o.left, o.label_blur, true, o.smallest * 1e-9};
  auto surfaces = surfaces_of_labels(entry, extracting, hand, session);
  if (!surfaces) return surfaces.error();
  Work unheard;  // the same files a second time
  unheard.progress = session.progress;
  auto parts = parts_of_labels(entry, hand.smallest, hand, unheard);
  if (!parts) return parts.error();
  return DrawnScan{std::move(*surfaces), std::move(*parts)};
}

Result<DrawnScan> draw_by_thresholds(const SurfacesOptions& o, Session& session) {
  const auto volume = imaging::read_volume(o.input, o.series, &session.warnings, session.progress);
  if (!volume) return volume.error();
  scan::ExtractOptions extracting;
  extracting.bone = o.bone, extracting.skin = o.skin;
  extracting.bone_blur = o.bone_blur, extracting.skin_blur = o.skin_blur;
  auto surfaces = scan::extract(*volume, extracting, &session.warnings, session.progress);
  if (!surfaces) return surfaces.error();
  scan::PartOptions separating;
  separating.iso = surfaces->thresholds.bone;
  separating.marker = o.marker;
  separating.smallest = o.smallest * 1e-9;
  separating.blur = o.bone_blur;
  auto parts = scan::separate_bones(*volume, separating, &session.warnings, session.progress);
  if (!parts) return parts.error();
  scan::drop_outside(*parts, surfaces->skin, &session.warnings);
  return DrawnScan{std::move(*surfaces), std::move(*parts)};
}

Result<Outcome> run_surfaces(const SurfacesOptions& o, Session& session) {
  if (auto usable = check_outputs(o); !usable) return usable.error();
  const bool labelled = !o.labels.empty();
  const BoneTemplate skeleton = make::hand_template(o.left ? make::Side::left : make::Side::right);
  auto drawn = labelled ? draw_by_labels(o, skeleton, session) : draw_by_thresholds(o, session);
  if (!drawn) return drawn.error();
  auto& [surfaces, parts] = *drawn;
  const std::vector<std::string> names = piece_names(parts, skeleton);
  if (auto done = finish(surfaces.skin, o, session.progress); !done) return done.error();
  for (scan::BonePart& part : parts.parts)
    if (auto done = finish(part.surface, o, session.progress); !done) return done.error();

  Outcome out = told(surfaces, parts, names, labelled);
  const double bone_blur = labelled ? o.label_blur : o.bone_blur;
  out.text +=
      fmt::format("drawn after a Gaussian of {:.2g} samples for bone and {:.2g} for skin\n", bone_blur, o.skin_blur);
  out.json["blur_samples"] = {{"bone", bone_blur}, {"skin", o.skin_blur}};
  if (!o.output.empty()) {
    if (auto written = write_surfaces(o.output, surfaces, parts, names); !written) return written.error();
    out.text += fmt::format("wrote {}{} bone files into {}\n", surfaces.skin.triangles.empty() ? "" : "skin.stl and ",
                            parts.parts.size(), o.output);
    out.json["folder"] = o.output;
  }
  if (!o.preview.empty()) {
    const auto picture = draw_surfaces(surfaces.skin, parts.parts, std::filesystem::path(o.input).filename().string());
    if (auto written = write_preview(o.preview, picture); !written) return written.error();
    out.text += "wrote " + o.preview + "\n";
    out.json["preview"] = o.preview;
  }
  return out;
}

}  // namespace

void add_scan_surfaces(Command& scan, Session& session) {
  add_command<SurfacesOptions>(scan, session, "surfaces",
                               "Skin and pieces of bone of one scan as STL files, counted, and as a picture",
                               "supple scan surfaces hand-relaxed/ -o pieces --triangles 20000 --preview bones.png",
                               declare_surfaces, run_surfaces);
}

}  // namespace supple::cli
