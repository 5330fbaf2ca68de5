// What a fit is told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supple/author/learn/kernel_skin.h"

namespace supple::workflow {

enum class FitMethod {
  kernel,     // local modes of all joints together: learn::KernelTrainer
  eigenskin,  // joint by joint, as the paper of 2002
  psd,
  wpsd,
};

struct FitOptions {
  std::string model, examples, output, part;
  std::optional<std::size_t> modes, budget, targets;  // per joint, per vertex, in all
  std::size_t details = 0;                            // worst examples that are hit exactly
  double detail_reach_degrees = 20;
  std::optional<double> error;  // share of linear blend's error
  std::string engine = "generic";
  std::vector<std::string> poses;  // "NAME=TURN,TURN" or "NAME=FILE"
  FitMethod method = FitMethod::kernel;
  learn::EigenSkinOptions learn;
  JointInfluence influence = JointInfluence::subtree;  // of wpsd
  std::optional<double> pose_radius;                   // of psd and wpsd, degrees
  bool is_of_modes() const { return method == FitMethod::kernel || method == FitMethod::eigenskin; }
  bool signed_weights = false, refine_weights = false;
  bool learning_curve = false;  // also train with fewer examples, to tell what more would buy
};

}  // namespace supple::workflow
