// supple examples: look at example sets, check them, and make them from what other programs write.
#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "supple/workflow/jobs/examples.h"

namespace supple::cli {
namespace {

struct InfoCommand {
  std::string folder;
  bool list = false;
};

struct ImportCommand : ImportExamplesOptions {
  std::string rest;  // as text, for the parser
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string counted(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [name, n] : counts) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, n);
  return text;
}

Outcome describe(const ExampleSet& set, const std::string& folder, bool list) {
  const ExampleCounts counts = count_examples(set);
  Outcome out;
  out.text = fmt::format("{}: {} examples of part{} '{}', {:.1f} MB\n", folder, set.size(),
                         set.parts.size() > 1 ? "s" : "", set.part_names(), static_cast<double>(counts.bytes) / 1e6);
  if (!set.origin.empty()) out.text += fmt::format("origin   {}\n", set.origin);
  out.text += fmt::format("skin     {} vertices, {} triangles\n", set.vertices(), set.triangles.size());
  out.text +=
      fmt::format("joints   {}{}{}\n", set.skeleton.size(), set.translations.empty() ? "" : ", with translations",
                  set.scales.empty() ? "" : ", with scales");
  out.text += fmt::format("roles    {} for training, {} for testing, {} left out ({} of them for testing)\n",
                          counts.train, counts.test, counts.left_out, counts.left_out_test);
  if (!counts.sweeps.empty()) out.text += fmt::format("sweeps   {}\n", counted(counts.sweeps));
  if (!counts.tags.empty()) out.text += fmt::format("tags     {}\n", counted(counts.tags));
  if (!counts.flags.empty()) out.text += fmt::format("flags    {}\n", counted(counts.flags));
  out.json = {{"folder", folder},
              {"part", set.part_names()},
              {"origin", set.origin},
              {"examples", set.size()},
              {"vertices", set.vertices()},
              {"triangles", set.triangles.size()},
              {"joints", set.skeleton.size()},
              {"train", counts.train},
              {"test", counts.test},
              {"left_out", counts.left_out},
              {"left_out_test", counts.left_out_test},
              {"sweeps", counts.sweeps},
              {"tags", counts.tags},
              {"flags", counts.flags}};
  if (!list) return out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Example& e = set.examples[i];
    const char* role = e.role == Role::train ? "train" : "test";
    out.text +=
        fmt::format("  {:>4}  {:<5} {}{}{}{}\n", i, role, e.name, e.sweep.empty() ? "" : "  sweep " + e.sweep,
                    e.tags.empty() ? "" : "  [" + joined(e.tags) + "]", e.flags.empty() ? "" : "  " + joined(e.flags));
    out.json["list"].push_back({{"name", e.name},
                                {"role", role},
                                {"sweep", e.sweep},
                                {"tags", e.tags},
                                {"weight", e.weight},
                                {"flags", e.flags},
                                {"usable", set.usable(i)}});
  }
  return out;
}

void declare_info(Command& app, InfoCommand& o) {
  app.option("folder", o.folder, "Folder of an example set").required().type("FOLDER");
  app.flag("--list", o.list, "List every example");
}

Result<Outcome> run_info(const InfoCommand& o, Session&) {
  const auto set = load_examples(o.folder);
  if (!set) return set.error();
  return describe(*set, o.folder, o.list);
}

void declare_check(Command& app, CheckExamplesOptions& o) {
  app.option("folder", o.folder, "Folder of an example set").required().type("FOLDER");
  app.option("--model", o.model, "Character that the set must belong to (.glb, .gltf)").type("FILE");
  app.option("--part", o.part, "Part of the model, of a set of one part (default: the one the set names)").type("NAME");
}

