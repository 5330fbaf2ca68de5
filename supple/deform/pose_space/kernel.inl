// Weighted PSD, written once with the compiler's vector types and compiled once per instruction set: SUPPLE_KERNEL
// names the namespace, SUPPLE_KERNEL_WIDTH the floats per register (4, 8 or 16).
//
// Nothing here may call an inline function from another header: the linker keeps one copy of such a function, and if
// that copy were the one compiled for a newer processor, older ones would fault.

#include "supple/deform/pose_space/kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SUPPLE_INLINE static inline
#else
#define SUPPLE_INLINE static inline __attribute__((always_inline))
#endif

namespace supple::pose_space {
namespace SUPPLE_KERNEL {
namespace {

constexpr std::size_t width = SUPPLE_KERNEL_WIDTH;
typedef float Floats __attribute__((vector_size(4 * SUPPLE_KERNEL_WIDTH)));
typedef int Ints __attribute__((vector_size(4 * SUPPLE_KERNEL_WIDTH)));

SUPPLE_INLINE Floats load(const float* p) {
  Floats v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
SUPPLE_INLINE void store(float* p, Floats v) { __builtin_memcpy(p, &v, sizeof v); }

#if SUPPLE_KERNEL_WIDTH == 16 && defined(__AVX512F__)
SUPPLE_INLINE Floats least(Floats a, Floats b) { return _mm512_min_ps(a, b); }
SUPPLE_INLINE Floats most(Floats a, Floats b) { return _mm512_max_ps(a, b); }
SUPPLE_INLINE Floats root(Floats a) { return _mm512_sqrt_ps(a); }
#elif SUPPLE_KERNEL_WIDTH == 8 && defined(__AVX__)
SUPPLE_INLINE Floats least(Floats a, Floats b) { return _mm256_min_ps(a, b); }
SUPPLE_INLINE Floats most(Floats a, Floats b) { return _mm256_max_ps(a, b); }
SUPPLE_INLINE Floats root(Floats a) { return _mm256_sqrt_ps(a); }
#elif SUPPLE_KERNEL_WIDTH == 4 && defined(__SSE2__)
SUPPLE_INLINE Floats least(Floats a, Floats b) { return _mm_min_ps(a, b); }
SUPPLE_INLINE Floats most(Floats a, Floats b) { return _mm_max_ps(a, b); }
SUPPLE_INLINE Floats root(Floats a) { return _mm_sqrt_ps(a); }
#else
SUPPLE_INLINE Floats least(Floats a, Floats b) { return a < b ? a : b; }
SUPPLE_INLINE Floats most(Floats a, Floats b) { return a > b ? a : b; }
SUPPLE_INLINE Floats root(Floats a) {
  for (std::size_t i = 0; i < width; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
}
#endif

/// 1 - exp(-x) for x >= 0, to about 2e-7 of the value however small it is. With exp(-x) = 2^n exp(r), |r| <= ln 2 / 2,
/// it is (1 - 2^n) - 2^n (exp(r) - 1), in which nothing cancels.
SUPPLE_INLINE Floats one_less_decay(Floats x) {
  constexpr float whole = 0x1.8p23f, log2_e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  const Floats limited = least(x, Floats{} + 80.0f);                     // exp(-80) is nothing beside 1
  const Floats shifted = whole - limited * log2_e, n = shifted - whole;  // rounds to the nearest whole number
  const Floats r = (-limited - n * ln2_high) - n * ln2_low;
  Ints bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127) << 23;  // the last bits of `shifted` are n itself: put where the exponent is, they make 2^n
  Floats power;
  __builtin_memcpy(&power, &bits, sizeof power);
  const Floats series =
      r * (1 + r * (1.0f / 2 + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720 + r / 5040))))));
  return (1 - power) - power * series;
}

/// Each number three times in a row: weights of vertices as weights of their coordinates.
struct Thrice {
  Floats of[3];
};
SUPPLE_INLINE Thrice thrice(Floats v) {
#if SUPPLE_KERNEL_WIDTH == 16
  return {{__builtin_shufflevector(v, v, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5),
           __builtin_shufflevector(v, v, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10),
           __builtin_shufflevector(v, v, 10, 11, 11, 11, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15)}};
#elif SUPPLE_KERNEL_WIDTH == 8
  return {{__builtin_shufflevector(v, v, 0, 0, 0, 1, 1, 1, 2, 2), __builtin_shufflevector(v, v, 2, 3, 3, 3, 4, 4, 4, 5),
           __builtin_shufflevector(v, v, 5, 5, 6, 6, 6, 7, 7, 7)}};
#else
  return {{__builtin_shufflevector(v, v, 0, 0, 0, 1), __builtin_shufflevector(v, v, 1, 1, 2, 2),
           __builtin_shufflevector(v, v, 2, 3, 3, 3)}};
#endif
}

