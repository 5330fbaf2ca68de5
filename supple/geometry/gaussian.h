// Weights of a Gaussian on a lattice, for blurring along one axis after the other.
#pragma once

#include <cstddef>
#include <vector>

namespace supple {

/// Weights of the samples 0, 1, ... `radius` away from the middle, which together with their mirror images sum to one.
/// `sigma` is in samples, more than 0.
std::vector<float> gaussian_weights(double sigma, std::size_t radius);

}  // namespace supple
