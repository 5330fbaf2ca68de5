// From vectors that lie one after the other to coordinates of many vectors side by side, and back. Included by
// kernel.inl only.

#if SUPPLE_KERNEL_WIDTH == 16
// Two permutations of two registers for each of three results.
SUPPLE_INLINE LaneVectors load_tight(const float* in) {
  Lanes a = load<Lanes>(in), b = load<Lanes>(in + 16), c = load<Lanes>(in + 32);
  __asm__("" : "+v"(a), "+v"(b), "+v"(c));  // loaded once each, not once for every use
  const Lanes x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, -1, -1, -1, -1, -1);
  const Lanes y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, -1, -1, -1, -1, -1);
  const Lanes z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, -1, -1, -1, -1, -1, -1);
  return {__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
          __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
          __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31)};
}
SUPPLE_INLINE void store_tight(float* out, const LaneVectors& v) {
  const Lanes a = __builtin_shufflevector(v.x, v.y, 0, 16, -1, 1, 17, -1, 2, 18, -1, 3, 19, -1, 4, 20, -1, 5);
  const Lanes b = __builtin_shufflevector(v.x, v.y, 21, -1, 6, 22, -1, 7, 23, -1, 8, 24, -1, 9, 25, -1, 10, 26);
  const Lanes c = __builtin_shufflevector(v.x, v.y, -1, 11, 27, -1, 12, 28, -1, 13, 29, -1, 14, 30, -1, 15, 31, -1);
  store_lanes(out, __builtin_shufflevector(a, v.z, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  store_lanes(out + 16, __builtin_shufflevector(b, v.z, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15));
  store_lanes(out + 32, __builtin_shufflevector(c, v.z, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31));
}
#elif SUPPLE_KERNEL_WIDTH == 8 || !defined(__ARM_NEON)
/// Within each four lanes: two of a, then two of b.
template <int A0, int A1, int B0, int B1>
SUPPLE_INLINE Lanes pick(Lanes a, Lanes b) {
#if SUPPLE_KERNEL_WIDTH == 8
  return __builtin_shufflevector(a, b, A0, A1, 8 + B0, 8 + B1, 4 + A0, 4 + A1, 12 + B0, 12 + B1);
#else
  return __builtin_shufflevector(a, b, A0, A1, 4 + B0, 4 + B1);
#endif
}
SUPPLE_INLINE LaneVectors load_tight(const float* in) {
#if SUPPLE_KERNEL_WIDTH == 8
  const auto halves = [&](int at) SUPPLE_FLATTEN -> Lanes {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + at)), _mm_loadu_ps(in + at + 12), 1);
  };
  const Lanes a = halves(0), b = halves(4), c = halves(8);
#else
  const Lanes a = load<Lanes>(in), b = load<Lanes>(in + 4), c = load<Lanes>(in + 8);
#endif
  const Lanes xy = pick<2, 3, 1, 2>(b, c), yz = pick<1, 2, 0, 1>(a, b);  // x2 y2 x3 y3, y0 z0 y1 z1
  return {pick<0, 3, 0, 2>(a, xy), pick<0, 2, 1, 3>(yz, xy), pick<1, 3, 0, 3>(yz, c)};
}
SUPPLE_INLINE void store_tight(float* out, const LaneVectors& v) {
  const Lanes xy = pick<0, 2, 0, 2>(v.x, v.y), yz = pick<1, 3, 1, 3>(v.y, v.z), zx = pick<0, 2, 1, 3>(v.z, v.x);
  const Lanes a = pick<0, 2, 0, 2>(xy, zx), b = pick<0, 2, 1, 3>(yz, xy), c = pick<1, 3, 1, 3>(zx, yz);
#if SUPPLE_KERNEL_WIDTH == 8
  store_lanes(out, _mm256_permute2f128_ps(a, b, 0x20));
  store_lanes(out + 8, _mm256_permute2f128_ps(c, a, 0x30));
  store_lanes(out + 16, _mm256_permute2f128_ps(b, c, 0x31));
#else
  store_lanes(out, a);
  store_lanes(out + 4, b);
  store_lanes(out + 8, c);
#endif
}
#else
SUPPLE_INLINE LaneVectors load_tight(const float* in) {
  const float32x4x3_t v = vld3q_f32(in);
  return {v.val[0], v.val[1], v.val[2]};
}
SUPPLE_INLINE void store_tight(float* out, const LaneVectors& v) {
  const float32x4x3_t all = {{v.x, v.y, v.z}};
  vst3q_f32(out, all);
}
#endif

