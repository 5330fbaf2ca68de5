// Bones taken apart: one surface for each piece of bone in a volume, also where pieces touch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supple/author/scan/surface.h"
#include "supple/base/progress.h"

namespace supple::scan {

struct PartOptions {
  double iso = 0;                  // bone begins here, in the units of the volume
  std::optional<double> marker{};  // what is denser, cut at necks, is sure to be inside one bone (less than the
                                   // iso-value: nothing is cut at all); none: found by trying thresholds
  double smallest = 60e-9;  // cubic metres: smaller pieces are dropped, and listed; what is cut from a neighbour has
                            // twice that, or stays with it
  double blur = 0.5;        // samples, before anything else
};

/// One piece of bone.
struct BonePart {
  Mesh surface;                             // closed, world space, metres, with normals
  double volume = 0;                        // cubic metres, cavities included
  Vec3d centre{};                           // of its volume
  std::vector<bool> touches;                // #V: where it was cut from a neighbour, no real surface
  std::vector<std::uint32_t> candidates{};  // bones of the template that its label allows; empty: any
  std::uint32_t body = 0xffffffffu;         // single bone of the template that its label names; this: none
};

struct Parts {
  std::vector<BonePart> parts;  // largest first
  Mesh surface;                 // of all bone, as it is in the blurred volume, cavities and specks included
  double marker = 0;            // that was used where most parts touched
  struct Dropped {
    Vec3d centre{};
    double volume = 0;
  };
  std::vector<Dropped> dropped;  // too small, largest first; noise of a few samples is only counted in a warning
  std::vector<Dropped> outside;  // not in the skin, see drop_outside(); largest first
};

/// Pieces that hang together are divided into markers: what is denser than a level, cut at necks of the depth below its
/// surface. Levels are tried from the iso-value to 0.8 of the density of bone; the number of bones is the largest that
/// two of them agree upon. Markers then grow back to the iso-surface without ever joining. The error says what the
/// histogram looks like where there is no bone.
Result<Parts> separate_bones(const Volume& volume, const PartOptions& options, Warnings* warnings = nullptr,
                             const Progress& progress = {});

}  // namespace supple::scan
