// The loop that both ways of skinning share: groups of four vertices, and where there is something to add, block after
// block of 16 that is morphed first. The next block is morphed before this one is skinned, so that neither its offsets
// nor its sums are waited for. Included by kernel.inl only.

struct MorphedBlock {
  alignas(64) float positions[48];
  alignas(64) float normals[48];
};

template <Outputs Out, class Group>
SUPPLE_INLINE void for_morphed_groups(const Batch& batch, Group group) {
  constexpr bool with_normals = Out != Outputs::p;
  MorphedBlock blocks[2];
  const WeightedOffsets offsets = *batch.offsets;
  Batch b = batch;
  // The batch may begin within a block: what the block has before it is read too, and not used.
  std::size_t within = b.first_vertex % 16, vertex = b.first_vertex - within;
  const std::size_t end = b.first_vertex + b.vertices;
  const float *positions = b.positions.in - 3 * within, *normals = with_normals ? b.normals.in - 3 * within : nullptr;
  const auto morph = [&](std::size_t first, MorphedBlock& out) SUPPLE_FLATTEN {
    add_block<with_normals>(offsets, first / 16, b.vertex_count - first,
                            {positions, normals, out.positions, out.normals});
    positions += 48;
    if constexpr (with_normals) normals += 48;
  };
  b.positions.in_stride = b.normals.in_stride = 3;
  morph(vertex, blocks[0]);
  for (std::size_t current = 0; vertex < end; current = 1 - current) {
    const std::size_t next = vertex + 16, count = (next < end ? next : end) - vertex - within;
    if (next < end) morph(next, blocks[1 - current]);
    b.positions.in = blocks[current].positions + 3 * within;
    b.normals.in = blocks[current].normals + 3 * within;
    std::size_t v = 0;
    for (; v + 4 <= count; v += 4) group(b, v, 4);
    if (v < count) group(b, v, static_cast<int>(count - v));
    b.joints += count * b.influences;
    b.weights += count * b.influences;
    b.positions.out += count * b.positions.out_stride;
    if constexpr (with_normals) b.normals.out += count * b.normals.out_stride;
    if constexpr (Out == Outputs::pnt) {
      b.tangents.in += count * b.tangents.in_stride;
      b.tangents.out += count * b.tangents.out_stride;
    }
    vertex = next;
    within = 0;
  }
}

/// group(batch, vertex, live) skins four vertices of a batch, or the last one to three.
template <Outputs Out, class Group>
SUPPLE_INLINE void for_groups(const Batch& batch, Group group) {
  if (batch.offsets != nullptr) return for_morphed_groups<Out>(batch, group);
  const Batch b = batch;  // a copy that no store can alias: its fields stay in registers
  std::size_t v = 0;
  for (; v + 4 <= b.vertices; v += 4) group(b, v, 4);
  if (v < b.vertices) group(b, v, static_cast<int>(b.vertices - v));
}
