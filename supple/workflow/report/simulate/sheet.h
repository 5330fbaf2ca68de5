// A sheet of poses: the end of every sweep, and whatever was flagged, as small pictures.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "supple/base/progress.h"
#include "supple/render/image.h"
#include "supple/rig/character.h"
#include "supple/workflow/jobs/simulate/simulate.h"

namespace supple::workflow {

struct SheetPose {
  std::size_t sweep = 0;  // poses of one sweep follow each other
  std::string caption;
  bool flagged = false;
};

/// The part's vertices in a pose of the list; none where they are lost.
using SheetSkin = std::function<std::optional<std::vector<Vec3f>>(std::size_t pose)>;

Result<render::Image> draw_sheet(const Character& character, std::size_t part, std::span<const SheetPose> poses,
                                 const SheetSkin& skin, const Progress& progress);

/// The end of every sweep, and whatever was flagged.
Result<render::Image> pose_sheet(const Simulated& simulated, const Progress& progress);

}  // namespace supple::workflow
