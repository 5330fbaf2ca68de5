#include "supple/workflow/jobs/examples.h"

#include <algorithm>
#include <filesystem>

#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/vertex_cache.h"
#include "supple/geometry/topology.h"
#include "supple/rig/append_morphs.h"
#include "supple/rig/joined_parts.h"
#include "supple/rig/merge_parts.h"
#include "supple/workflow/jobs/named_pose.h"
#include "supple/workflow/jobs/simulate/taught_parts.h"

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

Result<void> import_morph_targets(const ImportExamplesOptions& o, const Model& model, std::size_t part,
                                  ImportTarget& target) {
  std::vector<PoseBook> books;
  if (!o.poses.empty()) {
    auto book = read_pose_book(o.poses, model.character().skeleton);
    if (!book) return book.error();
    books.push_back(std::move(*book));
  }
  auto extras = poses_in_extras(model.document, model.imported, part);
  if (!extras) return extras.error();
  books.push_back(std::move(*extras));
  return import_morphs(target, books, !o.poses.empty());
}

/// Parts made one have other morph weights than the file that the clip is of.
bool is_of_morphs(const Track& track) { return track.channel == Channel::morph_weights; }

/// `part`: of the model, the first that is shown.
Result<void> import_source(const ImportExamplesOptions& o, const Model& model, std::size_t part, ImportTarget& target) {
  if (o.morphs) return import_morph_targets(o, model, part, target);
  if (!o.cache.empty()) {
    const auto clip = find_clip(model.character(), o.clip);
    if (!clip) return clip.error();
    Clip shown = **clip;
    if (&target.character != &model.character() && std::erase_if(shown.tracks, is_of_morphs) > 0)
      target.warnings->push_back("clip '" + shown.name + "' animates morph targets; examples keep the joints only");
    return import_cache(target, shown, o.cache, o.reading);
  }
  const auto book = read_pose_book(o.poses, model.character().skeleton);
  if (!book) return book.error();
  return import_meshes(target, o.meshes, *book, o.reading.surface);
}

/// Vertices of the first mesh or frame; 0 where it cannot be read, which is told later.
std::size_t vertices_of_source(const ImportExamplesOptions& o) {
  if (!o.cache.empty()) {
    const auto cache = VertexCache::open(o.cache, o.reading.frames_per_second);
    const auto first = cache ? cache->read(0) : Result<Mesh>(cache.error());
    return first ? first->positions.size() : 0;
  }
  std::filesystem::path first;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(o.meshes, failed))
    if (is_surface_file(entry.path()) && (first.empty() || entry.path() < first)) first = entry.path();
  const auto surface = read_surface(first);
  return surface ? surface->positions.size() : 0;
}

/// Whether a surface of so many vertices may be these parts: as they are, or with one vertex for each place.
bool may_be(const Character& character, const std::vector<std::size_t>& parts, std::size_t vertices) {
  const JoinedParts joined(character, parts);
  const auto all = joined.join([&](std::size_t p) { return std::span(character.parts[p].mesh.positions); });
  return vertices == all.size() || vertices == weld(all).points();
}

/// Which parts the source shows, when nobody says which: the first skinned one, or where it has other vertices than
/// that, all skin; of morph targets all surfaces of a mesh, which share them.
Result<std::vector<std::size_t>> shown_parts(const ImportExamplesOptions& o, const Model& model) {
  const Character& character = model.character();
  const auto first = find_part(character, o.part);
  if (!first && !o.part.empty() && !o.morphs) return skin_parts(character, o.part);
  if (!first) return first.error();
  std::vector<std::size_t> one{*first};
  if (!o.part.empty() && !o.morphs) return one;
  if (o.morphs && character.parts[*first].skin) {
    auto surfaces = gltf::surfaces_of_mesh(model.imported, *first);
    if (surfaces) std::ranges::sort(*surfaces);
    return surfaces;
  }
  const auto skin = skin_parts(character, "");
  if (o.morphs || !skin || skin->size() == 1) return one;
  const std::size_t vertices = vertices_of_source(o);
  return !may_be(character, one, vertices) && may_be(character, *skin, vertices) ? *skin : one;
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
    if (!set.usable(i) && example.role == Role::test) ++counts.left_out_test;
    if (!example.sweep.empty()) ++counts.sweeps[example.sweep];
    for (const std::string& flag : example.flags) ++counts.flags[flag];
    for (const std::string& tag : example.tags) ++counts.tags[tag];
  }
  const std::size_t numbers = 3 * set.positions.size() + 4 * set.rotations.size() + 3 * set.translations.size() +
                              3 * set.scales.size() + 3 * set.normals.size();
  counts.bytes = numbers * sizeof(float);
  return counts;
}

std::string held_out_sentence(std::size_t without_teacher, std::size_t held_out) {
  if (without_teacher == 0) return {};
  return fmt::format("{} of {} held-out poses {} no teacher.", without_teacher, held_out,
                     without_teacher == 1 ? "has" : "have");
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
  auto parts = shown_parts(o, *model);
  if (!parts) return Error{o.model + ": " + parts.error().item, parts.error().problem, parts.error().remedy};
  const std::string source = o.morphs ? "morph targets" : o.meshes + o.cache;
  const std::string origin = o.origin.empty() ? "imported from " + source + " for " + o.model : o.origin;
  auto writer = ExampleWriter::create(o.output, subject_of(model->character(), *parts, origin));
  if (!writer) return writer.error();
  const bool several = parts->size() > 1;
  const Character one_skin = several ? merge_parts(model->character(), *parts, Seams::kept).character : Character();
  ImportTarget target{*writer, several ? one_skin : model->character(), several ? 0 : (*parts)[0], &work.warnings,
                      work.progress};
  if (auto ok = import_source(o, *model, (*parts)[0], target); !ok) return ok.error();
  if (auto ok = writer->finish(); !ok) return ok.error();
  return load_examples(o.output);
}

}  // namespace supple::workflow
