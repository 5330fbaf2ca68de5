#include "supple/workflow/jobs/fit/pose_space.h"

#include <chrono>
#include <numbers>

#include "supple/author/learn/pose_space.h"
#include "supple/files/gltf/edit_morphs.h"

namespace supple::workflow {
namespace {

Result<void> measure(const Character& character, const PoseSpaceFit& fit, std::array<learn::ErrorSummary, 3>& errors,
                     std::array<std::vector<learn::PoseError>, 3>* poses) {
  for (std::size_t g = 0; g < errors.size(); ++g) {
    const auto examples = learn::examples_of(fit.set, static_cast<learn::Group>(g));
    auto measured = learn::measure_live(character, fit.part, fit.set, examples, &fit.input);
    if (!measured) return measured.error();
    errors[g] = learn::summarize(*measured, fit.set.vertices(), fit.set.vertices());
    if (poses != nullptr) (*poses)[g] = std::move(*measured);
  }
  return {};
}

}  // namespace

Result<PoseSpaceFit> fit_pose_space(const FitOptions& o, Work& work) {
  PoseSpaceFit fit;
  fit.method = o.method == FitMethod::psd ? "PSD" : "weighted PSD";
  if (auto ok = prepare(fit, o, work); !ok) return ok.error();
  const auto start = std::chrono::steady_clock::now();
  if (auto ok = refine_weights(fit, o, work); !ok) return ok.error();
  Character& character = fit.model.character();
  learn::PoseSpaceOptions options;
  options.influence = o.method == FitMethod::psd ? JointInfluence::equal : o.influence;
  if (o.pose_radius) options.radius = static_cast<float>(*o.pose_radius * std::numbers::pi / 180);
  auto space = learn::train_pose_space(fit.set, character, fit.meshes[0], options, &work.warnings,
                                       within(work.progress, 0, trained));
  if (!space) return Error{o.examples + ", " + space.error().item, space.error().problem, space.error().remedy};
  fit.space = std::move(*space);
  fit.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  bake(fit);
  fit.learnt = character;
  const Progress measuring = within(work.progress, trained, 1);
  report(measuring, "measuring", 0);
  if (auto ok = measure(character, fit, fit.errors, &fit.poses); !ok) return ok.error();
  report(measuring, "measuring", 0.5);
  Character shown_elsewhere = character;
  shown_elsewhere.pose_space = plain(fit.space);
  if (auto ok = measure(shown_elsewhere, fit, fit.elsewhere, nullptr); !ok) return ok.error();
  report(measuring, "measuring", 1);
  if (auto ok = gltf::put_morphs(fit.model.document, fit.model.imported, all_surfaces(fit)); !ok) return ok.error();
  return fit;
}

}  // namespace supple::workflow
