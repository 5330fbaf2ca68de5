// How every command that makes a pose plan says which poses it means.
#pragma once

#include <CLI/CLI.hpp>

#include "supple/rig/pose_plan.h"

namespace supple::cli {

/// `options` must outlive the parsing. Returns what was declared.
std::vector<CLI::Option*> declare_plan_options(CLI::App& app, PlanOptions& options);

}  // namespace supple::cli
