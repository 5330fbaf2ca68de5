// Noise of a scanner: a number for each sample that depends on nothing but the seed and the sample's place.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace supple::phantom {

/// Spreads the bits of a counter (Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014).
inline std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Standard normal (Box and Muller 1958), from the 64 bits of a place under a seed.
inline double normal_at(std::uint64_t seed, std::uint64_t place) {
  const std::uint64_t bits = scrambled(scrambled(seed) ^ place);
  constexpr double step = 1.0 / 4294967296.0;  // 2^-32
  const double u = (static_cast<double>(bits >> 32) + 0.5) * step;
  const double v = static_cast<double>(bits & 0xffffffffu) * step;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace supple::phantom
