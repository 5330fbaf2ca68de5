// The skinning kernels, written once with the compiler's portable vector types and compiled once per instruction set:
// SUPPLE_KERNEL names the namespace, SUPPLE_KERNEL_WIDTH the floats per register (4, 8 or 16).
//
// Nothing here may call an inline function from another header: the linker keeps one copy of such a function, and if
// that copy were the one compiled for a newer processor, older ones would fault.

#include "supple/deform/skinning/kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define SUPPLE_INLINE static inline __attribute__((always_inline))

namespace supple::kernel {
namespace SUPPLE_KERNEL {
namespace {

typedef float Float4 __attribute__((vector_size(16)));
typedef float Float8 __attribute__((vector_size(32)));
typedef float Float16 __attribute__((vector_size(64)));
typedef int Int4 __attribute__((vector_size(16)));

template <class V>
SUPPLE_INLINE V load(const float* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
// Some compilers turn the portable forms of these three into stores and reloads of single elements; the intrinsics are
// one or two instructions. Exactly three floats are touched: the next vertex may still be waiting for its turn.
#if defined(__SSE2__)
SUPPLE_INLINE Float4 splat4(float s) { return _mm_set1_ps(s); }
SUPPLE_INLINE Float4 load3(const float* p) {
  const __m128 xy = _mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(p)));
  return _mm_movelh_ps(xy, _mm_load_ss(p + 2));
}
SUPPLE_INLINE void store3(float* p, Float4 v) {
  _mm_store_sd(reinterpret_cast<double*>(p), _mm_castps_pd(v));
  _mm_store_ss(p + 2, _mm_movehl_ps(v, v));
}
#elif defined(__ARM_NEON)
SUPPLE_INLINE Float4 splat4(float s) { return vdupq_n_f32(s); }
SUPPLE_INLINE Float4 load3(const float* p) {
  return vcombine_f32(vld1_f32(p), vld1_lane_f32(p + 2, vdup_n_f32(0.0f), 0));
}
SUPPLE_INLINE void store3(float* p, Float4 v) {
  vst1_f32(p, vget_low_f32(v));
  vst1q_lane_f32(p + 2, v, 2);
}
#else
SUPPLE_INLINE Float4 splat4(float s) { return Float4{s, s, s, s}; }
SUPPLE_INLINE Float4 load3(const float* p) { return Float4{p[0], p[1], p[2], 0.0f}; }
SUPPLE_INLINE void store3(float* p, Float4 v) { p[0] = v[0], p[1] = v[1], p[2] = v[2]; }
#endif
template <int Lane>
SUPPLE_INLINE Float4 splat_lane(Float4 v) {
  return __builtin_shufflevector(v, v, Lane, Lane, Lane, Lane);
}

SUPPLE_INLINE Float4 square_root(Float4 v) {
#if defined(__SSE2__)
  return _mm_sqrt_ps(v);
#elif defined(__aarch64__)
  return vsqrtq_f32(v);
#else
  return Float4{__builtin_sqrtf(v[0]), __builtin_sqrtf(v[1]), __builtin_sqrtf(v[2]), __builtin_sqrtf(v[3])};
#endif
}
/// 1 / sqrt(s), and 0 where s is 0: a vector without direction stays zero.
SUPPLE_INLINE Float4 inverse_square_root(Float4 s) {
  const Float4 zero = splat4(0.0f), one = splat4(1.0f);
  const Int4 positive = s > zero;
  const Float4 root = square_root(s);
  const Float4 safe = (Float4)(((Int4)root & positive) | ((Int4)one & ~positive));
  return (Float4)((Int4)(one / safe) & positive);
}
/// Lane i of the result is the sum of the lanes of the i-th argument.
SUPPLE_INLINE Float4 lane_sums(Float4 a, Float4 b, Float4 c, Float4 d) {
  const Float4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Float4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
SUPPLE_INLINE void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
  const Float4 p = __builtin_shufflevector(a, b, 0, 4, 1, 5), q = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Float4 r = __builtin_shufflevector(a, b, 2, 6, 3, 7), s = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(p, q, 0, 1, 4, 5);
  b = __builtin_shufflevector(p, q, 2, 3, 6, 7);
  c = __builtin_shufflevector(r, s, 0, 1, 4, 5);
  d = __builtin_shufflevector(r, s, 2, 3, 6, 7);
}
SUPPLE_INLINE Float4 cross3(Float4 a, Float4 b) {
  const Float4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const Float4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

// ---- a blended matrix: four columns of four floats in registers of the chosen width ----

#if SUPPLE_KERNEL_WIDTH == 16
struct Matrix {
  Float16 columns;  // x | y | z | translation
};
SUPPLE_INLINE Float16 splat16(float s) { return _mm512_set1_ps(s); }
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  m.columns += load<Float16>(joint) * splat16(weight);
}
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) { return {load<Float16>(joint) * splat16(weight)}; }
template <bool Point>
SUPPLE_INLINE Float4 apply(const Matrix& m, const float* v) {
  const Float16 xy =
      __builtin_shufflevector(splat16(v[0]), splat16(v[1]), 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15);
  const Float16 zw = __builtin_shufflevector(splat16(v[2]), splat16(Point ? 1.0f : 0.0f), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                             10, 11, 28, 29, 30, 31);
  const Float16 r = m.columns * __builtin_shufflevector(xy, zw, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31);
  const Float8 h = __builtin_shufflevector(r, r, 0, 1, 2, 3, 4, 5, 6, 7) +
                   __builtin_shufflevector(r, r, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(h, h, 0, 1, 2, 3) + __builtin_shufflevector(h, h, 4, 5, 6, 7);
}
SUPPLE_INLINE Float4 column(const Matrix& m, int c) {
  Float4 columns[4];
  __builtin_memcpy(columns, &m.columns, sizeof columns);
  return columns[c];
}
#elif SUPPLE_KERNEL_WIDTH == 8
struct Matrix {
  Float8 xy, zt;
};
SUPPLE_INLINE Float8 splat8(float s) { return _mm256_set1_ps(s); }
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) {
  const Float8 w = splat8(weight);
  return {load<Float8>(joint) * w, load<Float8>(joint + 8) * w};
}
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  const Float8 w = splat8(weight);
  m.xy += load<Float8>(joint) * w;
  m.zt += load<Float8>(joint + 8) * w;
}
template <bool Point>
SUPPLE_INLINE Float4 apply(const Matrix& m, const float* v) {
  const Float8 xy = __builtin_shufflevector(splat8(v[0]), splat8(v[1]), 0, 1, 2, 3, 12, 13, 14, 15);
  const Float8 z1 = __builtin_shufflevector(splat8(v[2]), splat8(Point ? 1.0f : 0.0f), 0, 1, 2, 3, 12, 13, 14, 15);
  const Float8 r = m.xy * xy + m.zt * z1;
  return __builtin_shufflevector(r, r, 0, 1, 2, 3) + __builtin_shufflevector(r, r, 4, 5, 6, 7);
}
SUPPLE_INLINE Float4 column(const Matrix& m, int c) {
  const Float8 pair = c < 2 ? m.xy : m.zt;
  return c % 2 == 0 ? __builtin_shufflevector(pair, pair, 0, 1, 2, 3) : __builtin_shufflevector(pair, pair, 4, 5, 6, 7);
}
#else
struct Matrix {
  Float4 x, y, z, t;
};
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) {
  const Float4 w = splat4(weight);
  return {load<Float4>(joint) * w, load<Float4>(joint + 4) * w, load<Float4>(joint + 8) * w,
          load<Float4>(joint + 12) * w};
}
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  const Float4 w = splat4(weight);
  m.x += load<Float4>(joint) * w;
  m.y += load<Float4>(joint + 4) * w;
  m.z += load<Float4>(joint + 8) * w;
  m.t += load<Float4>(joint + 12) * w;
}
template <bool Point>
SUPPLE_INLINE Float4 apply(const Matrix& m, const float* v) {
  const Float4 r = m.x * splat4(v[0]) + (m.y * splat4(v[1]) + m.z * splat4(v[2]));
  return Point ? r + m.t : r;
}
SUPPLE_INLINE Float4 column(const Matrix& m, int c) { return c == 0 ? m.x : c == 1 ? m.y : m.z; }
#endif

