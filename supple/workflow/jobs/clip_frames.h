// The moments of a clip at a rate.
#pragma once

#include <cmath>
#include <vector>

#include "supple/rig/clip.h"

namespace supple::workflow {

/// Seconds of the clip, from its start in steps of 1 / rate for as long as it lasts.
inline std::vector<double> frame_times(const Clip& clip, double rate) {
  const double start = clip.start(), duration = clip.duration();
  const auto steps = static_cast<std::size_t>(std::floor(duration * rate + 1e-4));  // keys are rounded to float
  std::vector<double> times(steps + 1);
  for (std::size_t i = 0; i <= steps; ++i) times[i] = start + static_cast<double>(i) / rate;
  return times;
}

}  // namespace supple::workflow
