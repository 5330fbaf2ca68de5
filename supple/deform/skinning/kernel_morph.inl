// Weighted morph targets of blocks of 16 vertices: the sums stay in registers while the entries of the block stream by,
// and are added to the vertices where skinning has them in registers too. Included by kernel.inl only.

/// Sums over as many vertices as there are lanes: of positions and, where wanted, of normals.
struct MorphSums {
  LaneVectors position, normal;
};

/// 65536 times the 16-bit numbers, or the pairs as they stand: see MorphTable::Entry.
SUPPLE_INLINE Lanes to_float(IntLanes v) { return __builtin_convertvector(v, Lanes); }

template <bool Normals>
SUPPLE_INLINE void add_entries(const WeightedOffsets& o, std::uint32_t begin, std::uint32_t end, int part,
                               MorphSums& sums) {
  for (std::uint32_t e = begin; e < end; ++e) {
    const float* weight = o.weights + o.targets[e];
    std::uint32_t bits;
    __builtin_memcpy(&bits, weight, sizeof bits);
    if (bits == 0) continue;
    // Read again, as a broadcast, which costs nothing, rather than spread from where it was compared.
    __asm__("" : "+r"(weight));
    const Lanes w = splat(*weight);
    const std::int32_t* pairs = o.pairs + std::size_t{e} * 48 + part * lane_count;
    // The table of a large mesh comes from afar, and processors' own prefetching ends with a page, every 21 entries.
    for (int line = 0; line < 3 && part == 0; ++line) __builtin_prefetch(pairs + 8 * 48 + 16 * line);
    const auto add = [&](int coordinate, Lanes& position, Lanes& normal) SUPPLE_FLATTEN {
      IntLanes pair;
      __builtin_memcpy(&pair, pairs + 16 * coordinate, sizeof pair);
      position = multiply_add(to_float(pair << 16), w, position);
      if constexpr (Normals) normal = multiply_add(to_float(pair), w, normal);
    };
    add(0, sums.position.x, sums.normal.x);
    add(1, sums.position.y, sums.normal.y);
    add(2, sums.position.z, sums.normal.z);
  }
}

/// Moves the vertices of one part of a block, as many as there are lanes, by
/// unit / 65536 * (32768 * sum of large entries + sum of the others).
template <bool Normals>
SUPPLE_INLINE void add_offsets(const WeightedOffsets& o, std::size_t block, int part, LaneVectors& position,
                               LaneVectors& normal) {
  const std::uint32_t large = o.first[block], plain = o.plain[block], end = o.first[block + 1];
  if (large == end) return;
  const LaneVectors zero{splat(0.0f), splat(0.0f), splat(0.0f)};
  MorphSums sums{zero, zero};
  if (large < plain) {
    add_entries<Normals>(o, large, plain, part, sums);
    sums = {scaled(sums.position, splat(0x1p15f)), scaled(sums.normal, splat(0x1p15f))};
  }
  add_entries<Normals>(o, plain, end, part, sums);
  position = moved(position, splat(o.units[2 * block] * 0x1p-16f), sums.position);
  if constexpr (Normals) normal = moved(normal, splat(o.units[2 * block + 1] * 0x1p-16f), sums.normal);
}

/// A block without gaps in and out, 48 floats of positions and of normals; out may be in.
template <bool Normals>
SUPPLE_INLINE void morph_block(const WeightedOffsets& o, std::size_t block, const float* positions,
                               const float* normals, float* out_positions, float* out_normals) {
  for (int part = 0; part < 16 / lane_count; ++part) {
    const int at = 3 * part * lane_count;
    LaneVectors p = load_tight(positions + at), n = Normals ? load_tight(normals + at) : p;
    add_offsets<Normals>(o, block, part, p, n);
    store_tight(out_positions + at, p);
    if constexpr (Normals) store_tight(out_normals + at, n);
  }
}

/// The same where the mesh ends within the block, after `live` vertices.
template <bool Normals>
void morph_last_block(const WeightedOffsets& o, std::size_t block, std::size_t live, const float* positions,
                      const float* normals, float* out_positions, float* out_normals) {
  float p[48] = {}, n[48] = {};
  const std::size_t bytes = 3 * live * sizeof(float);
  __builtin_memcpy(p, positions, bytes);
  if constexpr (Normals) __builtin_memcpy(n, normals, bytes);
  morph_block<Normals>(o, block, p, n, p, n);
  __builtin_memcpy(out_positions, p, bytes);
  if constexpr (Normals) __builtin_memcpy(out_normals, n, bytes);
}

template <bool Normals>
void morph_blocks(const MorphBlocks& m) {
  const WeightedOffsets o = *m.offsets;
  for (std::size_t v = 0; v < m.vertices; v += 16) {
    const std::size_t block = m.first_block + v / 16, live = m.vertices - v;
    const float *p = m.positions + 3 * v, *n = Normals ? m.normals + 3 * v : nullptr;
    float *out_p = m.out_positions + 3 * v, *out_n = Normals ? m.out_normals + 3 * v : nullptr;
    if (live >= 16)
      morph_block<Normals>(o, block, p, n, out_p, out_n);
    else
      morph_last_block<Normals>(o, block, live, p, n, out_p, out_n);
  }
}
