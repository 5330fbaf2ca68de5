// --clip, --time, --pose: how every command says which pose it means.
#pragma once

#include "cli/command.h"
#include "supple/deform/skin.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::cli {

using workflow::PoseOptions;

void add_pose_options(Command& app, PoseOptions& options);

/// --blend linear|dual|kinodynamic
void add_blend_option(Command& app, Blend& blend, const std::string& option = "--blend");

}  // namespace supple::cli