constexpr int fours_of_lanes = lane_count / 4;
#if SUPPLE_KERNEL_WIDTH == 16
SUPPLE_INLINE Lanes join(const Float4 (&v)[4]) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_insertf128_ps(_mm256_castps128_ps256(v[0]), v[1], 1)),
                            _mm256_insertf128_ps(_mm256_castps128_ps256(v[2]), v[3], 1), 1);
}
SUPPLE_INLINE void split(Lanes v, Float4 (&fours)[4]) {
  fours[0] = __builtin_shufflevector(v, v, 0, 1, 2, 3);
  fours[1] = __builtin_shufflevector(v, v, 4, 5, 6, 7);
  fours[2] = __builtin_shufflevector(v, v, 8, 9, 10, 11);
  fours[3] = __builtin_shufflevector(v, v, 12, 13, 14, 15);
}
#elif SUPPLE_KERNEL_WIDTH == 8
SUPPLE_INLINE Lanes join(const Float4 (&v)[2]) { return _mm256_insertf128_ps(_mm256_castps128_ps256(v[0]), v[1], 1); }
SUPPLE_INLINE void split(Lanes v, Float4 (&fours)[2]) {
  fours[0] = _mm256_castps256_ps128(v);
  fours[1] = _mm256_extractf128_ps(v, 1);
}
#else
SUPPLE_INLINE Lanes join(const Float4 (&v)[1]) { return v[0]; }
SUPPLE_INLINE void split(Lanes v, Float4 (&fours)[1]) { fours[0] = v; }
#endif

/// Four coordinates of as many vectors as there are lanes.
struct LaneTangents {
  LaneVectors direction;
  Lanes handedness;
};
/// Vectors of three floats, whose fourth coordinate is left undefined, or of four.
template <int Floats>
SUPPLE_INLINE LaneTangents load_strided(const float* in, std::size_t stride) {
  Float4 x[fours_of_lanes], y[fours_of_lanes], z[fours_of_lanes], w[fours_of_lanes];
  for (int f = 0; f < fours_of_lanes; ++f, in += 4 * stride) {
    const auto at = [&](std::size_t i)
                        SUPPLE_FLATTEN { return Floats == 3 ? load3(in + i * stride) : load<Float4>(in + i * stride); };
    x[f] = at(0), y[f] = at(1), z[f] = at(2), w[f] = at(3);
    transpose(x[f], y[f], z[f], w[f]);
  }
  return {{join(x), join(y), join(z)}, join(w)};
}
template <int Floats>
SUPPLE_INLINE void store_strided(float* out, std::size_t stride, const LaneTangents& v) {
  Float4 x[fours_of_lanes], y[fours_of_lanes], z[fours_of_lanes], w[fours_of_lanes];
  split(v.direction.x, x), split(v.direction.y, y), split(v.direction.z, z), split(v.handedness, w);
  for (int f = 0; f < fours_of_lanes; ++f, out += 4 * stride) {
    const auto put = [&](std::size_t i, Float4 vector) SUPPLE_FLATTEN {
      if constexpr (Floats == 3) return store3(out + i * stride, vector);
      __builtin_memcpy(out + i * stride, &vector, sizeof vector);
    };
    transpose(x[f], y[f], z[f], w[f]);
    put(0, x[f]), put(1, y[f]), put(2, z[f]), put(3, w[f]);
  }
}

// Out of line: inlined, what buffers with gaps need would crowd out the registers of loops over those without.
__attribute__((noinline)) void load_gaps(const float* in, std::size_t stride, LaneVectors& v) {
  v = load_strided<3>(in, stride).direction;
}
__attribute__((noinline)) void store_gaps(float* out, std::size_t stride, const LaneVectors& v) {
  store_strided<3>(out, stride, {v, v.z});
}

/// Positions or normals of neighbouring vertices, a register full of them.
SUPPLE_INLINE LaneVectors load_vectors(const Stream& s, std::size_t vertex) {
  const float* in = s.in + vertex * s.in_stride;
  if (s.in_stride == 3) return load_tight(in);
  LaneVectors v;
  load_gaps(in, s.in_stride, v);
  return v;
}
SUPPLE_INLINE void store_vectors(const Stream& s, std::size_t vertex, const LaneVectors& v) {
  float* out = s.out + vertex * s.out_stride;
  if (s.out_stride == 3) return store_tight(out, v);
  const LaneVectors copy = v;  // so that v itself need not be in memory
  store_gaps(out, s.out_stride, copy);
}
