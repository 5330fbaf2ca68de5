// Degrees are what people write, radians what everything computes with.
#pragma once

#include <numbers>

namespace supple {

inline constexpr double degree = std::numbers::pi / 180;  // in radians

/// Angles are degrees in files: the one way in which they are converted.
inline float to_radians(double degrees) { return static_cast<float>(degrees * std::numbers::pi / 180); }

}  // namespace supple
