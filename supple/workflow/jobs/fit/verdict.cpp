#include "supple/workflow/jobs/fit/verdict.h"

#include <fmt/core.h>

namespace supple::workflow {
namespace {

constexpr const char* fit_remedy = "add examples like these poses, or keep the file as it was";

/// Groups of examples in which the skin leaves more error than linear blend.
std::size_t warn_of_worse_groups(const Fit& fit, Work& work) {
  std::size_t worse = 0;
  for (std::size_t g = 0; g < fit.errors.size(); ++g) {
    const learn::ErrorSummary& e = fit.errors[g];
    if (e.worse_examples > 0)
      work.warnings.push_back(
          fmt::format("{} examples: in {} of {} the skin is farther from the example than linear blend is, most of all "
                      "in '{}', {:.2f} times as far; add examples like these, or another --method may do better",
                      learn::group_names[g], e.worse_examples, e.examples, fit.set.examples[e.worst_example].name,
                      e.worst_relative));
    if (e.examples == 0 || !(e.relative > 1)) continue;
    ++worse;
    work.warnings.push_back(fmt::format(
        "{} examples: the skin leaves more error than linear blend (most of all in '{}', about joint '{}', where a "
        "vertex is {:.2f} mm farther off); the training examples do not tell what these poses do: add some like them",
        learn::group_names[g], fit.set.examples[e.worse_example].name,
        nearest_joint(fit.input, fit.part, e.worse_vertex), e.worse * fit.millimetres()));
  }
  return worse;
}

}  // namespace

Result<FitVerdict> judge_fit(const Fit& fit, Work& work) {
  FitVerdict verdict;
  const std::size_t worse_groups = warn_of_worse_groups(fit, work);
  const Character& learnt = fit.model.character();
  const auto poses = comparison_poses(fit.before, learnt);
  if (!poses) return poses.error();
  if (!poses->moments.empty()) {
    auto compared = compare_skins(fit.before, learnt, *poses, {.parts = all_surfaces(fit)}, work);
    if (!compared) return compared.error();
    warn_of_worse(*compared, learnt.skeleton, "the learnt skin", fit_remedy, work);
    verdict.compared = std::move(*compared);
  }
  const bool poses_worse = verdict.compared && !verdict.compared->worse().empty();
  verdict.better = worse_groups == 0 && !poses_worse;
  verdict.sentence =
      worse_groups > 0 ? "worse than linear blend in some examples: see the warnings"
      : poses_worse    ? "nearer to the examples than linear blend, and worse by volume or crossings: see the warnings"
                       : "better than linear blend, and not worse by volume or crossings anywhere";
  return verdict;
}

}  // namespace supple::workflow
