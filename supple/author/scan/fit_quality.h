// How well a fitted skin lies on its scan, and whether it is still a skin.
#pragma once

#include "supple/author/scan/consistent.h"
#include "supple/author/scan/targets.h"

namespace supple::scan {

/// `fitted`: #V over the triangles of `base`. `scan` is what it was fitted to.
FitQuality measure_fit(const Mesh& base, std::span<const Vec3f> fitted, const std::vector<bool>& reliable,
                       const Mesh& scan, const std::vector<bool>& scan_border);

}  // namespace supple::scan
