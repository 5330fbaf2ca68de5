// A small counter-free random generator (PCG32) whose sequence is the same on every platform and compiler.
#pragma once

#include <cstdint>

namespace supple {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed * 6364136223846793005u + 1442695040888963407u) { next(); }

  std::uint32_t next() {
    const std::uint64_t old = state_;
    state_ = old * 6364136223846793005u + 1442695040888963407u;
    const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
    const auto rotation = static_cast<std::uint32_t>(old >> 59);
    return (shifted >> rotation) | (shifted << ((32 - rotation) & 31));
  }
  /// Uniform in [0, 1).
  double uniform() { return next() * (1.0 / 4294967296.0); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in {0, ..., n-1}; n > 0. The bias is below n / 2^32.
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace supple
