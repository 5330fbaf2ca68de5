// supple remove: takes deformers out of a file, whatever kind they are.
#include "supple/workflow/jobs/remove_deformers.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"

namespace supple::cli {
namespace {

void declare_remove_options(Command& app, RemoveOptions& o) {
  using Kinds = std::vector<const DeformerKind*>;
  std::vector<std::pair<std::string, Kinds>> kinds;
  for (const DeformerKind* kind : deformers()) kinds.emplace_back(word_for(*kind), Kinds{kind});
  kinds.emplace_back("all", Kinds{});
  app.choice<Kinds>("kind", o.kinds, "What to take out", kinds).required();
  app.option("file", o.input, "Rigged character (.glb, .gltf)").required().type("FILE");
  app.option("-o,--output", o.output, "File to write (.glb, .gltf)").required().type("FILE").writes_character();
}

Result<Outcome> run_remove(const RemoveOptions& o, Session& session) {
  const auto removed = workflow::remove_deformers(o, session);
  if (!removed) return removed.error();
  Outcome outcome;
  outcome.json = {{"file", o.output},
                  {"removed", Json::array()},
                  {"morph_targets", removed->morph_targets},
                  {"joints", removed->joints}};
  for (const RemovedKind& r : removed->kinds) {
    outcome.text += fmt::format("{}: {} taken out: {}\n", o.output, r.kind->name, r.summary);
    outcome.json["removed"].push_back({{"kind", word_for(*r.kind)}, {"count", r.count}, {"summary", r.summary}});
  }
  if (removed->morph_targets > 0)
    outcome.text += fmt::format("  with {} morph targets that they moved\n", removed->morph_targets);
  return outcome;
}

}  // namespace

void add_remove(Command& app, Session& session) {
  add_command<RemoveOptions>(app, session, "remove", "Take deformers out of a file",
                             "supple remove flesh soft.glb -o plain.glb\n"
                             "  supple remove all soft.glb -o plain.glb",
                             declare_remove_options, run_remove);
}

}  // namespace supple::cli
