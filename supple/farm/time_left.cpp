#include "supple/farm/time_left.h"

#include <cmath>

namespace supple::farm {

std::string duration_text(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 100) return std::to_string(whole) + " s";
  const auto minutes = std::lround(seconds / 60);
  if (minutes < 100) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string TimeLeft::text(double fraction) const {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (fraction < 0.02 || fraction >= 1 || elapsed < 1) return "";
  return duration_text(elapsed * (1 - fraction) / fraction) + " left";
}

}  // namespace supple::farm
