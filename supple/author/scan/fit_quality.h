// How well a fitted skin lies on its scan, and whether it is still a skin.
#pragma once

#include "supple/author/scan/consistent.h"
#include "supple/author/scan/targets.h"

namespace supple::scan {

/// `fit`: its positions, #V over the triangles of `base`, which of them are reliable, and where blending had put them.
/// `scan` is what it was fitted to. Borders: #V flags or none.
FitQuality measure_fit(const Mesh& base, const FittedSkin& fit, const Mesh& scan, const std::vector<bool>& base_border,
                       const std::vector<bool>& scan_border);

/// What a person should look at: skin farther than `reach` (metres) from the scan, triangles folded over or drawn out.
Warnings doubts_about_fit(const FitQuality& quality, double reach);

}  // namespace supple::scan
