// supple fit: learn corrections of the skin from examples, and write them as a plain glTF file.
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/fit/job.h"
#include "cli/fit/pose_space.h"
#include "cli/fit/report.h"
#include "supple/base/file.h"

namespace supple::cli {
namespace {

std::string row(const char* name, const Json& group) {
  if (group["examples"] == 0) return "";
  std::string text =
      fmt::format("  {:<26} {:5.3f} of linear blend's error ({:.3f} of {:.3f} mm RMS), worst pose {:.3f} '{}'",
                  fmt::format("{} ({})", name, group["examples"].get<std::size_t>()), group["relative"].get<double>(),
                  group["rms_mm"].get<double>(), group["blend_rms_mm"].get<double>(),
                  group["worst_relative"].get<double>(), group["worst_example"].get<std::string>());
  if (group["blend_normal_degrees"].get<double>() > 0)
    text += fmt::format("; normals {:.2f} of {:.2f} degrees", group["normal_degrees"].get<double>(),
                        group["blend_normal_degrees"].get<double>());
  return text + "\n";
}

std::string group_rows(const Json& errors) {
  return row("training", errors["train"]) + row("held out, one joint", errors["held_out_single"]) +
         row("held out, several", errors["held_out_several"]);
}

std::string rows(const Json& facts) {
  const Json& tags = facts["errors_by_tag"];
  std::string text = group_rows(facts["errors"]);
  if (tags.contains("grip")) text += row("  of these, grips", tags["grip"]);
  if (tags.contains(contact_tag)) text += row("held out, in contact", tags[contact_tag]);
  return text;
}

std::string exceeded_engines(const Json& facts) {
  std::string text;
  for (const auto& [engine, limits] : facts["engines"].members())
    for (const Json& line : limits) text += fmt::format("  too much for {}: {}\n", engine, line.get<std::string>());
  return text;
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
  outcome.text += rows(facts);
  if (facts.contains("kernel"))
    outcome.text += fmt::format("  {:<26} {:5.3f} of linear blend's error, each predicted from the others\n",
                                "left out of training", facts["kernel"]["left_out"].get<double>());
  if (!facts["still_joints"].empty()) {
    std::string names;
    for (const Json& name : facts["still_joints"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    outcome.text += "  joints that no example moves (their skin is linear blend): " + names + "\n";
  }
  outcome.text += exceeded_engines(facts);
  outcome.json = facts;
  return outcome;
}

Outcome pose_space_summary(const FitOptions& o, const Json& facts) {
  Outcome outcome;
  outcome.text = fmt::format("{}: {}, {} examples as morph targets, trained in {:.2f} s; {:.2f} MB\n", o.output,
                             facts["method_name"].get<std::string>(), facts["targets"].get<std::size_t>(),
                             facts["train_seconds"].get<double>(), facts["size"]["file_bytes"].get<double>() / 1e6);
  outcome.text += rows(facts);
  if (o.method == FitMethod::wpsd)
    outcome.text +=
        "  programs that know morph weights alone show plain PSD:\n" + group_rows(facts["errors_elsewhere"]);
  outcome.text += exceeded_engines(facts);
  outcome.json = facts;
  return outcome;
}

/// Writes what was learnt and its report; `facts_of` is given the size of the file.
template <class Job, class FactsOf, class PageOf, class Summary>
Result<Outcome> write(const Job& job, const FitOptions& o, Session& session, FactsOf facts_of, PageOf page_of,
                      Summary summary_of) {
  if (auto saved = save_model(o.output, job.model, session); !saved) return saved.error();
  std::error_code failed;
  std::size_t bytes = std::filesystem::file_size(o.output, failed);
  if (o.output.ends_with(".gltf"))
    bytes += std::filesystem::file_size(std::filesystem::path(o.output).replace_extension(".bin"), failed);
  const Json facts = facts_of(job, o, bytes, session.warnings);
  if (!o.report.empty()) {
    const Result<std::string> html = page_of(job, o, facts, session);
    if (!html) return html.error();
    if (auto written = write_file(o.report, *html); !written) return written.error();
  }
  Outcome outcome = summary_of(o, facts);
  if (!o.report.empty()) outcome.text += "  report: " + o.report + "\n";
  return outcome;
}

Result<Outcome> run(const FitOptions& o, Session& session) {
  if (!o.output.ends_with(".glb") && !o.output.ends_with(".gltf"))
    return Error{o.output, "is no glTF file name", "write .glb or .gltf"};
  if (!o.report.empty() &&
      std::filesystem::path(o.report).lexically_normal() == std::filesystem::path(o.output).lexically_normal())
    return Error{"--report " + o.report, "is the output file", "name another file"};
  if (auto ok = check_method(o); !ok) return ok.error();
  if (!o.is_of_modes()) {
    const auto mixed = fit_pose_space(o, session);
    if (!mixed) return mixed.error();
    return write(*mixed, o, session, pose_space_json, pose_space_html, pose_space_summary);
  }
  const auto job = fit(o, session);
  if (!job) return job.error();
  return write(*job, o, session, fit_json, fit_html, summary);
}

}  // namespace

void add_fit(Command& app, Session& session) {
  add_command<FitOptions>(app, session, "fit", "Learn a skin from examples: a plain glTF file that plays everywhere",
                          "supple fit hand.glb --examples examples/ -o hand-skin.glb --report report.html",
                          declare_fit_options, run);
}

}  // namespace supple::cli
