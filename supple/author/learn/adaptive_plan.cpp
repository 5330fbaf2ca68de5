#include "supple/author/learn/adaptive_plan.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "supple/author/learn/next_poses.h"
#include "supple/rig/candidate_poses.h"

namespace supple::learn {
namespace {

constexpr double same_as_example = 0.07;  // chord: no joint is turned farther from where an example has it

/// Poses that are examples already, of whatever role and however they came out.
bool is_known(const ExampleSet& set, const Pose& pose) {
  for (std::size_t e = 0; e < set.size(); ++e) {
    const Pose known = set.pose(e);
    bool same = true;
    for (std::size_t j = 0; same && j < pose.local.size(); ++j)
      same = chord(known.local[j].rotation, pose.local[j].rotation) < same_as_example;
    if (same) return true;
  }
  return false;
}

}  // namespace

Result<AdaptiveBatch> next_batch(const ExampleSet& set, const Character& character, std::size_t part,
                                 const AdaptiveOptions& options, Warnings* warnings, const Progress& progress) {
  const auto trainer = KernelTrainer::make(set, character, part, {}, warnings, progress);
  if (!trainer) return trainer.error();
  AdaptiveBatch batch;
  batch.examples = trainer->samples().size();
  batch.left_out = trainer->left_out_of_several();
  auto candidates = candidate_poses(character, trainer->samples().joints, options.plan, options.candidates);
  if (!candidates) return candidates.error();
  std::erase_if(*candidates, [&](const PlannedPose& p) { return is_known(set, pose_of(p, character.skeleton)); });
  PoseSamples samples{trainer->samples().joints, {}, {}};
  for (const PlannedPose& pose : *candidates)
    samples.add(character.skeleton, pose_of(pose, character.skeleton), double{pose.weight});
  std::set<std::string> names;
  for (const Example& example : set.examples) names.insert(example.name);
  std::size_t number = 0;
  for (const std::size_t c : next_poses(trainer->kernel(), trainer->samples(), samples, options.poses)) {
    PlannedPose pose = std::move((*candidates)[c]);
    do {
      char name[32];
      std::snprintf(name, sizeof name, "adaptive-%03zu", ++number);
      pose.name = name;
    } while (names.contains(pose.name));
    pose.weight = 1;
    pose.tags.insert(pose.tags.begin(), "adaptive");
    batch.sweeps.push_back({pose.name, {pose}});
  }
  return batch;
}

}  // namespace supple::learn
