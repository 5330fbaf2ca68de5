// supple fit: learn corrections of the skin from examples, and write them as a plain glTF file.
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/fit/job.h"
#include "cli/fit/report.h"
#include "supple/base/file.h"

namespace supple::cli {
namespace {

std::string row(const char* name, const Json& group) {
  if (group["examples"] == 0) return "";
  return fmt::format(
      "  {:<26} {:5.3f} of linear blend's error ({:.3f} of {:.3f} mm RMS), worst pose {:.3f} '{}'; normals {:.2f} of "
      "{:.2f} degrees\n",
      fmt::format("{} ({})", name, group["examples"].get<std::size_t>()), group["relative"].get<double>(),
      group["rms_mm"].get<double>(), group["blend_rms_mm"].get<double>(), group["worst_relative"].get<double>(),
      group["worst_example"].get<std::string>(), group["normal_degrees"].get<double>(),
      group["blend_normal_degrees"].get<double>());
}

Outcome summary(const FitOptions& o, const Json& facts) {
  Outcome outcome;
  outcome.text = fmt::format(
      "{}: {} morph targets ({} of {} modes, by {}), trained in {:.2f} s; {:.2f} MB, {:.1f} times smaller than the "
      "examples\n",
      o.output, facts["targets"].get<std::size_t>(), facts["modes"].get<std::size_t>(),
      facts["modes_within_budget"].get<std::size_t>(), facts["modes_chosen_by"].get<std::string>(),
      facts["train_seconds"].get<double>(), facts["size"]["file_bytes"].get<double>() / 1e6,
      facts["size"]["times_smaller"].get<double>());
  outcome.text += row("training", facts["errors"]["train"]);
  outcome.text += row("held out, one joint", facts["errors"]["held_out_single"]);
  outcome.text += row("held out, several", facts["errors"]["held_out_several"]);
  if (!facts["still_joints"].empty()) {
    std::string names;
    for (const Json& name : facts["still_joints"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    outcome.text += "  joints that no example moves (their skin is linear blend): " + names + "\n";
  }
  for (const auto& [engine, limits] : facts["engines"].items())
    for (const Json& line : limits)
      outcome.text += fmt::format("  too much for {}: {}\n", engine, line.get<std::string>());
  outcome.json = facts;
  return outcome;
}

Result<Outcome> run(const FitOptions& o, Session& session) {
  if (!o.output.ends_with(".glb") && !o.output.ends_with(".gltf"))
    return Error{o.output, "is no glTF file name", "write .glb or .gltf"};
  if (!o.report.empty() &&
      std::filesystem::path(o.report).lexically_normal() == std::filesystem::path(o.output).lexically_normal())
    return Error{"--report " + o.report, "is the output file", "name another file"};
  auto job = fit(o, session);
  if (!job) return job.error();
  if (auto saved = save_model(o.output, job->model, session); !saved) return saved.error();
  std::error_code failed;
  std::size_t bytes = std::filesystem::file_size(o.output, failed);
  if (o.output.ends_with(".gltf"))
    bytes += std::filesystem::file_size(std::filesystem::path(o.output).replace_extension(".bin"), failed);
  const Json facts = fit_json(*job, o, bytes, session.warnings);
  if (!o.report.empty()) {
    const auto html = fit_html(*job, o, facts, session);
    if (!html) return html.error();
    if (auto written = write_file(o.report, *html); !written) return written.error();
  }
  Outcome outcome = summary(o, facts);
  if (!o.report.empty()) outcome.text += "  report: " + o.report + "\n";
  return outcome;
}

}  // namespace

void add_fit(CLI::App& app, Session& session) {
  add_command<FitOptions>(app, session, "fit", "Learn a skin from examples: a plain glTF file that plays everywhere",
                          "supple fit hand.glb --examples examples/ -o hand-skin.glb --report report.html",
                          declare_fit_options, run);
}

}  // namespace supple::cli
