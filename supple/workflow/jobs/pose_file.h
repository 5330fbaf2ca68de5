// A posed copy of a file, still rigged, or its surface in that pose.
#pragma once

#include "supple/deform/skin.h"
#include "supple/workflow/jobs/model.h"
#include "supple/workflow/jobs/named_pose.h"

namespace supple::workflow {

struct PoseFileOptions {
  std::string input{}, output{};
  PoseOptions pose{};
  Blend blend = Blend::linear;
  bool bake = false;  // the deformed surface without the rig, as .obj files always are
};

struct PosedFile {
  bool baked = false;
};

Result<PosedFile> pose_file(const PoseFileOptions& options, Work& work);

}  // namespace supple::workflow
