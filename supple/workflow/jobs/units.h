// What people are told in: the library computes in metres and radians.
#pragma once

#include <fmt/core.h>

#include <numbers>
#include <string>

namespace supple::workflow {

inline constexpr double mm = 1000, cubic_mm = 1e9;         // in a metre, in a cubic metre
inline constexpr double degrees = 180 / std::numbers::pi;  // in a radian

/// "12.9 times smaller", or "1.6 times larger" where the ratio is below 1.
inline std::string times_smaller(double ratio) {
  return ratio >= 1 ? fmt::format("{:.1f} times smaller", ratio) : fmt::format("{:.1f} times larger", 1 / ratio);
}

}  // namespace supple::workflow
