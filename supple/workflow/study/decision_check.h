// Decisions in a project file, checked before anything is computed: what is mistyped would otherwise be ignored.
#pragma once

#include "supple/rig/bone_template.h"
#include "supple/workflow/study/project.h"

namespace supple::workflow {

/// The error names the item by its path ("decisions.joints.wrist") and says what is wrong: an unknown member, scan or
/// bone, a value of the wrong type, a piece listed twice. Decisions about scans that were listed once and are no
/// longer: those of the program (`remembered`) are taken out, those made by hand are left, with a warning.
Result<void> check_decisions(Project& project, const Json& remembered, const BoneTemplate& skeleton,
                             Warnings& warnings);

}  // namespace supple::workflow
