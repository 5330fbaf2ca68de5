// What `supple fit` is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "supple/author/learn/kernel_skin.h"

namespace supple::cli {

enum class FitMethod {
  kernel,     // local modes of all joints together: learn::KernelTrainer
  eigenskin,  // joint by joint, as the paper of 2002
  psd,
  wpsd,
};

struct FitOptions {
  std::string model, examples, output, part, report;
  std::optional<std::size_t> modes, budget, targets;  // per joint, per vertex, in all
  std::size_t details = 0;                            // worst examples that are hit exactly
  double detail_reach_degrees = 20;
  std::vector<Option> kernel_only;
  std::optional<double> error;  // share of linear blend's error
  std::string engine = "generic";
  std::vector<std::string> poses;  // "NAME=TURN,TURN" or "NAME=FILE"
  FitMethod method = FitMethod::kernel;
  std::vector<Option> modes_only, eigenskin_only, pose_space_only, weighted_only;  // that mean nothing to the others
  learn::EigenSkinOptions learn;
  JointInfluence influence = JointInfluence::subtree;  // of wpsd
  std::optional<double> pose_radius;                   // of psd and wpsd, degrees
  bool is_of_modes() const { return method == FitMethod::kernel || method == FitMethod::eigenskin; }
  bool signed_weights = false, refine_weights = false, no_pictures = false;
};

void declare_fit_options(Command& app, FitOptions& options);

/// Refuses options that belong to another method than the one asked for.
Result<void> check_method(const FitOptions& options);

}  // namespace supple::cli