/// The normal under the inverse transpose, up to a positive factor: cofactor matrix times the sign of the determinant.
SUPPLE_INLINE Float4 apply_inverse_transpose(const Matrix& m, const float* n) {
  const Float4 x = column(m, 0), y = column(m, 1), z = column(m, 2);
  const Float4 yz = cross3(y, z);
  const Float4 r = yz * splat4(n[0]) + cross3(z, x) * splat4(n[1]) + cross3(x, y) * splat4(n[2]);
  const Float4 d = x * yz;
  return d[0] + d[1] + d[2] < 0.0f ? -r : r;
}

/// Influences > 0: known when compiled; 0: read from the batch.
template <int Influences>
SUPPLE_INLINE Matrix blend(const Batch& b, std::size_t vertex) {
  const std::size_t n = Influences > 0 ? Influences : b.influences;
  const std::uint16_t* joints = b.joints + vertex * n;
  const float* weights = b.weights + vertex * n;
  Matrix m = weighted(b.palette + std::size_t{joints[0]} * 16, weights[0]);
  for (std::size_t i = 1; i < n; ++i) add_weighted(m, b.palette + std::size_t{joints[i]} * 16, weights[i]);
  return m;
}

SUPPLE_INLINE void store(const Stream& s, std::size_t vertex, int live, Float4 a, Float4 b, Float4 c, Float4 d) {
  float* out = s.out + vertex * s.out_stride;
  store3(out, a);
  if (live > 1) store3(out + s.out_stride, b);
  if (live > 2) store3(out + 2 * s.out_stride, c);
  if (live > 3) store3(out + 3 * s.out_stride, d);
}
SUPPLE_INLINE void store_unit(const Stream& s, std::size_t vertex, int live, Float4 a, Float4 b, Float4 c, Float4 d) {
  const Float4 inverse = inverse_square_root(lane_sums(a * a, b * b, c * c, d * d));
  store(s, vertex, live, a * splat_lane<0>(inverse), b * splat_lane<1>(inverse), c * splat_lane<2>(inverse),
        d * splat_lane<3>(inverse));
}
SUPPLE_INLINE void copy_handedness(const Stream& s, std::size_t vertex, int live) {
  for (int i = 0; i < live; ++i) s.out[(vertex + i) * s.out_stride + 3] = s.in[(vertex + i) * s.in_stride + 3];
}

