// What `supple fit` is told.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "supple/learn/eigenskin.h"

namespace supple::cli {

struct FitOptions {
  std::string model, examples, output, part, report;
  std::optional<std::size_t> modes, budget, targets;  // per joint, per vertex, in all
  std::optional<double> error;                        // share of linear blend's error
  std::string engine = "generic";
  std::vector<std::string> poses;  // "NAME=TURN,TURN" or "NAME=FILE"
  learn::EigenSkinOptions learn;
  bool signed_weights = false, refine_weights = false, no_pictures = false;
};

void declare_fit_options(CLI::App& app, FitOptions& options);

}  // namespace supple::cli
