// Adding weighted morph targets to blocks of 16 vertices: 48 floats stay in registers while the entries of the block
// stream by. Included by kernel.inl only.

#if SUPPLE_KERNEL_WIDTH == 16
typedef Float16 MorphLane;
#elif SUPPLE_KERNEL_WIDTH == 8
typedef Float8 MorphLane;
#else
typedef Float4 MorphLane;
#endif

/// As many 16-bit numbers as floats fit a register. Compilers convert them one by one unless told how.
SUPPLE_INLINE MorphLane load_shorts(const std::int16_t* p) {
#if defined(__SSE2__) && SUPPLE_KERNEL_WIDTH == 16
  return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif defined(__SSE2__) && SUPPLE_KERNEL_WIDTH == 8
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#elif defined(__SSE2__)
  const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(low, low), 16));
#elif defined(__ARM_NEON)
  return vcvtq_f32_s32(vmovl_s16(vld1_s16(p)));
#else
  return Float4{float(p[0]), float(p[1]), float(p[2]), float(p[3])};
#endif
}

SUPPLE_INLINE void add_block(const MorphBlocks& m, std::size_t block, const float* in, float* out) {
  constexpr int width = SUPPLE_KERNEL_WIDTH, lanes = 48 / width;
  MorphLane sum[lanes];
  for (int l = 0; l < lanes; ++l) sum[l] = load<MorphLane>(in + l * width);
  for (std::uint32_t e = m.first[block]; e < m.first[block + 1]; ++e) {
    const float weight = m.weights[m.targets[e]] * m.scales[e];
    if (weight == 0) continue;
    const std::int16_t* values = m.values + std::size_t{e} * 48;
    for (int l = 0; l < lanes; ++l) sum[l] += load_shorts(values + l * width) * weight;
  }
  for (int l = 0; l < lanes; ++l) __builtin_memcpy(out + l * width, &sum[l], sizeof sum[l]);
}
