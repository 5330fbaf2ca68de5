#include "supple/workflow/jobs/examples.h"

#include "supple/rig/append_morphs.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::workflow {
namespace {

/// Exactly one kind of source, with all it needs.
Result<void> check_source(const ImportExamplesOptions& o) {
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

Result<void> import_morph_targets(const ImportExamplesOptions& o, const Model& model, ImportTarget& target) {
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

Result<void> import_source(const ImportExamplesOptions& o, const Model& model, ImportTarget& target) {
  if (o.morphs) return import_morph_targets(o, model, target);
  if (!o.cache.empty()) {
    const auto clip = find_clip(model.character(), o.clip);
    if (!clip) return clip.error();
    return import_cache(target, **clip, o.cache, o.reading);
  }
  const auto book = read_pose_book(o.poses, model.character().skeleton);
  if (!book) return book.error();
  return import_meshes(target, o.meshes, *book, o.reading.surface);
}

/// Examples are of the shape before a fit.
Result<Model> load_unfitted(const std::string& file, Work& work) {
  auto model = load_model(file, work);
  if (model) remove_driven_morphs(model->character());
  return model;
}

}  // namespace

ExampleCounts count_examples(const ExampleSet& set) {
  ExampleCounts counts;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Example& example = set.examples[i];
    ++(example.role == Role::train ? counts.train : counts.test);
    if (!set.usable(i)) ++counts.left_out;
    if (!example.sweep.empty()) ++counts.sweeps[example.sweep];
    for (const std::string& flag : example.flags) ++counts.flags[flag];
    for (const std::string& tag : example.tags) ++counts.tags[tag];
  }
  const std::size_t numbers = 3 * set.positions.size() + 4 * set.rotations.size() + 3 * set.translations.size() +
                              3 * set.scales.size() + 3 * set.normals.size();
  counts.bytes = numbers * sizeof(float);
  return counts;
}

Result<CheckedExamples> check_examples(const CheckExamplesOptions& o, Work& work) {
  const auto set = load_examples(o.folder);
  if (!set) return set.error();
  if (auto ok = validate(*set); !ok)
    return Error{o.folder + ": " + ok.error().item, ok.error().problem, ok.error().remedy};
  CheckedExamples checked{set->size(), set->vertices(), {}};
  if (o.model.empty()) return checked;
  const auto model = load_unfitted(o.model, work);
  if (!model) return model.error();
  const auto in_model = [&](const Error& e) { return Error{o.model + ": " + e.item, e.problem, e.remedy}; };
  const Character& character = model->character();
  auto parts = parts_of(*set, character);
  if (!o.part.empty()) {
    if (!set->parts.empty())
      return Error{"--part " + o.part, "does not go with a set of several parts, which names them", "leave it out"};
    const auto part = find_part(character, o.part);
    parts = part ? Result(std::vector{*part}) : part.error();
  }
  if (!parts) return in_model(parts.error());
  if (auto ok = check_matches(*set, character, *parts); !ok) return in_model(ok.error());
  for (const std::size_t p : *parts) checked.part += (checked.part.empty() ? "" : ", ") + character.parts[p].name;
  return checked;
}

Result<ExampleSet> import_examples(const ImportExamplesOptions& o, Work& work) {
  if (auto ok = check_source(o); !ok) return ok.error();
  const auto model = load_unfitted(o.model, work);
  if (!model) return model.error();
  const auto part = find_part(model->character(), o.part);
  if (!part) return Error{o.model + ": " + part.error().item, part.error().problem, part.error().remedy};
  const std::string source = o.morphs ? "morph targets" : o.meshes + o.cache;
  const std::string origin = o.origin.empty() ? "imported from " + source + " for " + o.model : o.origin;
  auto writer = ExampleWriter::create(o.output, subject_of(model->character(), *part, origin));
  if (!writer) return writer.error();
  ImportTarget target{*writer, model->character(), *part, &work.warnings, work.progress};
  if (auto ok = import_source(o, *model, target); !ok) return ok.error();
  if (auto ok = writer->finish(); !ok) return ok.error();
  return load_examples(o.output);
}

}  // namespace supple::workflow
