// What people are told in: the library computes in metres and radians.
#pragma once

#include <numbers>

namespace supple::workflow {

inline constexpr double mm = 1000, cubic_mm = 1e9;         // in a metre, in a cubic metre
inline constexpr double degrees = 180 / std::numbers::pi;  // in a radian

}  // namespace supple::workflow
