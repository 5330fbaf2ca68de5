// The bones of the base scan found again in another scan, from the root to the tips.
#pragma once

#include <span>

#include "supple/author/scan/motion_covariance.h"
#include "supple/author/scan/naming.h"
#include "supple/author/scan/scale.h"
#include "supple/base/progress.h"

namespace supple::scan {

struct AlignOptions {
  std::size_t points = 700;   // of each bone
  std::size_t tried = 5;      // best hypotheses that are refined
  double trim = 0.85;         // share of pairs kept
  double least_cosine = 0.5;  // between normals of a pair
  double step = 10;           // degrees between hypotheses of flexion; abduction 20
};

/// How one bone was found.
struct BoneFit {
  Affined motion;                        // rigid: base scan to this scan
  double residual = 0;                   // metres: root mean square distance of the pairs kept
  double overlap = 0;                    // share of its points in the scan within 1.5 mm of bone that no other one has
  double rotation_sd = 0, shift_sd = 0;  // uncertainty, radians and metres, from residuals and the shape of the bone
  bool found = true;                     // overlap is enough to believe it
  MotionCovariance covariance{};         // the same uncertainty, direction by direction, in this scan's space
};

struct Alignment {
  std::vector<BoneFit> bones;     // in the order of the base's
  std::vector<BoneFit> bodies{};  // single bones of compound ones, in the order of the base's; see scan_bodies()
  ScanScale scale{};              // of the bones that were found
};

/// `surface` is all bone of the other scan (Parts::surface or an iso-surface): only the base needs to be taken apart.
/// Errors: a mirrored hand; bones that are not found are told as warnings with the bone's name and its overlap, and a
/// scan whose bones have another size.
/// `given`: motions set by hand (rigid), none where empty; they are refined, not searched, and hold as they are where
/// too little of the bone is seen.
/// `bodies`: single bones that move for themselves; motions given for them come after those of the bones. A body that
/// was not found moves as the bone that it belongs to. Bodies that did not move against the one that leads them, as far
/// as their noise can tell, are aligned with it as one.
Result<Alignment> align_bones(std::span<const ScanBone> base, const Mesh& surface, const AlignOptions& options = {},
                              std::span<const std::optional<Affined>> given = {}, Warnings* warnings = nullptr,
                              const Progress& progress = {}, std::span<const ScanBone> bodies = {});

}  // namespace supple::scan
