// How sure the program is of something that it decided, and why.
#pragma once

#include <string>

namespace supple::workflow {

/// From 0 to 1. 1: nothing speaks against it; 1/2: what speaks against it is as much as can be tolerated.
struct Confidence {
  double value = 1;
  std::string why;  // what speaks against it most, or how well it agrees
};

/// Below this a decision should be looked at.
inline constexpr double look_below = 0.5;

/// All that is known about one decision; what speaks against it most decides.
class Evidence {
 public:
  /// `off`: how far something is from what it should be, and `tolerated` of it: 1 / (1 + (off / tolerated)^2).
  Evidence& add(double off, double tolerated, std::string why) {
    const double ratio = off / tolerated;
    return at_most(1 / (1 + ratio * ratio), std::move(why));
  }
  /// Where no length says how bad it is.
  Evidence& at_most(double value, std::string why) {
    if (value < weakest_.value || weakest_.why.empty()) weakest_ = {value, std::move(why)};
    return *this;
  }
  const Confidence& weakest() const { return weakest_; }

 private:
  Confidence weakest_;
};

}  // namespace supple::workflow
