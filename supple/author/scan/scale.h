// Whether a scan has the size of the base scan: a wrong spacing in a header stretches every bone alike.
#pragma once

#include <span>

#include "supple/author/scan/icp.h"

namespace supple::scan {

/// How bones of the base scan must be stretched to lie on those of another scan.
struct ScanScale {
  Vec3d factors{1, 1, 1};  // along `axes`, ascending
  Mat3d axes;              // columns, unit, in the space of the other scan
  double sd = 0;           // standard deviation of a factor, from what the fit leaves; 0: could not be estimated
  double offset = 0;       // metres that its surfaces of bone lie farther outwards: another threshold, not another size
};

/// `bones`: samples of bones of the base scan; `motions`: of each, rigid, base to the other scan, nearly right, of
/// bones that were found. One stretch for all of them, with each bone's motion free: point-to-plane iterations.
ScanScale estimate_scale(std::span<const SurfaceSamples> bones, std::span<const Affined> motions,
                         const TargetSurface& target);

/// What to say of a size that is not the base's by 2 % or more; empty where it is.
std::string doubt_about(const ScanScale& scale);

}  // namespace supple::scan
