// Volume, centre and moments of what a closed surface encloses.
#pragma once

#include <span>

#include "supple/base/mat.h"
#include "supple/geometry/mesh.h"

namespace supple {

/// Of a body of density 1: times the density they are its mass and its inertia.
struct SolidMoments {
  double volume = 0;  // cubic metres; negative where the surface is inside out
  Vec3d centre{};
  Mat3d inertia = Mat3d::diagonal({});  // about the centre, m^5
};

/// By tetrahedra from the centre of the bounds to every triangle.
SolidMoments solid_moments(std::span<const Vec3f> positions, std::span<const Triangle> triangles);

/// Of two bodies as one.
SolidMoments operator+(const SolidMoments& a, const SolidMoments& b);
/// Of a denser body: `volume` is then its mass.
SolidMoments operator*(const SolidMoments& a, double density);

}  // namespace supple
