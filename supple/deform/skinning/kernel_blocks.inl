// Skinning in blocks of 16 vertices that share their joints: read, morphed, skinned and written as many at a time as
// there are lanes. Included by kernel.inl only.

/// Skins what a batch says.
using SkinRun = void (*)(const Batch&);

/// The joints of a block and the weights of those of its vertices that stand in the lanes.
struct LaneJoints {
  const float* palette;          // 16 floats a joint
  const std::uint16_t* joints;   // #rows
  const std::uint8_t* quarters;  // #rows: bit q is set where vertices 4 q to 4 q + 3 have a weight
  const float* weights;          // 16 a row, from the first lane on
  std::uint32_t rows;
  std::uint8_t lanes;  // bits of `quarters` that stand for the lanes
};

// Processors' own prefetching ends with a page, and there are half a dozen streams to follow: meshes that do not fit
// the second-level cache take a third longer without this.
constexpr std::size_t blocks_ahead = 4;
template <int Lines>
SUPPLE_INLINE void prefetch(const Stream& s, std::size_t vertex) {
  vertex += 16 * blocks_ahead;
  for (int line = 0; line < Lines; ++line) {
    __builtin_prefetch(s.in + vertex * s.in_stride + 16 * line);
    __builtin_prefetch(s.out + vertex * s.out_stride + 16 * line, 1);
  }
}

/// Calls visit(joint's numbers, weights of the lanes) for every joint that the lanes follow.
template <class Visit>
SUPPLE_INLINE void for_joints(const LaneJoints& j, const Visit& visit) {
  for (std::uint32_t r = 0; r < j.rows; ++r) {
    __builtin_prefetch(j.weights + (std::size_t{r} + 4 * blocks_ahead) * 16);  // rows lie one after the other
    if (lane_count < 16 && (j.quarters[r] & j.lanes) == 0) continue;
    visit(j.palette + std::size_t{j.joints[r]} * 16, load<Lanes>(j.weights + std::size_t{r} * 16));
  }
}

/// skin(joints, positions, normals, tangents) moves vertices in place. All of them are read before any is written, so
/// that a batch may be skinned in place.
template <Outputs Out, class Skin>
SUPPLE_INLINE void skin_lanes(const Batch& b, const WeightedOffsets& o, std::size_t block, std::size_t vertex, int part,
                              const Skin& skin) {
  const std::uint32_t row = b.block_rows[block];
  const LaneJoints joints{b.palette,
                          b.block_joints + row,
                          b.block_quarters + row,
                          b.block_weights + std::size_t{row} * 16 + part * lane_count,
                          b.block_rows[block + 1] - row,
                          static_cast<std::uint8_t>(((1 << lane_count / 4) - 1) << part * (lane_count / 4))};
  if (part == 0) {
    prefetch<3>(b.positions, vertex);
    if constexpr (Out != Outputs::p) prefetch<3>(b.normals, vertex);
    if constexpr (Out == Outputs::pnt) prefetch<4>(b.tangents, vertex);
  }
  vertex += static_cast<std::size_t>(part * lane_count);
  LaneVectors p = load_vectors(b.positions, vertex), n = p;
  LaneTangents t{p, p.x};
  if constexpr (Out != Outputs::p) n = load_vectors(b.normals, vertex);
  if constexpr (Out == Outputs::pnt)
    t = load_strided<4>(b.tangents.in + vertex * b.tangents.in_stride, b.tangents.in_stride);
  if (o.first != nullptr) add_offsets<Out != Outputs::p>(o, block, part, p, n);
  skin(joints, p, n, t.direction);
  store_vectors(b.positions, vertex, p);
  if constexpr (Out != Outputs::p) store_vectors(b.normals, vertex, n);
  if constexpr (Out == Outputs::pnt)
    store_strided<4>(b.tangents.out + vertex * b.tangents.out_stride, b.tangents.out_stride, t);
}

/// The last vertices of a mesh, fewer than 16, made a whole block with zeros: the loop that skinned the others skins
/// them too, so that the bits of a vertex do not depend on where a batch ends.
void skin_last_block(const Batch& batch, std::size_t first, SkinRun run) {
  float vectors[3][4 * 16] = {};
  Batch b = batch;
  const Stream* const outer[3] = {&batch.positions, &batch.normals, &batch.tangents};
  Stream* const inner[3] = {&b.positions, &b.normals, &b.tangents};
  const auto copy = [&](auto from, auto to) {
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t floats = s < 2 ? 3 : 4;  // tangents have a handedness
      if (outer[s]->in == nullptr) continue;
      for (std::size_t v = 0; v < batch.vertices - first; ++v)
        for (std::size_t c = 0; c < floats; ++c) to(s, v)[c] = from(s, v)[c];
    }
  };
  const auto buffer = [&](std::size_t s, std::size_t v) { return vectors[s] + v * (s < 2 ? 3 : 4); };
  copy([&](std::size_t s, std::size_t v) { return outer[s]->in + (first + v) * outer[s]->in_stride; }, buffer);
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t floats = s < 2 ? 3 : 4;
    if (outer[s]->in != nullptr) *inner[s] = {vectors[s], vectors[s], floats, floats};
  }
  b.first_vertex += first;
  b.vertices = 16;
  run(b);
  copy(buffer, [&](std::size_t s, std::size_t v) { return outer[s]->out + (first + v) * outer[s]->out_stride; });
}

template <Outputs Out, class Skin>
SUPPLE_INLINE void skin_blocks(const Batch& batch, SkinRun run, const Skin& skin) {
  const Batch b = batch;  // copies that no store can alias: their fields stay in registers
  const WeightedOffsets o = b.offsets != nullptr ? *b.offsets : WeightedOffsets{};
  std::size_t v = 0;
  for (; v + 16 <= b.vertices; v += 16) {
    for (int part = 0; part < 16 / lane_count; ++part) skin_lanes<Out>(b, o, (b.first_vertex + v) / 16, v, part, skin);
  }
  if (v < b.vertices) skin_last_block(batch, v, run);
}