/// s_i of one register of vertices (eq. 13, 14 and 16), those of example 0 too.
SUPPLE_INLINE void weights(const Task& t, std::size_t block, std::size_t lane, Floats* s) {
  const std::size_t n = t.examples;
  Floats psi[max_examples];  // 1 - phi
  for (std::size_t i = 0; i < n; ++i) psi[i] = Floats{} + t.base[i];
  for (std::uint32_t r = t.first[block]; r < t.first[block + 1]; ++r) {
    const Floats u = load(t.influences + std::size_t{r} * lanes + lane);
    const float* angles = t.angles + t.joints[r] * n;
    for (std::size_t i = 0; i < n; ++i) psi[i] += u * angles[i];
  }
  Floats nearest = Floats{} + 1e30f;
  for (std::size_t i = 0; i < n; ++i) {
    const Floats distance = root(psi[i]);
    psi[i] = distance * root(distance);
    nearest = least(nearest, psi[i]);
  }
  const float* c = t.coefficients + std::size_t{t.coefficients_of[block]} * lanes + lane;
  Floats sum{};
  for (std::size_t i = 0; i < n; ++i, c += lanes) {
    psi[i] = one_less_decay(psi[i] - nearest);  // a common factor of phi does not matter, and none vanishes
    s[i] = load(c) * (1 - psi[i]);
    sum += s[i];
  }
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j, c += lanes) {
      const Floats exchange = load(c) * (psi[i] - psi[j]);
      s[i] += exchange;
      s[j] -= exchange;
    }
  }
  const Floats scale = 1 / most(sum, Floats{} + t.least_sum);
  for (std::size_t i = 0; i < n; ++i) s[i] *= scale;
}

/// out = in + sum_i s_i offset_i, 48 floats each.
SUPPLE_INLINE void add_block(const Task& t, std::size_t block, const float* positions, const float* normals,
                             float* out_positions, float* out_normals) {
  const std::size_t targets = t.examples - 1;
  Floats s[max_examples];
  for (std::size_t lane = 0; lane < lanes; lane += width) {
    weights(t, block, lane, s);
    const float* offset = t.position_offsets + block * targets * 3 * lanes + 3 * lane;
    const float* turn = t.normal_offsets + block * targets * 3 * lanes + 3 * lane;
    Floats position[3], normal[3] = {};
    for (std::size_t r = 0; r < 3; ++r) {
      position[r] = load(positions + 3 * lane + r * width);
      if (normals != nullptr) normal[r] = load(normals + 3 * lane + r * width);
    }
    for (std::size_t i = 0; i < targets; ++i, offset += 3 * lanes, turn += 3 * lanes) {
      const Thrice w = thrice(s[i + 1]);
      for (std::size_t r = 0; r < 3; ++r) {
        position[r] += w.of[r] * load(offset + r * width);
        if (normals != nullptr) normal[r] += w.of[r] * load(turn + r * width);
      }
    }
    for (std::size_t r = 0; r < 3; ++r) {
      store(out_positions + 3 * lane + r * width, position[r]);
      if (normals != nullptr) store(out_normals + 3 * lane + r * width, normal[r]);
    }
  }
}

}  // namespace

void add_examples(const Task& t) {
  const bool turns = t.normals != nullptr;
  std::size_t v = 0, block = t.first_block;
  for (; v + lanes <= t.vertices; v += lanes, ++block)
    add_block(t, block, t.positions + 3 * v, turns ? t.normals + 3 * v : nullptr, t.out_positions + 3 * v,
              turns ? t.out_normals + 3 * v : nullptr);
  if (v == t.vertices) return;
  // The mesh ends within a block.
  float positions[3 * lanes] = {}, normals[3 * lanes] = {};
  const std::size_t bytes = 3 * (t.vertices - v) * sizeof(float);
  __builtin_memcpy(positions, t.positions + 3 * v, bytes);
  if (turns) __builtin_memcpy(normals, t.normals + 3 * v, bytes);
  add_block(t, block, positions, turns ? normals : nullptr, positions, normals);
  __builtin_memcpy(t.out_positions + 3 * v, positions, bytes);
  if (turns) __builtin_memcpy(t.out_normals + 3 * v, normals, bytes);
}

}  // namespace SUPPLE_KERNEL
}  // namespace supple::pose_space
