#include "cli/plan_options.h"

namespace supple::cli {

std::vector<CLI::Option*> declare_plan_options(CLI::App& app, PlanOptions& options) {
  const std::size_t before = app.get_options().size();
  app.add_option("--joints", options.joints, "Only these joints, separated by commas (default: all that have limits)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  app.add_option("--per-dof", options.poses_per_dof, "Training poses along each degree of freedom")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--spacing", options.min_spacing, "Degrees between them at least, so that small ranges get fewer")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 360.0))
      ->type_name("DEG");
  app.add_flag_callback(
      "--axes-only", [&options] { options.off_axis = false; },
      "No combined poses of joints with several degrees of freedom");
  app.add_option("--coupled", options.coupled, "Training poses that turn several joints at once")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000))
      ->type_name("N");
  app.add_option("--between", options.held_out_between, "Test poses per degree of freedom, between training angles")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  app.add_option("--random", options.held_out_random, "Test poses that turn several joints at once")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000))
      ->type_name("N");
  app.add_option("--seed", options.seed, "Of the random poses")->capture_default_str()->type_name("N");
  app.add_option("--scale", options.range_scale, "Use only this part of the limits")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 1.0))
      ->type_name("X");
  app.add_option("--range", options.default_range,
                 "Degrees each way about x, y and z, for joints named by --joints that have no limits")
      ->check(CLI::Range(0.0, 180.0))
      ->type_name("DEG");
  const std::vector<CLI::Option*> all = app.get_options();
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

}  // namespace supple::cli