enum class Outputs { p, pn, pnt };

struct Skinned {
  Float4 p, n, t;
};

template <int Influences, Outputs Out, bool InverseTranspose>
SUPPLE_INLINE Skinned linear_vertex(const Batch& b, std::size_t v) {
  const Matrix m = blend<Influences>(b, v);
  Skinned r;
  r.p = apply<true>(m, b.positions.in + v * b.positions.in_stride);
  if constexpr (Out != Outputs::p) {
    const float* normal = b.normals.in + v * b.normals.in_stride;
    r.n = InverseTranspose ? apply_inverse_transpose(m, normal) : apply<false>(m, normal);
  }
  if constexpr (Out == Outputs::pnt) r.t = apply<false>(m, b.tangents.in + v * b.tangents.in_stride);
  return r;
}

/// Up to four vertices at a time: their unit vectors share one square root and one division. All four are read before
/// any is written, so that in place works.
template <int Influences, Outputs Out, bool InverseTranspose>
SUPPLE_INLINE void linear_group(const Batch& b, std::size_t vertex, int live) {
  const std::size_t last = vertex + live - 1;
  const auto at = [&](std::size_t i) {
    return linear_vertex<Influences, Out, InverseTranspose>(b, vertex + i < last ? vertex + i : last);
  };
  const Skinned v0 = at(0), v1 = at(1), v2 = at(2), v3 = at(3);
  store(b.positions, vertex, live, v0.p, v1.p, v2.p, v3.p);
  if constexpr (Out != Outputs::p) store_unit(b.normals, vertex, live, v0.n, v1.n, v2.n, v3.n);
  if constexpr (Out == Outputs::pnt) {
    copy_handedness(b.tangents, vertex, live);
    store_unit(b.tangents, vertex, live, v0.t, v1.t, v2.t, v3.t);
  }
}

