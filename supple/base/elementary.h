// The two functions that a frame evaluates most, from additions, multiplications and square roots alone: the same bits
// on every machine whatever its mathematics library, and several times as fast as one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace supple {

/// c[0] + c[1] x + c[2] x^2 ...: terms of even and of odd power apart, since neither sum waits for the other.
template <std::size_t N>
inline double polynomial(const std::array<double, N>& c, double x) {
  static_assert(N % 2 == 0);
  const double square = x * x;
  double even = c[N - 2], odd = c[N - 1];
  for (std::size_t i = N - 2; i >= 2; i -= 2) {
    even = even * square + c[i - 2];
    odd = odd * square + c[i - 1];
  }
  return even + x * odd;
}

/// exp(-x) for x >= 0, to about 3e-16 of the value; 0 beyond x = 708.
inline double decay(double x) {
  // exp(-x) = 2^n exp(r), |r| <= ln 2 / 2. Adding and subtracting 1.5 * 2^52 rounds to the nearest whole number.
  constexpr double whole = 0x1.8p52, log2_e = 1.4426950408889634, ln2_high = 0x1.62e42fefa0000p-1,
                   ln2_low = 0x1.cf79abc9e3b3ap-40;
  constexpr std::array<double, 14> series{
      1,          1,           1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const double limited = x < 708 ? x : 708, shifted = whole - limited * log2_e, n = shifted - whole;
  const double r = (-limited - n * ln2_high) - n * ln2_low;
  // The last bits of `shifted` are n itself: put where the exponent is, they make 2^n.
  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023) << 52;
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return x < 708 ? polynomial(series, r) * power : 0;
}

/// Angle in [0, pi] of the rotation between two unit quaternions of one hemisphere, from the square of their
/// difference: |a - b| = 2 sin(angle / 4). As exact for small angles as for large ones; to about 6e-16 of the angle.
inline double angle_of_chord(double squared_chord) {
  // asin(sqrt u) / sqrt u on [0, sin^2(pi / 8)], interpolated at Chebyshev nodes: 2e-16
  constexpr std::array<double, 10> series{1.0,
                                          0.16666666666686136,
                                          0.07499999995627613,
                                          0.044642860940652514,
                                          0.030381777528099507,
                                          0.022376352269908584,
                                          0.017289103526165393,
                                          0.014555709389258173,
                                          0.008316835908052295,
                                          0.018984661645588874};
  const double s2 = squared_chord < 2 ? squared_chord / 4 : 0.5;  // sin^2(angle / 4), at most that of pi / 4
  const double u = s2 / (2 + 2 * std::sqrt(1 - s2));              // sin^2(angle / 8), without cancellation
  return 8 * std::sqrt(u) * polynomial(series, u);
}

}  // namespace supple
