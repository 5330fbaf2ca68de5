// Loop subdivision of a part with everything it carries, so that a character comes out finer and moves the same way.
#pragma once

#include "supple/rig/character.h"

namespace supple {

/// One step: four triangles for each. Positions, skin weights and the offsets of morph targets go through the same
/// stencils (geometry/subdivide.h), texture coordinates are halved along edges on each side of a seam, normals are
/// computed anew where there were any. A vertex keeps at most as many influences as the part's vertices had, and at
/// least four; targets that move few vertices still move few. Tangents are dropped with a warning: programs derive them
/// from normals and texture coordinates. Drivers refer to targets by number and need no change.
///
/// Vertices at one position are one point of the surface, unless their weights or targets tell them apart as those of
/// closed lips do. Parts are refined each by itself; where two of them share a rim, it is the same curve in both.
Result<void> subdivide(Part& part, Warnings* warnings = nullptr);

}  // namespace supple
