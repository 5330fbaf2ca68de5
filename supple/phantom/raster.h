// Solids drawn into a lattice of samples, each sample by the share of it that lies inside.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "supple/base/vec.h"

namespace supple::phantom {

/// Space in units of samples: sample (i, j, k) stands for the unit cube around (i, j, k).
struct LatticeShape {
  std::function<double(Vec3d)> distance;  // negative inside; called from several threads
  double lipschitz = 1;                   // the most that `distance` changes over one unit
  bool in_samples = true;                 // `distance` has slope one; otherwise its slope is measured where it counts
  Vec3d low{}, high{};                    // a box around the solid
};

/// Where a share s of a sample lies inside, image becomes (1 - s) * image + s * value. The share falls from one to zero
/// within one unit across the surface, as the average of a cube does. `image` has size[0] * size[1] * size[2] entries.
/// The same for any number of threads.
void mix(const LatticeShape& shape, float value, const std::array<std::size_t, 3>& size, std::span<float> image);

/// Gaussian of `sigma` samples along each axis; beyond the border the image goes on as it ends.
void blur(std::span<float> image, const std::array<std::size_t, 3>& size, double sigma);

}  // namespace supple::phantom
