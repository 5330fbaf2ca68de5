// The flow of points among vortices, written once with the compiler's vector types and compiled once per instruction
// set: SUPPLE_KERNEL names the namespace, SUPPLE_KERNEL_WIDTH the floats per register (4, 8 or 16).
//
// Nothing here may call an inline function from another header: the linker keeps one copy of such a function, and if
// that copy were the one compiled for a newer processor, older ones would fault.

#include "supple/deform/vortex/kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SUPPLE_INLINE static inline
#else
#define SUPPLE_INLINE static inline __attribute__((always_inline))
#endif

namespace supple::vortex {
namespace SUPPLE_KERNEL {
namespace {

constexpr std::size_t width = SUPPLE_KERNEL_WIDTH;
/// Registers of points that share the reading of a vortex: as many as leave room for their six sums each.
constexpr std::size_t abreast = width == 16 ? 2 : 1;
typedef float Floats __attribute__((vector_size(4 * SUPPLE_KERNEL_WIDTH)));

SUPPLE_INLINE Floats load(const float* p) {
  Floats v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
SUPPLE_INLINE void store(float* p, Floats v) { __builtin_memcpy(p, &v, sizeof v); }
/// Some compilers make three instructions of the portable form.
SUPPLE_INLINE Floats positive_part(Floats v) {
#if SUPPLE_KERNEL_WIDTH == 16 && defined(__AVX512F__)
  return _mm512_max_ps(v, _mm512_setzero_ps());
#elif SUPPLE_KERNEL_WIDTH == 8 && defined(__AVX__)
  return _mm256_max_ps(v, _mm256_setzero_ps());
#elif SUPPLE_KERNEL_WIDTH == 4 && defined(__SSE2__)
  return _mm_max_ps(v, _mm_setzero_ps());
#else
  return v > 0 ? v : Floats{};
#endif
}

/// Adds the velocity of some vortices at `abreast` registers of points.
SUPPLE_INLINE void add_run(const Set& set, const float* vortex, std::size_t count, const float* weights,
                           const float* points, float* velocities) {
  Floats x[abreast], y[abreast], z[abreast], near[abreast];
  Floats wx[abreast], wy[abreast], wz[abreast], mx[abreast], my[abreast], mz[abreast];
  for (std::size_t k = 0; k < abreast; ++k) {
    x[k] = (load(points + k * width) - set.center[0]) * set.inverse_reach;
    y[k] = (load(points + lanes + k * width) - set.center[1]) * set.inverse_reach;
    z[k] = (load(points + 2 * lanes + k * width) - set.center[2]) * set.inverse_reach;
    near[k] = 1 - (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
    wx[k] = wy[k] = wz[k] = mx[k] = my[k] = mz[k] = Floats{};
  }
  for (const float* end = vortex + count * floats_a_vortex; vortex != end; vortex += floats_a_vortex) {
    for (std::size_t k = 0; k < abreast; ++k) {
      const Floats f =
          positive_part(vortex[0] * x[k] + (vortex[1] * y[k] + (vortex[2] * z[k] + (near[k] + vortex[3]))));
      const Floats square = f * f, weight = square * square;
      wx[k] += weight * vortex[4];
      wy[k] += weight * vortex[5];
      wz[k] += weight * vortex[6];
      mx[k] += weight * vortex[7];
      my[k] += weight * vortex[8];
      mz[k] += weight * vortex[9];
    }
  }
  for (std::size_t k = 0; k < abreast; ++k) {
    const Floats share = weights != nullptr ? load(weights + k * width) : Floats{} + 1.0f;
    float* v = velocities + k * width;
    store(v, load(v) + share * (wy[k] * z[k] - wz[k] * y[k] - mx[k]));
    store(v + lanes, load(v + lanes) + share * (wz[k] * x[k] - wx[k] * z[k] - my[k]));
    store(v + 2 * lanes, load(v + 2 * lanes) + share * (wx[k] * y[k] - wy[k] * x[k] - mz[k]));
  }
}

void velocity(const Task& t, const float* points, float* velocities) {
  for (std::size_t i = 0; i < 3 * lanes; i += width) store(velocities + i, Floats{});
  for (std::size_t i = 0; i < t.count; ++i) {
    const Run& run = t.runs[i];
    const float* vortices = t.vortices + run.first * floats_a_vortex;
    for (std::size_t first = 0; first < lanes; first += abreast * width) {
      add_run(t.sets[run.set], vortices, run.count, run.weights != nullptr ? run.weights + first : nullptr,
              points + first, velocities + first);
    }
  }
}

/// Of any point; velocities that are not numbers do not count.
float fastest_squared(const float* v) {
  float most = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    const float square = v[i] * v[i] + v[lanes + i] * v[lanes + i] + v[2 * lanes + i] * v[2 * lanes + i];
    if (square > most) most = square;
  }
  return most;
}

/// to = from + rate * h
SUPPLE_INLINE void moved(const float* from, const float* rate, float h, float* to) {
  for (std::size_t i = 0; i < 3 * lanes; i += width) store(to + i, load(from + i) + load(rate + i) * h);
}

}  // namespace

/// Classical Runge-Kutta of fourth order.
void flow(const Task& t) {
  alignas(64) float a[3 * lanes], b[3 * lanes], c[3 * lanes], d[3 * lanes], stage[3 * lanes];
  velocity(t, t.points, a);
  const int steps = fastest_squared(a) > t.fast * t.fast ? 2 : 1;
  const float h = 1.0f / static_cast<float>(steps);
  for (int step = 0; step < steps; ++step) {
    if (step > 0) velocity(t, t.points, a);
    moved(t.points, a, h / 2, stage);
    velocity(t, stage, b);
    moved(t.points, b, h / 2, stage);
    velocity(t, stage, c);
    moved(t.points, c, h, stage);
    velocity(t, stage, d);
    for (std::size_t i = 0; i < 3 * lanes; i += width) {
      const Floats sum = load(a + i) + 2 * (load(b + i) + load(c + i)) + load(d + i);
      store(t.points + i, load(t.points + i) + sum * (h / 6));
    }
  }
}

}  // namespace SUPPLE_KERNEL
}  // namespace supple::vortex
