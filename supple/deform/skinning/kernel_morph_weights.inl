// Weights of the targets of a block as 16-bit numbers, ready for dot products with the offsets. Blocks that lie side by
// side mostly have the same targets: these are made once for all of them. Included by kernel.inl only.

constexpr std::uint32_t most_targets = 64;  // that are added at once
static_assert(most_targets % lane_count == 0);

/// Those of up to 64 targets: weight = unit * (high + low / 1024), |low| <= 512. The unit is the smallest for which no
/// high part exceeds 32767 in magnitude, nor their sum 65470: sums of products with offsets of up to 32767 then stay
/// below 2^31, rounding included, and so do those of low parts. A high part alone is exact to half a unit: 2^-17 of the
/// sum of all weights' magnitudes, or 2^-16 of the largest one where that is more than half of the sum.
struct MorphWeights {
  std::uint32_t count = 0;
  float unit = 0;  // not a number where a weight is none or not finite, or their sum is not; 0 where all are 0
  alignas(64) std::int16_t high[most_targets];  // 0 beyond the last
  alignas(64) std::int16_t low[most_targets];
};

/// Weights of some targets, 0 beyond `count`.
SUPPLE_INLINE Lanes gather(const float* weights, const std::uint32_t* targets, std::uint32_t count) {
#if SUPPLE_KERNEL_WIDTH == 16
  const __mmask16 live = static_cast<__mmask16>(count < 16 ? (1u << count) - 1 : 0xffffu);
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), live, _mm512_maskz_loadu_epi32(live, targets), weights, 4);
#else
  float all[lane_count];
  for (std::uint32_t i = 0; i < lane_count; ++i) all[i] = i < count ? weights[targets[i]] : 0.0f;
  return load<Lanes>(all);
#endif
}

/// op of all lanes, such as their sum.
template <class Op>
SUPPLE_INLINE float across_lanes(Lanes v, const Op& op) {
  Float4 fours[fours_of_lanes];
  split(v, fours);
  for (int f = 1; f < fours_of_lanes; ++f) fours[0] = op(fours[0], fours[f]);
  const Float4 two = op(fours[0], __builtin_shufflevector(fours[0], fours[0], 2, 3, 0, 1));
  return op(two, __builtin_shufflevector(two, two, 1, 0, 3, 2))[0];
}

/// To the nearest whole numbers of |v| <= 2^21, which adding 1.5 * 2^23 leaves in the last bits; `v` keeps the rest.
SUPPLE_INLINE void take_whole(Lanes& v, std::int16_t* numbers) {
  typedef short ShortLanes __attribute__((vector_size(2 * lane_count)));
  const Lanes shift = splat(0x1.8p23f), shifted = v + shift;
  const IntLanes wide = (IntLanes)shifted - (IntLanes)shift;
#if SUPPLE_KERNEL_WIDTH == 16
  const ShortLanes whole = (ShortLanes)_mm512_cvtepi32_epi16((__m512i)wide);
#else
  const ShortLanes whole = __builtin_convertvector(wide, ShortLanes);
#endif
  v -= shifted - shift;
  __builtin_memcpy(numbers, &whole, sizeof whole);
}

// Low parts only where they are asked for. Out of line, so that every loop which calls it gets the same bits.
__attribute__((noinline)) void prepare_weights(const float* all, const std::uint32_t* targets, std::uint32_t count,
                                               bool low, MorphWeights& w) {
  const auto plus = [](auto a, auto b) SUPPLE_FLATTEN { return a + b; };
  const auto larger = [](auto a, auto b) SUPPLE_FLATTEN {
    const auto mask = a > b;
    return (decltype(a))(((decltype(mask))a & mask) | ((decltype(mask))b & ~mask));
  };
  Lanes weights[most_targets / lane_count], sums = splat(0.0f), most = sums;
  const IntLanes sign = (IntLanes)splat(-0.0f);
  w.count = count;
  for (std::uint32_t i = 0; i < count; i += lane_count) {
    const Lanes some = gather(all, targets + i, count - i), sizes = (Lanes)((IntLanes)some & ~sign);
    weights[i / lane_count] = some;
    sums += sizes;
    most = larger(most, sizes);
  }
  const float sum = across_lanes(sums, plus), by_sum = sum * (1.0f / 65470),
              by_most = across_lanes(most, larger) * (1.0f / 32767), unit = by_sum > by_most ? by_sum : by_most;
  // What is less moves nothing, and has no inverse.
  w.unit = sum < 1e-30f ? 0.0f : sum <= 0x1p127f ? unit : __builtin_nanf("");
  const Lanes scale = splat(1.0f / unit);
  for (std::uint32_t i = 0; i < count; i += lane_count) {
    Lanes left = weights[i / lane_count] * scale;
    take_whole(left, w.high + i);
    if (!low) continue;
    left *= splat(1024.0f);
    take_whole(left, w.low + i);
  }
}
