// The hand as files of two programs: MuJoCo's MJCF and OpenSim's .osim. Both are metres, radians and kilograms in model
// space (y up, as glTF), all coordinates 0 in the base scan's pose, surfaces of bones beside them in "Geometry".
#pragma once

#include "supple/workflow/study/biomechanics/hand_model.h"

namespace supple::workflow {

/// Where a body's surface lies, from the folder of the model: "Geometry/wrist.stl" without the folder.
std::string geometry_file(const ModelBody& body);

std::string to_mjcf(const HandModel& model);
std::string to_osim(const HandModel& model);

}  // namespace supple::workflow
