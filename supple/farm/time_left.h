// How long work will still take, judged by how long it has taken.
#pragma once

#include <chrono>
#include <string>

namespace supple::farm {

class TimeLeft {
 public:
  TimeLeft() : start_(std::chrono::steady_clock::now()) {}
  /// "3 min left", or "" while too little is done to tell. `fraction` is that of the work since construction.
  std::string text(double fraction) const;

 private:
  std::chrono::steady_clock::time_point start_;
};

/// "8 s", "3 min", "2 h 40 min"
std::string duration_text(double seconds);

}  // namespace supple::farm
