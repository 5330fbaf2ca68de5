// Volumes whose truth is known, for tests of scans.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "supple/base/rng.h"
#include "supple/geometry/volume.h"

namespace supple::test {

/// Samples of `value` at the lattice's points in world space.
inline Volume sampled_volume(std::array<std::size_t, 3> size, const Affined& to_world,
                             const std::function<double(Vec3d)>& value) {
  Volume v;
  v.name = "test volume";
  v.size = size;
  v.to_world = to_world;
  v.samples.reserve(v.count());
  for (std::size_t k = 0; k < size[2]; ++k)
    for (std::size_t j = 0; j < size[1]; ++j)
      for (std::size_t i = 0; i < size[0]; ++i) {
        const Vec3d p{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
        v.samples.push_back(static_cast<std::int16_t>(std::lround(value(to_world.point(p)))));
      }
  return v;
}

/// Cubes of `spacing`, from the origin on.
inline Affined lattice(double spacing) { return {Mat3d::diagonal({spacing, spacing, spacing}), {}}; }

/// How much of a voxel lies inside a surface at this signed distance (negative inside).
inline double share_inside(double distance, double voxel) { return std::clamp(0.5 - distance / voxel, 0.0, 1.0); }

/// About a bell: the sum of six uniform numbers.
inline double noise(Rng& rng, double sigma) {
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += rng.uniform();
  return sigma * std::sqrt(2.0) * (sum - 3);
}

}  // namespace supple::test
