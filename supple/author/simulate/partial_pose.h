// Poses in which a few elements turned inside out: skin about them shows linear blend, the rest what was simulated.
#pragma once

#include "supple/author/simulate/tissue.h"

namespace supple::simulate {

/// Distances from the nearest inverted element, in element edges: the fewest edges of the mesh that lead there,
/// interpolated inside elements. Up to the first, skin is linear blend's alone; farther than the second, the
/// simulation's alone. In between the two are mixed by a smoothstep. A wider mask teaches less: nothing but the
/// elements themselves is wrong.
inline constexpr double blended_edges = 0, simulated_edges = 1;
/// A pose can be learnt from while less than this share of the skin's area is not the simulation's alone.
inline constexpr double most_blended_skin = 0.2;

/// The part of a pose in which the flesh went well.
struct SoundRegion {
  std::vector<float> keep;         // #V of Body::skin: 1 shows the simulation, 0 linear blend
  double blended = 0;              // share of the skin's area, at rest, that is not the simulation's alone
  std::vector<JointIndex> joints;  // nearest to inverted elements, at rest; the one with the most of them first
};

/// `nodes`: of the tissue, in the pose. Where no element is inverted, everything is kept.
SoundRegion sound_region(const Body& body, const Tissue& tissue, std::span<const Vec3d> nodes);

}  // namespace supple::simulate
