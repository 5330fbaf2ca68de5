// Feature points without a person: places of the base skin that are found again on another scan by the shape around
// them (Kurihara and Miyata 2004, section 4.2, where they are picked by hand).
#pragma once

#include <span>

#include "supple/author/scan/consistent.h"
#include "supple/author/scan/targets.h"

namespace supple::scan {

struct FeatureOptions {
  std::size_t samples = 100;  // spread evenly over the skin, besides the tips
  double patch = 0.008;       // metres around a feature that are compared
  TargetLimits limits{};      // of the comparison
};

/// Ends of limbs: vertices farther from the rest of the skin, along the skin, than all others around them.
std::vector<std::uint32_t> find_tips(const Mesh& skin, const std::vector<bool>& excluded = {});

/// `count` vertices of the skin, each as far as possible from those before it.
std::vector<std::uint32_t> spread_samples(std::span<const Vec3f> positions, std::size_t count,
                                          const std::vector<bool>& excluded = {});

/// The patch of `blended` (with normals) around each tip and sample is laid onto the scan as a rigid piece, which finds
/// its place also along the surface where the shape tells. Those that fit badly, are not seen whole, or would move much
/// unlike their neighbours are left out. Tips are named "tip 1", ..., the others "patch 1", ...
std::vector<Feature> find_features(const Mesh& base, const Mesh& blended, const FacingSurface& scan,
                                   const FeatureOptions& options, const std::vector<bool>& excluded = {});

/// Of the features of a fit that is done, found or given.
std::vector<FeatureScore> score_features(const FittedSkin& fit, const FacingSurface& scan);

}  // namespace supple::scan
