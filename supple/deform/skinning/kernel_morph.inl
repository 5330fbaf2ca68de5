// Weighted morph targets of blocks of 16 vertices: the sums stay in registers while the entries of the block stream by,
// and are added to the vertices where skinning has them in registers too. Included by kernel.inl only.

/// Weights of a block's targets: those of the next block too, if it has the same targets. What they are depends on
/// these alone, not on where a loop over blocks began.
struct MorphRoom {
  std::uint32_t list = ~0u;  // the targets
  enum { nothing, plainly, fully } work = nothing;
  MorphWeights large, plain;  // unless they are more than 64
};

/// 16-bit weights of two targets.
SUPPLE_INLINE std::int32_t pair_at(const std::int16_t* weights) {
  std::int32_t pair;
  __builtin_memcpy(&pair, weights, sizeof pair);
  return pair;
}

/// Sums of products of up to 64 targets, in units of weights and of offsets: three coordinates of positions, then those
/// of normals. With `Exact` the low parts of weights count too.
template <bool Normals, bool Exact>
struct MorphDots {
  PairSums high[Normals ? 6 : 3] = {}, low[Normals ? 6 : 3] = {};

  SUPPLE_FLATTEN void add(int coordinate, const std::int32_t* pairs, PairFactors h, PairFactors l) {
    const IntLanes numbers = load_pairs(pairs);
    add_products(high[coordinate], numbers, h);
    if constexpr (Exact) add_products(low[coordinate], numbers, l);
  }
  /// v + unit * the sums of three coordinates
  SUPPLE_FLATTEN LaneVectors added(const LaneVectors& v, int first, float unit) const {
    return moved(v, splat(unit), {sum(first), sum(first + 1), sum(first + 2)});
  }
  SUPPLE_FLATTEN Lanes sum(int coordinate) const {
    if constexpr (Exact) return multiply_add(to_float(low[coordinate]), splat(0x1p-10f), to_float(high[coordinate]));
    return to_float(high[coordinate]);
  }
};

/// Moves vertices by the entries of up to 64 targets; `pairs` is the first one's, for the first of the lanes.
template <bool Normals, bool Exact>
SUPPLE_INLINE void add_entries(const MorphWeights& w, const std::int32_t* pairs, bool ahead, float position_unit,
                               float normal_unit, LaneVectors& position, LaneVectors& normal) {
  MorphDots<Normals, Exact> dots;
  constexpr int coordinates = Normals ? 6 : 3;
  const std::int16_t *high = w.high, *low = w.low;
  for (const std::int16_t* end = high + (w.count & ~1u); high != end; high += 2, low += 2, pairs += 96) {
    // The table of a large mesh comes from afar, and processors' own prefetching ends with a page, every 21 entries.
    for (int line = 0; line < 6 && ahead; ++line) __builtin_prefetch(pairs + 8 * 48 + 16 * line);
    if ((pair_at(high) | (Exact ? pair_at(low) : 0)) == 0) continue;
    // Read again, as a broadcast, which costs nothing, rather than spread from where it was compared.
    __asm__("" : "+r"(high));
    const PairFactors high_pair = splat_pair(pair_at(high)), low_pair = splat_pair(Exact ? pair_at(low) : 0);
    for (int c = 0; c < coordinates; ++c) dots.add(c, pairs + 16 * c, high_pair, low_pair);
  }
  if (w.count % 2 != 0) {  // one target: its positions beside its normals
    for (int line = 0; line < 3 && ahead; ++line) __builtin_prefetch(pairs + 8 * 48 + 16 * line);
    const std::int32_t h = pair_at(high), l = Exact ? pair_at(low) : 0;
    const PairFactors high_position = splat_pair(h), low_position = splat_pair(l);
    for (int c = 0; c < 3; ++c) dots.add(c, pairs + 16 * c, high_position, low_position);
    if constexpr (Normals) {
      const PairFactors high_normal = splat_pair(h << 16), low_normal = splat_pair(l << 16);
      for (int c = 0; c < 3; ++c) dots.add(3 + c, pairs + 16 * c, high_normal, low_normal);
    }
  }
  position = dots.added(position, 0, w.unit * position_unit);
  if constexpr (Normals) normal = dots.added(normal, 3, w.unit * normal_unit);
}

/// Most tables need no more than high parts of weights for entries that are not large.
__attribute__((noinline)) void change_list(const WeightedOffsets& o, std::uint32_t list, MorphRoom& room) {
  const MorphList& l = o.lists[list];
  room.list = list;
  const bool few = l.large <= most_targets && l.plain <= most_targets;
  room.large.unit = 0;
  if (l.large > 0 && l.large <= most_targets)
    prepare_weights(o.weights, o.targets + l.first, l.large, true, room.large);
  if (l.plain <= most_targets) prepare_weights(o.weights, o.targets + l.first + l.large, l.plain, o.exact, room.plain);
  room.work = few && room.large.unit == 0 && room.plain.unit == 0 ? MorphRoom::nothing
              : few && l.large == 0 && !o.exact                   ? MorphRoom::plainly
                                                                  : MorphRoom::fully;
}

