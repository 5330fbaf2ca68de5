// A small piece of skin laid onto a surface as if it were rigid.
#pragma once

#include <optional>
#include <span>

#include "supple/author/scan/targets.h"
#include "supple/base/mat.h"

namespace supple::scan {

struct PatchFit {
  Affined motion;       // rigid
  double before = 0;    // metres: root mean square distance from the surface along its normals, where it was
  double residual = 0;  // and where it is now
};

/// Point-to-plane ICP with a weak pull towards staying: directions that the shape of the patch does not tell (along a
/// cylinder, around it) stay as they are. None where less than `least_share` of the points have a place on the surface.
std::optional<PatchFit> fit_patch(std::span<const Vec3d> points, std::span<const Vec3d> normals,
                                  const FacingSurface& surface, const TargetLimits& limits, double least_share);

}  // namespace supple::scan
