// supple improve: the main job in one command.
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/simulate_options.h"
#include "supple/base/file.h"
#include "supple/workflow/report/improve/report.h"

namespace supple::cli {
namespace {

struct ImproveCommand : workflow::ImproveOptions {
  bool no_report = false, no_pictures = false;
};

void declare(Command& app, ImproveCommand& o) {
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE").writes_character();
  app.choice<Effort>("--effort", o.effort, "How many poses and how fine: a minute, a few, or many (default normal)",
                     {{"quick", Effort::quick}, {"normal", Effort::normal}, {"thorough", Effort::thorough}});
  std::vector<std::string> teachers{"auto", "lattice", "tissue"};
  for (const DeformerKind* kind : deformers())
    if (kind->teacher != nullptr) teachers.emplace_back(kind->teacher);
  app.choice(
      "--teacher", teachers, [&o, teachers](std::size_t place) { o.teacher = place == 0 ? "" : teachers[place]; },
      "What shows how skin should move: elastic flesh on a lattice, tissue simulated over bones, or a deformer "
      "(default: tissue where the file has surfaces of bones, otherwise the lattice)");
  app.flag("--flesh", o.flesh, "Let body parts swing behind the bones besides, baked into every clip");
  app.option("--part", o.part,
             "Part, mesh or node that is the skin (default: all parts bound to joints, but hard ones)")
      .type("NAME");
  app.option("--folder", o.folder, "Where examples are kept for the next call (default: beside the output)")
      .type("FOLDER");
  app.flag("--no-report", o.no_report, "No page with figures and pictures beside the output");
  app.flag("--no-pictures", o.no_pictures, "A report without pictures");
  app.flag("--force", o.force, "Begin again where that folder holds examples");
  declare_farm(app, o.farm);
}

namespace fs = std::filesystem;

/// PNG and page beside the output; neither is worth failing for, once the skin is there.
void write_report(const ImproveCommand& o, const Improved& improved, Json& facts, Session& session) {
  const fs::path stem = fs::path(o.output).replace_extension();
  std::optional<render::Image> sheet;
  if (!o.no_pictures) {
    auto drawn = before_and_after(improved, session.progress);
    if (drawn) {
      sheet = std::move(*drawn);
    } else {
      session.warnings.push_back("no pictures: " + drawn.error().message());
    }
  }
  const auto write = [&](const char* ending, const char* key, const auto& bytes) {
    const std::string file = fs::path(stem).concat(ending).string();
    const auto written = bytes ? write_file(file, *bytes) : Result<void>(bytes.error());
    if (written) facts[key] = file;
    if (!written) session.warnings.push_back(written.error().message());
  };
  if (sheet) write(".png", "picture", render::encode_png(*sheet));
  if (sheet && facts["clips"] > 0) {
    const auto moving = moving_before_and_after(improved, session.progress);
    if (moving) write(".gif", "moving_picture", moving);
    if (!moving) session.warnings.push_back("no moving picture: " + moving.error().message());
  }
  write(".html", "report", improved_html(improved, o, facts, sheet ? &*sheet : nullptr));
}

Outcome summary(const Improved& improved, const Json& facts) {
  Outcome outcome;
  outcome.json = facts;
  if (improved.verdict == Verdict::no_help) {
    outcome.text = "Not improved. " + improved.reason + "\n";
    for (const std::string& choice : improved.choices) outcome.text += "  " + choice + "\n";
    outcome.exit_code = difference;
    return outcome;
  }
  const Json &before = facts["before"], &after = facts["after"];
  outcome.text = fmt::format("{}: {}. {}\n", facts["file"].get<std::string>(),
                             improved.verdict == Verdict::better ? "better" : "better in part", improved.reason);
  for (const std::string& choice : improved.choices) outcome.text += "  " + choice + "\n";
  const Json& skin = facts["skin"];
  outcome.text += fmt::format("  {} joints, by {}; {} frames of {} clips; {} morph targets; {:.0f} s\n",
                              facts["joints"].get<std::size_t>(), facts["limits"].get<std::string>(),
                              facts["clip_frames"].get<std::size_t>(), facts["clips"].get<std::size_t>(),
                              facts["targets"].get<std::size_t>(), improved.seconds);
  for (const auto& [name, key] :
       {std::pair{"stretching of the skin", "strain"}, std::pair{"error of its volume", "volume_error"}})
    outcome.text += fmt::format("  {:22} {:6.2f} % by linear blend, {:6.2f} % now\n", name,
                                100 * skin[key]["before"].get<double>(), 100 * skin[key]["after"].get<double>());
  outcome.text +=
      fmt::format("  {:22} {:6}   by linear blend, {:6}   now\n", "crossing triangles",
                  before["crossing_triangles"].get<std::size_t>(), after["crossing_triangles"].get<std::size_t>());
  if (!skin["worst_places"].empty()) {
    const Json& place = skin["worst_places"][0];
    outcome.text +=
        fmt::format("  worst by linear blend: {} in {}, {:.0f} % stretched, {:.0f} % now\n",
                    place["joint"].get<std::string>(), place["frame"].get<std::string>(),
                    100 * place["strain"]["before"].get<double>(), 100 * place["strain"]["after"].get<double>());
  }
  if (facts.contains("report")) outcome.text += "  report: " + facts["report"].get<std::string>() + "\n";
  return outcome;
}

Result<Outcome> run(const ImproveCommand& o, Session& session) {
  session.finish_on_interrupt();
  if (o.farm.back_end != BackEnd::local && !o.teacher.empty() && o.teacher != "lattice" && o.teacher != "tissue")
    return Error{"--back-end slurm", "is about simulated flesh, not --teacher " + o.teacher,
                 "leave it out, or use --teacher lattice or tissue"};
  ImproveOptions options = o;
  options.task_command = [&session](const SimulateOptions& simulated) {
    std::vector<std::string> command = session.program;
    const std::vector<std::string> words = words_of_task(simulated);
    command.insert(command.end(), words.begin(), words.end());
    if (session.threads() > 0) command.insert(command.end(), {"--threads", fmt::format("{}", session.threads())});
    return command;
  };
  const auto improved = workflow::improve(options, session);
  if (!improved && session.stopped())
    return Outcome{"Stopped. What was simulated is kept: the same command goes on from there.\n",
                   {{"stopped", true}, {"model", o.input}},
                   incomplete};
  if (!improved) return improved.error();
  if (improved->unfinished)
    return Outcome{fmt::format("Not finished: {}.\nWhat was simulated is kept: the same command goes on from there.\n",
                               improved->reason),
                   {{"stopped", false}, {"model", o.input}, {"failure", improved->reason}},
                   incomplete};
  Json facts = improved_json(*improved, o, session.warnings);
  if (improved->fit && !o.no_report) write_report(o, *improved, facts, session);
  return summary(*improved, facts);
}

}  // namespace

void add_improve(Command& app, Session& session) {
  add_command<ImproveCommand>(app, session, "improve", "Give any rigged character a better skin, or say why not",
                              "supple improve body.glb -o better.glb\n"
                              "  supple improve body.glb -o better.glb --effort thorough\n"
                              "  supple improve body.glb -o better.glb --flesh\n"
                              "  supple improve creature.glb -o better.glb --teacher delta-mush",
                              declare, run);
}

}  // namespace supple::cli