Result<Outcome> run_check(const CheckExamplesOptions& o, Session& session) {
  const auto checked = workflow::check_examples(o, session);
  if (!checked) return checked.error();
  Outcome out;
  out.text = fmt::format("{}: {} examples, {} vertices each: positions, normals and rotations are sound\n", o.folder,
                         checked->examples, checked->vertices);
  out.json = {{"folder", o.folder}, {"examples", checked->examples}, {"vertices", checked->vertices}};
  if (o.model.empty()) return out;
  out.text += fmt::format("{}: part '{}' is the one the examples were made of\n", o.model, checked->part);
  out.json["model"] = o.model;
  return out;
}

void declare_import(Command& app, ImportCommand& o) {
  app.option("-o,--output", o.output, "Folder to write; made where it is missing").required().type("FOLDER");
  app.option("--model", o.model, "The rig (.glb, .gltf)").required().type("FILE");
  app.option("--part", o.part,
             "Part, mesh or node that the examples show (default: the first skinned one, or all skin, by the vertices "
             "there are)")
      .type("NAME");
  app.option("--meshes", o.meshes, "Folder of .obj or .ply files, one per pose").type("FOLDER");
  app.option("--poses", o.poses, "Pose of each mesh or morph target (.json)").type("FILE");
  app.option("--clip", o.clip, "Clip that the cache belongs to: its name or number").type("NAME");
  app.option("--cache", o.cache, "Vertex cache: .mdd, .pc2, or a folder of numbered .obj or .ply files").type("FILE");
  app.flag("--morphs", o.morphs, "Take the model's own morph targets as sculpts");
  app.option("--every", o.reading.every, "Take every N-th frame of the cache")
      .range(1, 1000000)
      .show_default()
      .type("N");
  app.option("--fps", o.reading.frames_per_second, "Frames a second of .pc2 and numbered files")
      .positive()
      .show_default()
      .type("N");
  app.option("--start", o.reading.start, "Seconds into the clip of the first frame (default: as the cache says)")
      .type("S");
  app.flag("--z-up", o.reading.surface.z_up, "Meshes and caches have z up, as Blender's own space");
  app.option("--scale", o.reading.surface.scale, "Metres per unit of meshes and caches")
      .positive()
      .show_default()
      .type("M");
  app.option(
         "--rest", o.rest,
         "The skin at rest (.obj, .ply) in the order of the files' vertices, where the model's are split or in another")
      .type("FILE");
  app.option("--hold-out", o.reading.hold_out,
             "Share of a cache's frames that is kept for testing, in blocks; 0: all are learnt from")
      .range(0.0, 0.9)
      .show_default()
      .type("X");
  app.flag(
      "--any-triangles", [&o] { o.reading.surface.compare_triangles = false; },
      "Do not compare the triangles of meshes with the model's");
  app.option("--origin", o.origin, "Text that says where the examples come from").type("TEXT");
  app.mark_advanced({"--every", "--fps", "--start", "--rest", "--hold-out", "--any-triangles", "--origin"});
}

Result<Outcome> run_import(const ImportCommand& o, Session& session) {
  ImportExamplesOptions options = o;
  options.reading.surface.rest = o.rest;
  const auto set = workflow::import_examples(options, session);
  if (!set) return set.error();
  return describe(*set, o.output, false);
}

}  // namespace

void add_examples(Command& app, Session& session) {
  Command examples = app.command("examples", "Example sets, poses with the skin of each: info, check, import",
                                 "\nExample:\n  supple examples info examples/ --list");
  add_command<InfoCommand>(examples, session, "info", "Tell what an example set holds",
                           "supple examples info examples/ --list", declare_info, run_info);
  add_command<CheckExamplesOptions>(examples, session, "check",
                                    "Check every pose and vertex, and that the set fits a model",
                                    "supple examples check examples/ --model hand.glb", declare_check, run_check);
  add_command<ImportCommand>(examples, session, "import",
                             "Make an example set from meshes, a vertex cache or morph targets",
                             "supple examples import -o examples/ --model rig.glb --meshes sculpts/ --poses poses.json",
                             declare_import, run_import);
}

}  // namespace supple::cli
