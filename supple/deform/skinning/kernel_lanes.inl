// As many vertices side by side as a register has floats: 16, 8 or 4. Included by kernel.inl only.

constexpr int lane_count = SUPPLE_KERNEL_WIDTH;

#if SUPPLE_KERNEL_WIDTH == 16
typedef Float16 Lanes;
typedef int IntLanes __attribute__((vector_size(64)));
SUPPLE_INLINE Lanes splat(float s) { return _mm512_set1_ps(s); }
SUPPLE_INLINE Lanes multiply_add(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_ps(a, b, c); }
SUPPLE_INLINE Lanes subtract_product(Lanes c, Lanes a, Lanes b) { return _mm512_fnmadd_ps(a, b, c); }
/// One Newton step from 14 bits: a third of the skinning would be a square root and a division otherwise.
SUPPLE_INLINE Lanes inverse_square_root(Lanes s) {
  const Lanes guess = _mm512_maskz_rsqrt14_ps(_mm512_cmp_ps_mask(s, _mm512_setzero_ps(), _CMP_GT_OQ), s);
  return guess * subtract_product(splat(1.5f), guess * splat(0.5f), guess * s);
}
#elif SUPPLE_KERNEL_WIDTH == 8
typedef Float8 Lanes;
typedef int IntLanes __attribute__((vector_size(32)));
SUPPLE_INLINE Lanes splat(float s) { return _mm256_set1_ps(s); }
SUPPLE_INLINE Lanes multiply_add(Lanes a, Lanes b, Lanes c) { return _mm256_fmadd_ps(a, b, c); }
SUPPLE_INLINE Lanes subtract_product(Lanes c, Lanes a, Lanes b) { return _mm256_fnmadd_ps(a, b, c); }
SUPPLE_INLINE Lanes inverse_square_root(Lanes s) {
  return _mm256_and_ps(_mm256_div_ps(splat(1.0f), _mm256_sqrt_ps(s)),
                       _mm256_cmp_ps(s, _mm256_setzero_ps(), _CMP_GT_OQ));
}
#else
typedef Float4 Lanes;
typedef Int4 IntLanes;
SUPPLE_INLINE Lanes splat(float s) { return splat4(s); }
#endif

SUPPLE_INLINE void store_lanes(float* out, Lanes v) { __builtin_memcpy(out, &v, sizeof v); }

/// Three coordinates of several vectors.
template <class Numbers>
struct Coordinates {
  Numbers x, y, z;
};
typedef Coordinates<Lanes> LaneVectors;

template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> cross(const Coordinates<Numbers>& a, const Coordinates<Numbers>& b) {
  return {subtract_product(a.y * b.z, a.z, b.y), subtract_product(a.z * b.x, a.x, b.z),
          subtract_product(a.x * b.y, a.y, b.x)};
}
template <class Numbers>
SUPPLE_INLINE Numbers dot(const Coordinates<Numbers>& a, const Coordinates<Numbers>& b) {
  return multiply_add(a.x, b.x, multiply_add(a.y, b.y, a.z * b.z));
}
template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> scaled(const Coordinates<Numbers>& v, Numbers s) {
  return {v.x * s, v.y * s, v.z * s};
}
template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> unit(const Coordinates<Numbers>& v) {
  return scaled(v, inverse_square_root(dot(v, v)));
}
/// v + s d
template <class Numbers>
SUPPLE_INLINE Coordinates<Numbers> moved(const Coordinates<Numbers>& v, Numbers s, const Coordinates<Numbers>& d) {
  return {multiply_add(s, d.x, v.x), multiply_add(s, d.y, v.y), multiply_add(s, d.z, v.z)};
}
