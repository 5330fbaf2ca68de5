// Small questions that the checks of several deformers ask.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "supple/base/quat.h"
#include "supple/base/vec.h"

namespace supple {

inline bool above_zero(float value) { return std::isfinite(value) && value > 0; }
inline bool above_zero(Vec3f v) { return above_zero(v.x) && above_zero(v.y) && above_zero(v.z); }
inline bool at_least(float value, float least) { return std::isfinite(value) && value >= least; }
inline bool all_unit(std::span<const Quatf> rotations) {
  return std::all_of(rotations.begin(), rotations.end(),
                     [](const Quatf& q) { return std::abs(dot(Quatd(q), Quatd(q)) - 1) < 1e-4; });
}
/// "muscle 3", or "muscle 'calf'" where it has a name.
inline std::string label(const char* kind, std::size_t number, const std::string& name) {
  return std::string(kind) + " " + (name.empty() ? std::to_string(number) : "'" + name + "'");
}

/// As errors name one of many: driver 0 'elbow'.
inline std::string quoted(const char* kind, std::size_t number, const std::string& name) {
  return std::string(kind) + " " + std::to_string(number) + (name.empty() ? "" : " '" + name + "'");
}

}  // namespace supple
