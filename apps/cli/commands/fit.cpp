// supple fit: learn corrections of the skin from examples, and write them as a plain glTF file.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/fit_options.h"
#include "supple/workflow/jobs/examples.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/report/fit/fit_to_file.h"

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

std::string teacher_rows(const Json& teacher) {
  const auto count = [&](const char* key) { return teacher[key].get<std::size_t>(); };
  std::string text;
  if (const std::string held_out =
          workflow::held_out_sentence(count("held_out_without_teacher"), count("held_out_planned"));
      !held_out.empty())
    text += "  " + held_out + "\n";
  if (count("training_without_teacher") > 0)
    text += fmt::format("  {} of {} training poses {} no teacher.\n", count("training_without_teacher"),
                        count("training"), count("training_without_teacher") == 1 ? "has" : "have");
  if (count("partial") > 0)
    text += fmt::format("  examples that show linear blend where the teacher failed: {}\n", count("partial"));
  return text;
}

std::string rows(const Json& facts) {
  const Json& tags = facts["errors_by_tag"];
  std::string text = group_rows(facts["errors"]);
  if (tags.contains("grip")) text += row("  of these, grips", tags["grip"]);
  if (tags.contains(contact_tag)) text += row("held out, in contact", tags[contact_tag]);
  return text + teacher_rows(facts["teacher"]);
}

std::string exceeded_engines(const Json& facts) {
  std::string text;
  for (const auto& [engine, limits] : facts["engines"].members())
    for (const Json& line : limits) text += fmt::format("  too much for {}: {}\n", engine, line.get<std::string>());
  return text;
}

Outcome summary(const FitCommand& o, const Json& facts) {
  Outcome outcome;
  outcome.text = fmt::format(
      "{}: {} morph targets ({} of {} modes, by {}), trained in {:.2f} s; {:.2f} MB, {} than the "
      "examples\n",
      o.output, facts["targets"].get<std::size_t>(), facts["modes"].get<std::size_t>(),
      facts["modes_within_budget"].get<std::size_t>(), facts["modes_chosen_by"].get<std::string>(),
      facts["train_seconds"].get<double>(), facts["size"]["file_bytes"].get<double>() / 1e6,
      workflow::times_smaller(facts["size"]["times_smaller"].get<double>()));
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
  outcome.text += "  verdict: " + facts["verdict"].get<std::string>() + "\n";
  outcome.json = facts;
  return outcome;
}

Outcome pose_space_summary(const FitCommand& o, const Json& facts) {
  Outcome outcome;
  outcome.text = fmt::format("{}: {}, {} examples as morph targets, trained in {:.2f} s; {:.2f} MB\n", o.output,
                             facts["method_name"].get<std::string>(), facts["targets"].get<std::size_t>(),
                             facts["train_seconds"].get<double>(), facts["size"]["file_bytes"].get<double>() / 1e6);
  outcome.text += rows(facts);
  if (o.method == FitMethod::wpsd)
    outcome.text +=
        "  programs that know morph weights alone show plain PSD:\n" + group_rows(facts["errors_elsewhere"]);
  outcome.text += exceeded_engines(facts);
  outcome.text += "  verdict: " + facts["verdict"].get<std::string>() + "\n";
  outcome.json = facts;
  return outcome;
}

Result<Outcome> run(const FitCommand& o, Session& session) {
  if (auto ok = check_method(o); !ok) return ok.error();
  workflow::FitOptions options = o;
  options.learning_curve = !o.report.empty();
  const auto fitted = workflow::fit_to_file(options, {o.report, !o.no_pictures}, session);
  if (!fitted) return fitted.error();
  Outcome outcome = o.is_of_modes() ? summary(o, fitted->facts) : pose_space_summary(o, fitted->facts);
  if (!o.report.empty()) outcome.text += "  report: " + o.report + "\n";
  return outcome;
}

}  // namespace

void add_fit(Command& app, Session& session) {
  add_command<FitCommand>(app, session, "fit", "Learn a skin from examples: a plain glTF file that plays everywhere",
                          "supple fit hand.glb --examples examples/ -o hand-skin.glb --report report.html",
                          declare_fit_options, run);
}

}  // namespace supple::cli
