// Sums of products of 16-bit numbers, two products to a lane and all of them exact in 32 bits: every instruction set
// multiplies and adds such pairs in one or two instructions. Included by kernel.inl only.

/// A lane holds 65536 * second + first, both from -32767 to 32767.
SUPPLE_INLINE IntLanes load_pairs(const std::int32_t* pairs) {
  IntLanes v;
  __builtin_memcpy(&v, pairs, sizeof v);
  return v;
}

/// A PairSums is a sum of every lane, from PairSums{} on; add_products(sum, pairs, factors) adds
/// first * first factor + second * second factor. Sums must stay below 2^31 in magnitude, whatever is left out of them.
#if SUPPLE_KERNEL_WIDTH == 4 && defined(__aarch64__)
struct PairSums {
  Int4 near, far;  // of every product of the first two lanes, and of the last two
};
typedef int16x8_t PairFactors;
SUPPLE_INLINE PairFactors splat_pair(std::int32_t pair) { return vreinterpretq_s16_s32(vdupq_n_s32(pair)); }
SUPPLE_INLINE void add_products(PairSums& sum, IntLanes pairs, PairFactors factors) {
  const int16x8_t numbers = vreinterpretq_s16_s32(pairs);
  sum.near = vmlal_s16(sum.near, vget_low_s16(numbers), vget_low_s16(factors));
  sum.far = vmlal_high_s16(sum.far, numbers, factors);
}
SUPPLE_INLINE Lanes to_float(const PairSums& sum) { return vcvtq_f32_s32(vpaddq_s32(sum.near, sum.far)); }
#else
struct PairSums {
  IntLanes all;
};
typedef IntLanes PairFactors;
SUPPLE_INLINE PairFactors splat_pair(std::int32_t pair) {
#if SUPPLE_KERNEL_WIDTH == 16
  return (IntLanes)_mm512_set1_epi32(pair);
#elif SUPPLE_KERNEL_WIDTH == 8
  return (IntLanes)_mm256_set1_epi32(pair);
#elif defined(__SSE2__)
  return (IntLanes)_mm_set1_epi32(pair);
#else
  return IntLanes{pair, pair, pair, pair};
#endif
}
SUPPLE_INLINE void add_products(PairSums& sum, IntLanes pairs, PairFactors factors) {
#if defined(__AVX512VNNI__)
  sum.all = (IntLanes)_mm512_dpwssd_epi32((__m512i)sum.all, (__m512i)factors, (__m512i)pairs);
#elif SUPPLE_KERNEL_WIDTH == 16
  sum.all += (IntLanes)_mm512_madd_epi16((__m512i)factors, (__m512i)pairs);
#elif SUPPLE_KERNEL_WIDTH == 8
  sum.all += (IntLanes)_mm256_madd_epi16((__m256i)factors, (__m256i)pairs);
#elif defined(__SSE2__)
  sum.all += (IntLanes)_mm_madd_epi16((__m128i)factors, (__m128i)pairs);
#elif defined(__wasm_simd128__)
  typedef short Short8 __attribute__((vector_size(16)));
  sum.all += (IntLanes)__builtin_wasm_dot_s_i32x4_i16x8((Short8)factors, (Short8)pairs);
#else
  const auto first = [](IntLanes v) SUPPLE_FLATTEN { return (v << 16) >> 16; };
  sum.all += first(pairs) * first(factors) + (pairs >> 16) * (factors >> 16);
#endif
}
SUPPLE_INLINE Lanes to_float(const PairSums& sum) { return __builtin_convertvector(sum.all, Lanes); }
#endif
