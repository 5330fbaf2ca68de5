// How long work tells how far it is, and how it is asked to stop.
#pragma once

#include <functional>
#include <string_view>

namespace supple {

/// Called with a short name of the stage and the fraction done in [0, 1]; returns false to ask for a stop. An empty
/// function is allowed everywhere.
using Progress = std::function<bool(std::string_view stage, double fraction)>;

inline bool report(const Progress& progress, std::string_view stage, double fraction) {
  return !progress || progress(stage, fraction);
}

/// Progress of a part of the work, which goes from one fraction of the whole to another; its stages keep their names.
inline Progress within(const Progress& whole, double from, double to) {
  if (!whole) return {};
  return [whole, from, to](std::string_view stage, double fraction) {
    return whole(stage, from + (to - from) * fraction);
  };
}

}  // namespace supple
