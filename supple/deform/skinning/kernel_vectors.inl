// Four floats at a time: the vector operations that all kernels use, and the vertex streams of those that go vertex by
// vertex. Included by kernel.inl only.

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
  double xy;
  __builtin_memcpy(&xy, p, 8);
  return _mm_movelh_ps(_mm_castpd_ps(_mm_set_sd(xy)), _mm_load_ss(p + 2));
}
SUPPLE_INLINE void store3(float* p, Float4 v) {
  __builtin_memcpy(p, &v, 8);
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
SUPPLE_INLINE void store3(float* p, Float4 v) {
  __builtin_memcpy(p, &v, 8);
  p[2] = v[2];
}
#endif
template <int Lane>
SUPPLE_INLINE Float4 splat_lane(Float4 v) {
  return __builtin_shufflevector(v, v, Lane, Lane, Lane, Lane);
}

// Fused where the processor can, written out so that every loop that shares an expression rounds it alike.
#if defined(__FMA__)
SUPPLE_INLINE Float4 multiply_add(Float4 a, Float4 b, Float4 c) { return _mm_fmadd_ps(a, b, c); }
SUPPLE_INLINE Float4 subtract_product(Float4 c, Float4 a, Float4 b) { return _mm_fnmadd_ps(a, b, c); }
#elif defined(__aarch64__)
SUPPLE_INLINE Float4 multiply_add(Float4 a, Float4 b, Float4 c) { return vfmaq_f32(c, a, b); }
SUPPLE_INLINE Float4 subtract_product(Float4 c, Float4 a, Float4 b) { return vfmsq_f32(c, a, b); }
#else
SUPPLE_INLINE Float4 multiply_add(Float4 a, Float4 b, Float4 c) { return a * b + c; }
SUPPLE_INLINE Float4 subtract_product(Float4 c, Float4 a, Float4 b) { return c - a * b; }
#endif

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

SUPPLE_INLINE void store(const Stream& s, std::size_t vertex, int live, Float4 a, Float4 b, Float4 c, Float4 d) {
  float* out = s.out + vertex * s.out_stride;
  if (live == 4 && s.out_stride == 3) {
    // Tight: whole registers in ascending order, each overwriting the spare lane of the one before. The vertices they
    // spill into belong to this group and have been read.
    __builtin_memcpy(out, &a, 16);
    __builtin_memcpy(out + 3, &b, 16);
    __builtin_memcpy(out + 6, &c, 16);
    store3(out + 9, d);
    return;
  }
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
