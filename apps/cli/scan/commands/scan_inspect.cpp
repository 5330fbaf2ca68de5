// supple scan inspect: what is in a scan before it is used.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/scan/commands/scan.h"
#include "supple/author/scan/surface.h"
#include "supple/imaging/volume_file.h"
#include "supple/make/hand_template.h"
#include "supple/workflow/study/label_table.h"
#include "supple/workflow/study/labelled_scan.h"
#include "supple/workflow/study/preview.h"

namespace supple::cli {
namespace {

namespace fs = std::filesystem;

struct ScanInspectCommand {
  std::string input, series, preview, labels, names;
  bool left = false;
};

void declare(Command& app, ScanInspectCommand& o) {
  app.option("path", o.input, "Folder of DICOM slices, or a .nrrd, .nhdr, .mha, .mhd, .nii, .nii.gz or .dcm")
      .required()
      .type("PATH");
  app.option("--series", o.series, "Which of several series: its id, or a part of its id or description").type("TEXT");
  app.option("--preview", o.preview, "Picture of the three middle slices, with labels over them (.png)").type("FILE");
  app.option("--labels", o.labels,
             "What its samples are: .seg.nrrd, .nrrd, .nii.gz, ..., or a DICOM segmentation; lists them, and what is "
             "made of their names")
      .type("FILE");
  declare_label_names(app, o.names, o.left);
}

void describe_series(const std::vector<imaging::Series>& all, Outcome& out) {
  out.json["series"] = Json::array();
  for (const imaging::Series& s : all) {
    out.text += fmt::format("series   {:<28} {:>3} {:>5} slices of {} x {}  id {}\n",
                            s.description.empty() ? "(no description)" : s.description, s.modality, s.slices, s.size[0],
                            s.size[1], s.id);
    out.json["series"].push_back({{"id", s.id},
                                  {"description", s.description},
                                  {"modality", s.modality},
                                  {"slices", s.slices},
                                  {"size", s.size}});
  }
}

void describe_lattice(const Volume& v, Outcome& out) {
  const Vec3d mm = v.spacing() * 1000;
  const Vec3d extent{static_cast<double>(v.size[0]) * mm.x, static_cast<double>(v.size[1]) * mm.y,
                     static_cast<double>(v.size[2]) * mm.z};
  const double off = patient_axes(v).off_degrees;
  const double megabytes = static_cast<double>(v.samples.size() * sizeof(v.samples[0])) / 1e6;
  out.text += fmt::format("size     {} x {} x {} samples, {:.1f} x {:.1f} x {:.1f} mm\n", v.size[0], v.size[1],
                          v.size[2], extent.x, extent.y, extent.z);
  out.text += fmt::format("spacing  {:.4g} x {:.4g} x {:.4g} mm\n", mm.x, mm.y, mm.z);
  constexpr double aligned = 0.1;  // degrees
  out.text += fmt::format("axes     {}{}\n", axis_letters(v),
                          off > aligned ? fmt::format(", turned by up to {:.1f} degrees", off) : "");
  out.text += fmt::format("modality {}\n", v.modality.empty() ? "(not said)" : v.modality);
  out.text += fmt::format("memory   {:.1f} MB\n", megabytes);
  const Vec3d origin = v.to_world.translation * 1000;
  out.json["size"] = v.size;
  out.json["spacing_mm"] = {mm.x, mm.y, mm.z};
  out.json["origin_mm"] = {origin.x, origin.y, origin.z};
  out.json["axes"] = axis_letters(v);
  out.json["turned_degrees"] = off;
  out.json["modality"] = v.modality;
  out.json["memory_bytes"] = v.samples.size() * sizeof(v.samples[0]);
}

/// Bars as long as the logarithm of the count, so that the few samples of bone are seen beside the air.
void describe_values(const Volume& v, const scan::Histogram& histogram, Outcome& out) {
  const auto [low, high] = std::minmax_element(v.samples.begin(), v.samples.end());
  const double lowest = v.slope * *low + v.intercept, highest = v.slope * *high + v.intercept;
  out.text += fmt::format("values   {:g} to {:g} in steps of {:g}\n", lowest, highest, v.slope);
  out.json["values"] = {{"low", lowest}, {"high", highest}, {"step", v.slope}};
  constexpr std::size_t rows = 20, longest_bar = 40;
  const std::size_t bins = histogram.counts.size(), per_row = std::max<std::size_t>(1, (bins + rows - 1) / rows);
  Json counts = Json::array();
  for (std::size_t first = 0; first < bins; first += per_row) {
    std::size_t count = 0;
    for (std::size_t b = first; b < std::min(first + per_row, bins); ++b) count += histogram.counts[b];
    const double share = static_cast<double>(count) / static_cast<double>(v.count());
    const double bar =
        count == 0 ? 0 : std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(v.count()));
    out.text += fmt::format("  {:>8.0f} {:>6.2f} % {}\n",
                            std::nearbyint(histogram.low + histogram.step * static_cast<double>(first)) + 0.0,  // no -0
                            100 * share, std::string(static_cast<std::size_t>(std::lround(longest_bar * bar)), '#'));
    counts.push_back(count);
  }
  out.json["histogram"] = {
      {"low", histogram.low}, {"step", histogram.step * static_cast<double>(per_row)}, {"counts", counts}};
  out.text += "contents " + histogram.describe() + "\n";
  out.json["contents"] = histogram.describe();
  const auto thresholds = scan::propose_thresholds(v);
  if (thresholds) {
    out.text += fmt::format("surfaces skin at {:.0f}, bone at {:.0f}\n", thresholds->skin, thresholds->bone);
    out.json["thresholds"] = {{"skin", thresholds->skin}, {"bone", thresholds->bone}};
  } else {
    out.text += "surfaces " + thresholds.error().problem + "\n";
    out.json["thresholds"] = Json();
  }
}

constexpr double cubic_mm = 1e9;

std::string meaning_text(const scan::LabelMeaning& meaning, const BoneTemplate& skeleton) {
  switch (meaning.kind) {
    case scan::NameKind::bone:
      return skeleton.bones[meaning.use.bones.front()].joint;
    case scan::NameKind::group:
      return fmt::format("{} bones, to be divided and named", meaning.use.bones.size());
    case scan::NameKind::skin:
      return "skin";
    case scan::NameKind::ignored:
      return "not used";
    case scan::NameKind::unknown:
      break;
  }
  return "not known: say what it is under label_names";
}

void describe_labels(const UsedLabels& labels, const BoneTemplate& skeleton, Outcome& out) {
  const Vec3d spacing = labels.map.lattice().spacing();
  const double sample = spacing.x * spacing.y * spacing.z * cubic_mm;
  out.json["labels"] = Json::array();
  for (std::size_t l = 0; l < labels.map.labels.size(); ++l) {
    const Label& label = labels.map.labels[l];
    const double volume = static_cast<double>(label.samples) * sample;
    const std::string meaning = meaning_text(labels.meanings[l], skeleton);
    out.text += fmt::format("label    {:>4} {:<34} {:>9.0f} mm3  {}\n", label.value,
                            label.name.empty() ? "(no name)" : label.name, volume,
                            label.samples == 0 ? "empty; " + meaning : meaning);
    out.json["labels"].push_back({{"value", label.value},
                                  {"layer", label.layer},
                                  {"name", label.name},
                                  {"volume_mm3", volume},
                                  {"meaning", meaning}});
  }
}

/// Soft tissue and bone of CT; elsewhere all but the darkest and brightest samples.
Window window_of(const Volume& v, const scan::Histogram& histogram) {
  if (v.modality == "CT") return {-250, 1000};
  constexpr double cut_off = 0.005;  // of the samples, at either end
  Window window{histogram.low, histogram.low + histogram.step * static_cast<double>(histogram.counts.size())};
  double below = 0;
  for (std::size_t b = 0; b < histogram.counts.size(); ++b) {
    const double at = histogram.low + histogram.step * static_cast<double>(b);
    if (below <= cut_off * static_cast<double>(v.count())) window.low = at;
    below += static_cast<double>(histogram.counts[b]);
    if (below >= (1 - cut_off) * static_cast<double>(v.count())) {
      window.high = std::max(at, window.low) + histogram.step;
      break;
    }
  }
  return window;
}

Result<Outcome> run(const ScanInspectCommand& o, Session& session) {
  if (auto named = check_preview(o.preview); !named) return named.error();
  Outcome out;
  out.text = o.input + "\n";
  out.json = {{"path", o.input}};
  std::error_code ignored;
  if (fs::is_directory(o.input, ignored)) {
    Warnings damaged;
    const auto all = imaging::list_series(o.input, &damaged);
    if (!all) return all.error();
    describe_series(*all, out);
    if (all->size() > 1 && o.series.empty() && o.preview.empty()) {
      session.warnings.insert(session.warnings.end(), damaged.begin(), damaged.end());
      out.text += "choose one with --series to see more of it\n";
      return out;
    }
  }
  const auto volume = imaging::read_volume(o.input, o.series, &session.warnings, session.progress);
  if (!volume) return volume.error();
  describe_lattice(*volume, out);
  const scan::Histogram histogram = scan::histogram(*volume);
  describe_values(*volume, histogram, out);
  const BoneTemplate skeleton = make::hand_template(o.left ? make::Side::left : make::Side::right);
  std::optional<UsedLabels> labels;
  if (!o.labels.empty()) {
    const auto names = o.names.empty()
                           ? Result<std::map<std::string, std::string>>(std::map<std::string, std::string>())
                           : read_label_table(o.names);
    if (!names) return names.error();
    auto read = read_used_labels(o.labels, *names, {skeleton, !o.left}, session);
    if (!read) return read.error();
    if (auto fit = scan::check_lattices(read->map, *volume); !fit) return fit.error();
    describe_labels(*read, skeleton, out);
    labels = std::move(*read);
  }
  if (!o.preview.empty()) {
    const std::string title = fs::path(o.input).filename().string() + (o.series.empty() ? "" : ", " + o.series);
    std::vector<bool> is_skin;
    for (std::size_t l = 0; labels && l < labels->meanings.size(); ++l)
      is_skin.push_back(labels->meanings[l].kind == scan::NameKind::skin);
    const Window window = window_of(*volume, histogram);
    const auto picture =
        labels ? draw_preview(*volume, window, labels->map, is_skin, title) : draw_preview(*volume, window, title);
    if (auto written = write_preview(o.preview, picture); !written) return written.error();
    out.text += "wrote " + o.preview + "\n";
    out.json["preview"] = o.preview;
  }
  return out;
}

}  // namespace

void add_scan_inspect(Command& scan, Session& session) {
  add_command<ScanInspectCommand>(scan, session, "inspect",
                                  "Tell what is in a scan: series, size, spacing, orientation, values",
                                  "supple scan inspect hand-relaxed/ --preview slices.png", declare, run);
}

}  // namespace supple::cli
