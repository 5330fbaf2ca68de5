#include "cli/plan_options.h"

namespace supple::cli {

std::vector<Option> declare_plan_options(Command& app, PlanOptions& options) {
  const std::size_t before = app.options().size();
  app.option("--joints", options.joints, "Only these joints, separated by commas (default: all that have limits)")
      .with_commas()
      .type("NAMES");
  app.option("--per-dof", options.poses_per_dof, "Training poses along each degree of freedom")
      .show_default()
      .range(1, 1000)
      .type("N");
  app.option("--spacing", options.min_spacing, "Degrees between them at least, so that small ranges get fewer")
      .show_default()
      .range(0.1, 360.0)
      .type("DEG");
  app.flag(
      "--axes-only", [&options] { options.off_axis = false; },
      "No combined poses of joints with several degrees of freedom");
  app.option("--coupled", options.coupled, "Training poses that turn several joints at once")
      .show_default()
      .range(0, 100000)
      .type("N");
  app.option("--between", options.held_out_between, "Test poses per degree of freedom, between training angles")
      .show_default()
      .range(0, 1000)
      .type("N");
  app.option("--random", options.held_out_random, "Test poses that turn several joints at once")
      .show_default()
      .range(0, 100000)
      .type("N");
  app.option("--grips", options.grips,
             "Training poses that turn all joints at once: grips, pinches, pointing, spreading; in threes on one way")
      .show_default()
      .range(0, 100000)
      .type("N");
  app.option("--test-grips", options.held_out_grips, "Test poses of that kind")
      .show_default()
      .range(0, 100000)
      .type("N");
  app.option("--seed", options.seed, "Of the random poses").show_default().type("N");
  app.option("--scale", options.range_scale, "Use only this part of the limits")
      .show_default()
      .range(0.01, 1.0)
      .type("X");
  app.option("--range", options.default_range,
             "Degrees each way about x, y and z, for joints named by --joints that have no limits")
      .range(0.0, 180.0)
      .type("DEG");
  app.mark_advanced({"--spacing", "--axes-only", "--coupled", "--between", "--random", "--grips", "--test-grips",
                     "--seed", "--scale"});
  const std::vector<Option> all = app.options();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

}  // namespace supple::cli
