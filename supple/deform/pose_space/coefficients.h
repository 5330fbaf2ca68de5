// From distances between the examples of a pose space to the coefficients of their weights.
#pragma once

#include <span>

namespace supple {

/// `distances`: #n * #n, squared and in units of the radius. Writes b_0 .. b_(n-1), c_10, c_20, c_21, c_30 ... (see
/// PoseSpaceTable), of C = Phi^-1 with Phi_ij = exp(-d_ij^1.5) and `ridge` more where i = j > 0: without one f
/// interpolates, with one it still does at example 0. False where Phi cannot be inverted: two examples are at one
/// place.
bool solve_coefficients(std::span<const double> distances, std::size_t n, double ridge, std::span<double> out);

/// s_1 .. s_(n-1) (eq. 13-14) from coefficients as above and the squared distances of a pose to the n examples.
void mix(std::span<const double> coefficients, std::span<const double> distances, std::span<double> out);

}  // namespace supple
