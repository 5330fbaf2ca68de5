#include "supple/workflow/jobs/simulate/adaptive.h"

#include "supple/author/learn/adaptive_plan.h"
#include "supple/files/example_set_file.h"

namespace supple::workflow {

Result<std::vector<AdaptivePoint>> run_adaptively(SimulateJob& job, const SimulateOptions& o,
                                                  std::chrono::steady_clock::time_point start, const RunPlan& run_plan,
                                                  Work& work) {
  simulate::Simulation& s = job.simulation;
  learn::AdaptiveOptions options;
  options.plan = o.plan;
  std::vector<AdaptivePoint> curve;
  for (auto left = static_cast<std::size_t>(o.adaptive);;) {
    const auto set = load_examples(o.output);
    if (!set) return set.error();
    options.poses = std::min(left, static_cast<std::size_t>(o.batch));
    const auto batch = learn::next_batch(*set, job.character, s.body.part, options, nullptr, work.progress);
    if (!batch) return batch.error();
    curve.push_back({batch->examples, batch->left_out});
    const std::chrono::duration<double, std::ratio<60>> minutes = std::chrono::steady_clock::now() - start;
    const bool enough =
        batch->left_out <= o.enough_error || (o.enough_minutes > 0 && minutes.count() > o.enough_minutes);
    if (left == 0 || enough || batch->sweeps.empty() || work.stopped()) return curve;
    s.plan.sweeps.insert(s.plan.sweeps.end(), batch->sweeps.begin(), batch->sweeps.end());
    left -= batch->sweeps.size();
    if (!run_plan()) return curve;
  }
}

}  // namespace supple::workflow