/// Moves vertices by any number of targets, 64 at a time; `ready` has the weights if these are no more.
template <bool Normals, bool Exact>
SUPPLE_INLINE void add_any(const float* weights, const std::uint32_t* targets, std::uint32_t count,
                           const MorphWeights& ready, const std::int32_t* pairs, bool ahead, float position_unit,
                           float normal_unit, LaneVectors& position, LaneVectors& normal) {
  if (count <= most_targets)
    return add_entries<Normals, Exact>(ready, pairs, ahead, position_unit, normal_unit, position, normal);
  MorphWeights some;
  for (std::uint32_t begin = 0; begin < count; begin += most_targets) {
    const std::uint32_t left = count - begin;
    prepare_weights(weights, targets + begin, left < most_targets ? left : most_targets, Exact, some);
    add_entries<Normals, Exact>(some, pairs + std::size_t{begin} * 48, ahead, position_unit, normal_unit, position,
                                normal);
  }
}

/// The same for any block.
template <bool Normals>
__attribute__((noinline)) void add_fully(const WeightedOffsets& o, const MorphRoom& room, const MorphBlock& b, int part,
                                         LaneVectors& position, LaneVectors& normal) {
  const MorphList& l = o.lists[b.list];
  const std::uint32_t* targets = o.targets + l.first;
  const std::int32_t* pairs = o.pairs + std::size_t{b.entry} * 48 + part * lane_count;
  LaneVectors p = position, n = normal;
  if (l.large > 0)
    add_any<Normals, true>(o.weights, targets, l.large, room.large, pairs, part == 0, b.position * 0x1p15f,
                           b.normal * 0x1p15f, p, n);
  targets += l.large;
  pairs += std::size_t{l.large} * 48;
  if (o.exact)
    add_any<Normals, true>(o.weights, targets, l.plain, room.plain, pairs, part == 0, b.position, b.normal, p, n);
  else
    add_any<Normals, false>(o.weights, targets, l.plain, room.plain, pairs, part == 0, b.position, b.normal, p, n);
  position = p;
  normal = n;
}

/// Moves the vertices of one part of a block, as many as there are lanes.
template <bool Normals>
SUPPLE_INLINE void add_offsets(const WeightedOffsets& o, MorphRoom& room, std::size_t block, int part,
                               LaneVectors& position, LaneVectors& normal) {
  const MorphBlock& b = o.blocks[block];
  if (room.list != b.list) change_list(o, b.list, room);
  if (room.work == MorphRoom::plainly)
    return add_entries<Normals, false>(room.plain, o.pairs + std::size_t{b.entry} * 48 + part * lane_count, part == 0,
                                       b.position, b.normal, position, normal);
  if (room.work == MorphRoom::nothing) return;
  LaneVectors p = position, n = normal;  // so that they themselves need not be in memory
  add_fully<Normals>(o, room, b, part, p, n);
  position = p;
  normal = n;
}

/// A block without gaps in and out, 48 floats of positions and of normals; out may be in.
template <bool Normals>
SUPPLE_INLINE void morph_block(const WeightedOffsets& o, MorphRoom& room, std::size_t block, const float* positions,
                               const float* normals, float* out_positions, float* out_normals) {
  for (int part = 0; part < 16 / lane_count; ++part) {
    const int at = 3 * part * lane_count;
    LaneVectors p = load_tight(positions + at), n = Normals ? load_tight(normals + at) : p;
    add_offsets<Normals>(o, room, block, part, p, n);
    store_tight(out_positions + at, p);
    if constexpr (Normals) store_tight(out_normals + at, n);
  }
}

/// The same where the mesh ends within the block, after `live` vertices.
template <bool Normals>
void morph_last_block(const WeightedOffsets& o, MorphRoom& room, std::size_t block, std::size_t live,
                      const float* positions, const float* normals, float* out_positions, float* out_normals) {
  float p[48] = {}, n[48] = {};
  const std::size_t bytes = 3 * live * sizeof(float);
  __builtin_memcpy(p, positions, bytes);
  if constexpr (Normals) __builtin_memcpy(n, normals, bytes);
  morph_block<Normals>(o, room, block, p, n, p, n);
  __builtin_memcpy(out_positions, p, bytes);
  if constexpr (Normals) __builtin_memcpy(out_normals, n, bytes);
}

template <bool Normals>
void morph_blocks(const MorphBlocks& m, MorphRoom& room) {
  const WeightedOffsets o = *m.offsets;
  for (std::size_t v = 0; v < m.vertices; v += 16) {
    const std::size_t block = m.first_block + v / 16, live = m.vertices - v;
    const float *p = m.positions + 3 * v, *n = Normals ? m.normals + 3 * v : nullptr;
    float *out_p = m.out_positions + 3 * v, *out_n = Normals ? m.out_normals + 3 * v : nullptr;
    if (live >= 16)
      morph_block<Normals>(o, room, block, p, n, out_p, out_n);
    else
      morph_last_block<Normals>(o, room, block, live, p, n, out_p, out_n);
  }
}