template <int Influences, Outputs Out, bool InverseTranspose>
void linear_loop(const Batch& batch) {
  const Batch b = batch;  // a copy that no store can alias: its fields stay in registers
  const std::size_t whole = b.vertices / 4 * 4;
  for (std::size_t v = 0; v < whole; v += 4) linear_group<Influences, Out, InverseTranspose>(b, v, 4);
  if (whole < b.vertices)
    linear_group<Influences, Out, InverseTranspose>(b, whole, static_cast<int>(b.vertices - whole));
}

template <int Influences>
void linear_outputs(const Batch& b) {
  if (b.normals.in == nullptr) return linear_loop<Influences, Outputs::p, false>(b);
  if (b.tangents.in == nullptr) {
    return b.inverse_transpose ? linear_loop<Influences, Outputs::pn, true>(b)
                               : linear_loop<Influences, Outputs::pn, false>(b);
  }
  return b.inverse_transpose ? linear_loop<Influences, Outputs::pnt, true>(b)
                             : linear_loop<Influences, Outputs::pnt, false>(b);
}

// ---- dual quaternions: blended per vertex, applied to four vertices side by side ----

struct Dual {
  Float4 real, dual;
};

template <int Influences>
SUPPLE_INLINE Dual blend_dual(const Batch& b, std::size_t vertex) {
  const std::size_t n = Influences > 0 ? Influences : b.influences;
  const std::uint16_t* joints = b.joints + vertex * n;
  const float* weights = b.weights + vertex * n;
  const float* first = b.palette + std::size_t{joints[0]} * 16;
  const Float4 pivot = load<Float4>(first);
  Dual q{pivot * splat4(weights[0]), load<Float4>(first + 4) * splat4(weights[0])};
  for (std::size_t i = 1; i < n; ++i) {
    const float* joint = b.palette + std::size_t{joints[i]} * 16;
    const Float4 real = load<Float4>(joint);
    // q and -q are one rotation: take the one in the hemisphere of the heaviest joint.
    const Float4 product = real * pivot;
    const Float4 pairs = product + __builtin_shufflevector(product, product, 1, 0, 3, 2);
    const Float4 cosine = pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
    const Int4 sign = (Int4)cosine & (Int4)splat4(-0.0f);
    const Float4 w = (Float4)((Int4)splat4(weights[i]) ^ sign);
    q.real += real * w;
    q.dual += load<Float4>(joint + 4) * w;
  }
  return q;
}

