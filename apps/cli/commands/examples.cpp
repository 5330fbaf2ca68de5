// supple examples: look at example sets, check them, and make them from what other programs write.
#include <fmt/core.h>

#include <map>

#include "cli/commands/commands.h"
#include "cli/pose_options.h"
#include "supple/files/example_set_import.h"
#include "supple/rig/append_morphs.h"
#include "supple/workflow/jobs/model.h"

namespace supple::cli {
namespace {

struct SetCommand {
  std::string folder;
  bool list = false;
  std::string model, part;  // check
};

struct ImportCommand {
  std::string output, model, part, origin;
  std::string meshes, poses, clip, cache, rest;
  bool morphs = false, any_triangles = false;
  CacheOptions options;
};

double megabytes(const ExampleSet& set) {
  const std::size_t numbers = 3 * set.positions.size() + 4 * set.rotations.size() + 3 * set.translations.size() +
                              3 * set.scales.size() + 3 * set.normals.size();
  return static_cast<double>(numbers * sizeof(float)) / 1e6;
}

struct Counts {
  std::size_t train = 0, test = 0, left_out = 0;
  std::map<std::string, std::size_t> sweeps, flags, tags;
};

Counts count(const ExampleSet& set) {
  Counts counts;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Example& example = set.examples[i];
    ++(example.role == Role::train ? counts.train : counts.test);
    if (!set.usable(i)) ++counts.left_out;
    if (!example.sweep.empty()) ++counts.sweeps[example.sweep];
    for (const std::string& flag : example.flags) ++counts.flags[flag];
    for (const std::string& tag : example.tags) ++counts.tags[tag];
  }
  return counts;
}

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
  const Counts counts = count(set);
  Outcome out;
  out.text = fmt::format("{}: {} examples of part '{}', {:.1f} MB\n", folder, set.size(), set.part, megabytes(set));
  if (!set.origin.empty()) out.text += fmt::format("origin   {}\n", set.origin);
  out.text += fmt::format("skin     {} vertices, {} triangles\n", set.vertices(), set.triangles.size());
  out.text +=
      fmt::format("joints   {}{}{}\n", set.skeleton.size(), set.translations.empty() ? "" : ", with translations",
                  set.scales.empty() ? "" : ", with scales");
  out.text += fmt::format("roles    {} for training, {} for testing, {} left out\n", counts.train, counts.test,
                          counts.left_out);
  if (!counts.sweeps.empty()) out.text += fmt::format("sweeps   {}\n", counted(counts.sweeps));
  if (!counts.tags.empty()) out.text += fmt::format("tags     {}\n", counted(counts.tags));
  if (!counts.flags.empty()) out.text += fmt::format("flags    {}\n", counted(counts.flags));
  out.json = {{"folder", folder},
              {"part", set.part},
              {"origin", set.origin},
              {"examples", set.size()},
              {"vertices", set.vertices()},
              {"triangles", set.triangles.size()},
              {"joints", set.skeleton.size()},
              {"train", counts.train},
              {"test", counts.test},
              {"left_out", counts.left_out},
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

void declare_info(Command& app, SetCommand& o) {
  app.option("folder", o.folder, "Folder of an example set").required().type("DIR");
  app.flag("--list", o.list, "List every example");
}

Result<Outcome> run_info(const SetCommand& o, Session&) {
  const auto set = load_examples(o.folder);
  if (!set) return set.error();
  return describe(*set, o.folder, o.list);
}

void declare_check(Command& app, SetCommand& o) {
  app.option("folder", o.folder, "Folder of an example set").required().type("DIR");
  app.option("--model", o.model, "Character that the set must belong to (.glb, .gltf)").type("FILE");
  app.option("--part", o.part, "Part of the model (default: the one the set names)").type("NAME");
}

Result<Outcome> run_check(const SetCommand& o, Session& session) {
  const auto set = load_examples(o.folder);
  if (!set) return set.error();
  const auto in_folder = [&](const Error& e) { return Error{o.folder + ": " + e.item, e.problem, e.remedy}; };
  if (auto ok = validate(*set); !ok) return in_folder(ok.error());
  Outcome out;
  out.text = fmt::format("{}: {} examples, {} vertices each: positions, normals and rotations are sound\n", o.folder,
                         set->size(), set->vertices());
  out.json = {{"folder", o.folder}, {"examples", set->size()}, {"vertices", set->vertices()}};
  if (o.model.empty()) return out;
  auto model = load_model(o.model, session);
  if (!model) return model.error();
  remove_driven_morphs(model->character());  // examples are of the shape before a fit
  const auto part = find_part(model->character(), o.part.empty() ? set->part : o.part);
  if (!part) return Error{o.model + ": " + part.error().item, part.error().problem, part.error().remedy};
  if (auto ok = check_matches(*set, model->character(), *part); !ok)
    return Error{o.model + ": " + ok.error().item, ok.error().problem, ok.error().remedy};
  out.text += fmt::format("{}: part '{}' is the one the examples were made of\n", o.model,
                          model->character().parts[*part].name);
  out.json["model"] = o.model;
  return out;
}

void declare_import(Command& app, ImportCommand& o) {
  app.option("-o,--output", o.output, "Folder to write; made where it is missing").required().type("DIR");
  app.option("--model", o.model, "The rig (.glb, .gltf)").required().type("FILE");
  app.option("--part", o.part, "Part that the examples show (default: the first skinned one)").type("NAME");
  app.option("--meshes", o.meshes, "Folder of .obj or .ply files, one per pose").type("FOLDER");
  app.option("--poses", o.poses, "Pose of each mesh or morph target (.json)").type("FILE");
  app.option("--clip", o.clip, "Clip that the cache belongs to: its name or number").type("NAME");
  app.option("--cache", o.cache, "Vertex cache: .mdd, .pc2, or a folder of numbered .obj or .ply files").type("FILE");
  app.flag("--morphs", o.morphs, "Take the model's own morph targets as sculpts");
  app.option("--every", o.options.every, "Take every N-th frame of the cache")
      .range(1, 1000000)
      .show_default()
      .type("N");
  app.option("--fps", o.options.frames_per_second, "Frames a second of .pc2 and numbered files")
      .positive()
      .show_default()
      .type("N");
  app.option("--start", o.options.start, "Seconds into the clip of the first frame (default: as the cache says)")
      .type("S");
  app.flag("--z-up", o.options.surface.z_up, "Meshes and caches have z up, as Blender's own space");
  app.option("--scale", o.options.surface.scale, "Metres per unit of meshes and caches")
      .positive()
      .show_default()
      .type("M");
  app.option(
         "--rest", o.rest,
         "The skin at rest (.obj, .ply) in the order of the files' vertices, where the model's are split or in another")
      .type("FILE");
  app.option("--hold-out", o.options.hold_out,
             "Share of a cache's frames that is kept for testing, in blocks; 0: all are learnt from")
      .range(0.0, 0.9)
      .show_default()
      .type("X");
  app.flag("--any-triangles", o.any_triangles, "Do not compare the triangles of meshes with the model's");
  app.option("--origin", o.origin, "Text that says where the examples come from").type("TEXT");
}

/// Exactly one kind of source, with all it needs.
Result<void> check_source(const ImportCommand& o) {
  const int kinds = int{!o.meshes.empty()} + int{!o.cache.empty()} + int{o.morphs};
  if (kinds != 1)
    return Error{"--meshes, --cache, --morphs", kinds == 0 ? "are all missing" : "exclude each other",
                 "give one of them"};
  if (!o.meshes.empty() && o.poses.empty()) return Error{"--poses", "is missing: --meshes needs the poses", ""};
  if (!o.cache.empty() && o.clip.empty()) return Error{"--clip", "is missing: --cache needs the clip it shows", ""};
  if (!o.cache.empty() && !o.poses.empty())
    return Error{"--poses", "does not go with --cache: the clip is the pose", ""};
  if (o.cache.empty() && !o.clip.empty()) return Error{"--clip", "goes with --cache only", ""};
  return {};
}

Result<void> import_morph_targets(const ImportCommand& o, const Model& model, ImportTarget& target) {
  std::vector<PoseBook> books;
  if (!o.poses.empty()) {
    auto book = read_pose_book(o.poses, model.character().skeleton);
    if (!book) return book.error();
    books.push_back(std::move(*book));
  }
  auto extras = poses_in_extras(model.document, model.imported, target.part);
  if (!extras) return extras.error();
  books.push_back(std::move(*extras));
  return import_morphs(target, books, !o.poses.empty());
}

Result<void> import_source(const ImportCommand& o, const Model& model, ImportTarget& target) {
  if (o.morphs) return import_morph_targets(o, model, target);
  CacheOptions options = o.options;
  options.surface.compare_triangles = !o.any_triangles;
  options.surface.rest = o.rest;
  if (!o.cache.empty()) {
    const auto clip = find_clip(model.character(), o.clip);
    if (!clip) return clip.error();
    return import_cache(target, **clip, o.cache, options);
  }
  const auto book = read_pose_book(o.poses, model.character().skeleton);
  if (!book) return book.error();
  return import_meshes(target, o.meshes, *book, options.surface);
}

Result<Outcome> run_import(const ImportCommand& o, Session& session) {
  if (auto ok = check_source(o); !ok) return ok.error();
  auto model = load_model(o.model, session);
  if (!model) return model.error();
  remove_driven_morphs(model->character());  // examples are of the shape before a fit
  const auto part = find_part(model->character(), o.part);
  if (!part) return Error{o.model + ": " + part.error().item, part.error().problem, part.error().remedy};
  const std::string source = o.morphs ? "morph targets" : o.meshes + o.cache;
  const std::string origin = o.origin.empty() ? "imported from " + source + " for " + o.model : o.origin;
  auto writer = ExampleWriter::create(o.output, subject_of(model->character(), *part, origin));
  if (!writer) return writer.error();
  ImportTarget target{*writer, model->character(), *part, &session.warnings, session.progress};
  if (auto ok = import_source(o, *model, target); !ok) return ok.error();
  if (auto ok = writer->finish(); !ok) return ok.error();
  const auto set = load_examples(o.output);
  if (!set) return set.error();
  return describe(*set, o.output, false);
}

}  // namespace

void add_examples(Command& app, Session& session) {
  Command examples = app.command("examples", "Example sets, poses with the skin of each: info, check, import",
                                 "\nExample:\n  supple examples info examples/ --list");
  add_command<SetCommand>(examples, session, "info", "Tell what an example set holds",
                          "supple examples info examples/ --list", declare_info, run_info);
  add_command<SetCommand>(examples, session, "check", "Check every pose and vertex, and that the set fits a model",
                          "supple examples check examples/ --model hand.glb", declare_check, run_check);
  add_command<ImportCommand>(examples, session, "import",
                             "Make an example set from meshes, a vertex cache or morph targets",
                             "supple examples import -o examples/ --model rig.glb --meshes sculpts/ --poses poses.json",
                             declare_import, run_import);
}

}  // namespace supple::cli
