// Adding weighted morph targets to blocks of 16 vertices: 48 floats stay in registers while the entries of the block
// stream by. Included by kernel.inl only.

#if SUPPLE_KERNEL_WIDTH == 16
typedef Float16 MorphLane;
typedef int PairLane __attribute__((vector_size(64)));
SUPPLE_INLINE MorphLane splat_morph(float s) { return _mm512_set1_ps(s); }
#elif SUPPLE_KERNEL_WIDTH == 8
typedef Float8 MorphLane;
typedef int PairLane __attribute__((vector_size(32)));
SUPPLE_INLINE MorphLane splat_morph(float s) { return _mm256_set1_ps(s); }
#else
typedef Float4 MorphLane;
typedef Int4 PairLane;
SUPPLE_INLINE MorphLane splat_morph(float s) { return splat4(s); }
#endif

/// Sums over the 48 numbers of a block's positions, and over those of its normals.
template <bool Normals>
struct BlockSum {
  static constexpr int width = SUPPLE_KERNEL_WIDTH, lanes = 48 / width;
  MorphLane position[lanes], normal[Normals ? lanes : 1];
};

template <bool Normals>
SUPPLE_INLINE BlockSum<Normals> add_entries(const WeightedOffsets& o, std::uint32_t begin, std::uint32_t end,
                                            BlockSum<Normals> sum) {
  for (std::uint32_t e = begin; e < end; ++e) {
    const float* weight = o.weights + o.targets[e];
    std::uint32_t bits;
    __builtin_memcpy(&bits, weight, sizeof bits);
    if (bits == 0) continue;
    // Read again, as a broadcast, which costs nothing, rather than spread from where it was compared.
    __asm__("" : "+r"(weight));
    const MorphLane w = splat_morph(*weight);
    const std::int32_t* pairs = o.pairs + std::size_t{e} * 48;
    for (int l = 0; l < sum.lanes; ++l) {
      PairLane pair;
      __builtin_memcpy(&pair, pairs + l * sum.width, sizeof pair);
      sum.position[l] += __builtin_convertvector(pair << 16, MorphLane) * w;
      if constexpr (Normals) sum.normal[l] += __builtin_convertvector(pair, MorphLane) * w;
    }
  }
  return sum;
}

SUPPLE_INLINE void add_scaled(const MorphLane* sum, float unit, const float* in, float* out) {
  constexpr int width = SUPPLE_KERNEL_WIDTH;
  const MorphLane scale = splat_morph(unit);
  for (int l = 0; l < 48 / width; ++l) {
    const MorphLane moved = load<MorphLane>(in + l * width) + sum[l] * scale;
    __builtin_memcpy(out + l * width, &moved, sizeof moved);
  }
}

struct BlockStreams {
  const float *positions, *normals;
  float *out_positions, *out_normals;
};

/// out = in + unit / 65536 * (coarse + fine / 65536), 48 floats each.
template <bool Normals>
SUPPLE_INLINE void add_whole_block(const WeightedOffsets& o, std::size_t block, const BlockStreams& s) {
  BlockSum<Normals> sum{};
  const std::uint32_t first = o.first[block], coarse = o.coarse[block];
  if (first < coarse) {
    sum = add_entries<Normals>(o, first, coarse, sum);
    for (MorphLane& lane : sum.position) lane *= 0x1p-16f;
    for (MorphLane& lane : sum.normal) lane *= 0x1p-16f;
  }
  sum = add_entries<Normals>(o, coarse, o.first[block + 1], sum);
  add_scaled(sum.position, o.units[2 * block] * 0x1p-16f, s.positions, s.out_positions);
  if constexpr (Normals) add_scaled(sum.normal, o.units[2 * block + 1] * 0x1p-16f, s.normals, s.out_normals);
}

/// The same where the mesh ends within the block, after `left` vertices.
template <bool Normals>
__attribute__((noinline)) void add_last_block(const WeightedOffsets& o, std::size_t block, std::size_t left,
                                              const BlockStreams& s) {
  float positions[48] = {}, normals[48] = {};
  const std::size_t bytes = 3 * left * sizeof(float);
  __builtin_memcpy(positions, s.positions, bytes);
  if constexpr (Normals) __builtin_memcpy(normals, s.normals, bytes);
  add_whole_block<Normals>(o, block, {positions, normals, positions, normals});
  __builtin_memcpy(s.out_positions, positions, bytes);
  if constexpr (Normals) __builtin_memcpy(s.out_normals, normals, bytes);
}

template <bool Normals>
SUPPLE_INLINE void add_block(const WeightedOffsets& o, std::size_t block, std::size_t left, const BlockStreams& s) {
  if (left >= 16) return add_whole_block<Normals>(o, block, s);
  add_last_block<Normals>(o, block, left, s);
}

template <bool Normals>
SUPPLE_INLINE void morph_blocks(const MorphBlocks& m) {
  BlockStreams s{m.positions, m.normals, m.out_positions, m.out_normals};
  for (std::size_t v = 0; v < m.vertices; v += 16) {
    add_block<Normals>(*m.offsets, m.first_block + v / 16, m.vertices - v, s);
    s.positions += 48, s.out_positions += 48;
    if constexpr (Normals) s.normals += 48, s.out_normals += 48;
  }
}