/// Three coordinates of four vectors.
struct Vectors4 {
  Float4 x, y, z;
};
SUPPLE_INLINE Vectors4 cross(const Vectors4& a, const Vectors4& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SUPPLE_INLINE Vectors4 gather(const Stream& s, std::size_t vertex, int live) {
  const float* in = s.in + vertex * s.in_stride;
  Float4 a = load3(in), b = load3(in + (live > 1 ? s.in_stride : 0)), c = load3(in + (live > 2 ? 2 * s.in_stride : 0)),
         d = load3(in + (live > 3 ? 3 * s.in_stride : 0));
  transpose(a, b, c, d);
  return {a, b, c};
}
SUPPLE_INLINE void scatter(const Stream& s, std::size_t vertex, int live, const Vectors4& v) {
  Float4 a = v.x, b = v.y, c = v.z, d = v.z;
  transpose(a, b, c, d);
  store(s, vertex, live, a, b, c, d);
}
/// v + 2 r x (r x v + w v), r = unit quaternion (x, y, z), w its real part
SUPPLE_INLINE Vectors4 rotate(const Vectors4& r, Float4 w, const Vectors4& v) {
  Vectors4 c = cross(r, v);
  c = {c.x + w * v.x, c.y + w * v.y, c.z + w * v.z};
  const Vectors4 d = cross(r, c);
  return {v.x + (d.x + d.x), v.y + (d.y + d.y), v.z + (d.z + d.z)};
}
SUPPLE_INLINE Vectors4 unit(const Vectors4& v) {
  const Float4 s = inverse_square_root(v.x * v.x + v.y * v.y + v.z * v.z);
  return {v.x * s, v.y * s, v.z * s};
}

template <int Influences, Outputs Out>
SUPPLE_INLINE void dual_group(const Batch& b, std::size_t vertex, int live) {
  const std::size_t last = vertex + live - 1;
  const auto at = [&](std::size_t i) { return blend_dual<Influences>(b, vertex + i < last ? vertex + i : last); };
  const Dual q0 = at(0), q1 = at(1), q2 = at(2), q3 = at(3);
  Float4 r[4] = {q0.real, q1.real, q2.real, q3.real}, d[4] = {q0.dual, q1.dual, q2.dual, q3.dual};
  transpose(r[0], r[1], r[2], r[3]);
  transpose(d[0], d[1], d[2], d[3]);
  const Float4 scale = inverse_square_root(r[0] * r[0] + r[1] * r[1] + (r[2] * r[2] + r[3] * r[3]));
  for (int i = 0; i < 4; ++i) {
    r[i] *= scale;
    d[i] *= scale;
  }
  const Vectors4 real{r[0], r[1], r[2]}, dual{d[0], d[1], d[2]};
  // translation = 2 dual conjugate(real)
  const Vectors4 c = cross(real, dual);
  const Float4 two = splat4(2.0f);
  const Vectors4 t{two * (r[3] * dual.x - d[3] * real.x + c.x), two * (r[3] * dual.y - d[3] * real.y + c.y),
                   two * (r[3] * dual.z - d[3] * real.z + c.z)};
  const Vectors4 p = rotate(real, r[3], gather(b.positions, vertex, live));
  Vectors4 n, g;
  if constexpr (Out != Outputs::p) n = unit(rotate(real, r[3], gather(b.normals, vertex, live)));
  if constexpr (Out == Outputs::pnt) g = unit(rotate(real, r[3], gather(b.tangents, vertex, live)));
  scatter(b.positions, vertex, live, {p.x + t.x, p.y + t.y, p.z + t.z});
  if constexpr (Out != Outputs::p) scatter(b.normals, vertex, live, n);
  if constexpr (Out == Outputs::pnt) {
    copy_handedness(b.tangents, vertex, live);
    scatter(b.tangents, vertex, live, g);
  }
}

template <int Influences, Outputs Out>
void dual_loop(const Batch& batch) {
  const Batch b = batch;
  const std::size_t whole = b.vertices / 4 * 4;
  for (std::size_t v = 0; v < whole; v += 4) dual_group<Influences, Out>(b, v, 4);
  if (whole < b.vertices) dual_group<Influences, Out>(b, whole, static_cast<int>(b.vertices - whole));
}

template <int Influences>
void dual_outputs(const Batch& b) {
  if (b.normals.in == nullptr) return dual_loop<Influences, Outputs::p>(b);
  if (b.tangents.in == nullptr) return dual_loop<Influences, Outputs::pn>(b);
  return dual_loop<Influences, Outputs::pnt>(b);
}

}  // namespace

void linear(const Batch& b) {
  switch (b.influences) {
    case 1:
      return linear_outputs<1>(b);
    case 2:
      return linear_outputs<2>(b);
    case 3:
      return linear_outputs<3>(b);
    case 4:
      return linear_outputs<4>(b);
    case 5:
      return linear_outputs<5>(b);
    case 6:
      return linear_outputs<6>(b);
    case 7:
      return linear_outputs<7>(b);
    case 8:
      return linear_outputs<8>(b);
    default:
      return linear_outputs<0>(b);
  }
}

void dual_quaternion(const Batch& b) {
  switch (b.influences) {
    case 1:
      return dual_outputs<1>(b);
    case 2:
      return dual_outputs<2>(b);
    case 3:
      return dual_outputs<3>(b);
    case 4:
      return dual_outputs<4>(b);
    case 5:
      return dual_outputs<5>(b);
    case 6:
      return dual_outputs<6>(b);
    case 7:
      return dual_outputs<7>(b);
    case 8:
      return dual_outputs<8>(b);
    default:
      return dual_outputs<0>(b);
  }
}

}  // namespace SUPPLE_KERNEL
}  // namespace supple::kernel
