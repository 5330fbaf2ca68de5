// Star shapes: surfaces whose distance from a centre is a smooth function of the direction.
#pragma once

#include <array>
#include <span>

#include "supple/geometry/mesh.h"
#include "supple/rig/kinodynamics.h"

namespace supple {

/// Even over the sphere.
const std::array<Vec3d, TissuePrimitive::star_size>& star_directions();

struct StarRadius {
  double radius = 1;
  Vec3d log_gradient{};  // of ln(radius) by the point, which is 0 along the point itself
};
/// ln(radius) = sum_k star[k] ((1 + u . u_k) / 2)^16 for the direction u of `point`: a polynomial, smooth everywhere
/// but at the centre.
StarRadius star_radius(std::span<const float> star, Vec3d point);

/// No direction has a larger one.
double greatest_star_radius(std::span<const float> star);

struct StarFit {
  double margin = 3;  // the weight vanishes at this many times the surface's distance from the centre
  TissueKind kind = TissueKind::soft;
};
/// A primitive about a closed surface (world space at rest, metres) for a joint there. The error says that the surface
/// is not closed, or cannot be seen whole from its centre of mass.
Result<TissuePrimitive> fit_star(const Mesh& surface, JointIndex joint, const Affinef& joint_world,
                                 const StarFit& options = {});

}  // namespace supple
