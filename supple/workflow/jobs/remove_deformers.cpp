#include "supple/workflow/jobs/remove_deformers.h"

#include <algorithm>

#include "supple/author/bake/bake_drivers.h"
#include "supple/files/gltf/edit_morphs.h"
#include "supple/files/gltf/take_out_deformers.h"

namespace supple::workflow {
namespace {

std::string deformers_in(const Character& character) {
  std::string words;
  for (const DeformerKind* kind : deformers())
    if (kind->count(character) > 0) words += (words.empty() ? "" : ", ") + word_for(*kind);
  return words;
}

std::size_t count_morphs(const Character& character) {
  std::size_t count = 0;
  for (const Part& part : character.parts) count += part.morphs.size();
  return count;
}

}  // namespace

Result<Removed> remove_deformers(const RemoveOptions& o, Work& work) {
  if (auto named = check_gltf_name(o.output); !named) return named.error();
  auto model = load_model(o.input, work);
  if (!model) return model.error();
  const std::string there = deformers_in(model->character());
  if (there.empty()) return Error{o.input, "has no deformers", ""};
  Removed removed;
  std::vector<const DeformerKind*> kinds;
  for (const DeformerKind* kind : deformers()) {
    const std::size_t count = kind->count(model->character());
    const bool asked_for = std::find(o.kinds.begin(), o.kinds.end(), kind) != o.kinds.end();
    if (asked_for && count == 0) return Error{o.input, std::string("has no ") + kind->name, "it has " + there};
    if (count == 0 || (!o.kinds.empty() && !asked_for)) continue;
    removed.kinds.push_back({kind, count, kind->summary(model->character())});
    kinds.push_back(kind);
  }
  const std::size_t morphs = count_morphs(model->character()), joints = model->character().skeleton.size();
  if (auto out = gltf::take_out_deformers(model->document, model->imported, kinds, &work.warnings); !out)
    return Error{o.input + ", " + out.error().item, out.error().problem, out.error().remedy};
  Character& character = model->character();
  removed.morph_targets = morphs - count_morphs(character);
  removed.joints = joints - character.skeleton.size();
  if (!character.wrinkles.empty() && (removed.morph_targets > 0 || removed.joints > 0)) {
    bake_drivers(character);
    if (auto put = gltf::put_morphs(model->document, model->imported, {}); !put) return put.error();
  }
  if (auto saved = save_model(o.output, *model, work); !saved) return saved.error();
  return removed;
}

}  // namespace supple::workflow
