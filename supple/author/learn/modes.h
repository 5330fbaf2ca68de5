// Principal modes of displacements: the few directions in which a joint's examples differ.
#pragma once

#include <span>
#include <vector>

#include "supple/author/learn/dense.h"
#include "supple/base/vec.h"

namespace supple::learn {

/// Example e is about sum_m coordinates(e, m) * modes[m]. Modes are orthonormal over the vertices; singular values
/// descend. Signs are chosen so that the coordinate largest in size is positive (the first of equals).
struct PrincipalModes {
  std::vector<std::vector<Vec3f>> modes;  // each #V
  DenseMatrix coordinates;                // #examples by #modes
  std::vector<double> singular_values;    // of these and a few more, or of all there are; examples weighted
};

/// `examples` are lists of one displacement per vertex, all of one length; `weights` (> 0, one each) say how much an
/// example's error counts. Through the Gram matrix in double precision (eq. 5 of EigenSkin 2002 by another way): it is
/// only #examples wide. Modes below 1e-5 of the largest are noise and dropped; at most `most` are kept.
PrincipalModes principal_modes(std::span<const std::span<const Vec3f>> examples, std::span<const float> weights,
                               std::size_t most);

/// The field X_m that goes with mode m where coordinates are given: least squares of `examples` by coordinates. With
/// all modes, coordinates * X = examples.
std::vector<std::vector<Vec3f>> companion_modes(const PrincipalModes& modes,
                                                std::span<const std::span<const Vec3f>> examples,
                                                std::span<const float> weights);

}  // namespace supple::learn
