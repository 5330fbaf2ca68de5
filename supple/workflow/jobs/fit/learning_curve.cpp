#include "supple/workflow/jobs/fit/learning_curve.h"

#include <algorithm>
#include <cmath>

#include "supple/author/learn/settings.h"
#include "supple/base/rng.h"

namespace supple::workflow {
namespace {

constexpr std::size_t enough_to_divide = 16;

/// Training examples that may be left out, shuffled.
std::vector<std::size_t> divisible(const ExampleSet& set) {
  std::vector<std::size_t> train = learn::examples_of(set, learn::Group::train), several;
  std::erase_if(train, [&](std::size_t e) { return !(set.examples[e].weight > 0); });
  const learn::Settings settings = learn::settings_of(set, train);
  for (std::size_t k = 0; k < train.size(); ++k)
    if (settings.moved[k].size() > 1) several.push_back(train[k]);
  std::vector<std::size_t> result = several.size() >= enough_to_divide ? several : train;
  Rng rng(1);
  for (std::size_t k = result.size(); k > 1; --k)
    std::swap(result[k - 1], result[rng.below(static_cast<std::uint32_t>(k))]);
  return result;
}

/// What the curve is about: poses of several joints where some are held out, else those left out of training.
double error_at(const LearningPoint& p) { return p.groups[2].examples > 0 ? p.groups[2].relative : p.left_out; }

}  // namespace

std::vector<LearningPoint> learning_curve(FitJob& job, const learn::KernelSkinOptions& options, Work& work) {
  const std::vector<std::size_t> part = divisible(job.set);
  const std::size_t all = learn::examples_of(job.set, learn::Group::train).size();
  std::vector<LearningPoint> curve;
  std::vector<float> weights;
  for (const Example& e : job.set.examples) weights.push_back(e.weight);
  const std::size_t modes = job.skin.order.size() - job.details;
  if (part.size() >= enough_to_divide) {
    for (const std::size_t share : {std::size_t{4}, std::size_t{2}}) {
      report(work.progress, "learning from fewer examples", share == 4 ? 0.75 : 0.85);
      const std::size_t kept = part.size() / share;
      for (std::size_t k = kept; k < part.size(); ++k) job.set.examples[part[k]].weight = 0;
      const auto trainer = learn::KernelTrainer::make(job.set, job.original, job.part, options);
      if (trainer) {
        const std::size_t used = std::min(modes, trainer->modes());
        curve.push_back({all - (part.size() - kept), trainer->left_out(used),
                         errors_of(job, trainer->skin(used), learn::Group::held_out_single)});
      }
      for (std::size_t e = 0; e < weights.size(); ++e) job.set.examples[e].weight = weights[e];
    }
  }
  report(work.progress, "learning from fewer examples", 0.95);
  curve.push_back({all, job.skin.corrections[0].left_out.value_or(0), job.errors});
  return curve;
}

std::optional<double> with_twice_as_many(const std::vector<LearningPoint>& curve) {
  if (curve.size() < 2) return std::nullopt;
  const LearningPoint &a = curve[curve.size() - 2], &b = curve.back();
  const double before = error_at(a), now = error_at(b);
  if (!(now < before) || !(now > 0)) return std::nullopt;
  const double power =
      std::log(before / now) / std::log(static_cast<double>(b.examples) / static_cast<double>(a.examples));
  return now * std::pow(2.0, -power);
}

}  // namespace supple::workflow
