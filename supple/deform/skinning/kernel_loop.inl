// The loop that both ways of skinning share: groups of four vertices, and where there is something to add, block after
// block of 16 that is morphed first. The next block is morphed before this one is skinned, so that neither its offsets
// nor its sums are waited for. Included by kernel.inl only.

struct MorphedBlock {
  alignas(64) float positions[48];
  alignas(64) float normals[48];
};

/// Skins what has no offsets any more.
using SkinRun = void (*)(const Batch&);

/// One loop for all numbers of influences: `skin` is called once per block.
template <Outputs Out>
void skin_morphed(const Batch& batch, SkinRun skin) {
  constexpr bool with_normals = Out != Outputs::p;
  MorphedBlock blocks[2];
  const WeightedOffsets offsets = *batch.offsets;
  Batch b = batch;
  b.offsets = nullptr;
  // The batch may begin within a block: what the block has before it is read too, and not used.
  std::size_t within = b.first_vertex % 16, vertex = b.first_vertex - within;
  const std::size_t end = b.first_vertex + batch.vertices;
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
    const std::size_t next = vertex + 16;
    b.vertices = (next < end ? next : end) - vertex - within;
    if (next < end) morph(next, blocks[1 - current]);
    b.positions.in = blocks[current].positions + 3 * within;
    if constexpr (with_normals) b.normals.in = blocks[current].normals + 3 * within;
    skin(b);
    b.joints += b.vertices * b.influences;
    b.weights += b.vertices * b.influences;
    b.positions.out += b.vertices * b.positions.out_stride;
    if constexpr (with_normals) b.normals.out += b.vertices * b.normals.out_stride;
    if constexpr (Out == Outputs::pnt) {
      b.tangents.in += b.vertices * b.tangents.in_stride;
      b.tangents.out += b.vertices * b.tangents.out_stride;
    }
    vertex = next;
    within = 0;
  }
}

/// The last one to three vertices of a batch, made four by repeating the last: the loop that skinned the others skins
/// them too, so that the bits of a vertex do not depend on where a batch ends. Up to eight influences.
void skin_tail(const Batch& batch, std::size_t first, SkinRun skin) {
  constexpr std::size_t group = 4, widest = 4;
  std::uint16_t joints[8 * group];
  float weights[8 * group], in[3][widest * group], out[3][widest * group];
  Batch b = batch;
  Stream* const streams[3] = {&b.positions, &b.normals, &b.tangents};
  const std::size_t live = batch.vertices - first, n = batch.influences;
  for (std::size_t i = 0; i < group; ++i) {
    const std::size_t v = first + (i < live ? i : live - 1);
    for (std::size_t k = 0; k < n; ++k) {
      joints[i * n + k] = batch.joints[v * n + k];
      weights[i * n + k] = batch.weights[v * n + k];
    }
    for (std::size_t s = 0; s < 3; ++s) {
      const std::size_t width = s < 2 ? 3 : 4;  // tangents have a handedness
      if (streams[s]->in == nullptr) continue;
      for (std::size_t c = 0; c < width; ++c) in[s][i * width + c] = streams[s]->in[v * streams[s]->in_stride + c];
    }
  }
  b.joints = joints;
  b.weights = weights;
  b.vertices = group;
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t width = s < 2 ? 3 : 4;
    if (streams[s]->in != nullptr) *streams[s] = {in[s], out[s], width, width};
  }
  skin(b);
  const Stream* const wanted[3] = {&batch.positions, &batch.normals, &batch.tangents};
  for (std::size_t s = 0; s < 3; ++s) {
    const std::size_t width = s < 2 ? 3 : 4;
    if (wanted[s]->in == nullptr) continue;
    for (std::size_t i = 0; i < live; ++i) {
      for (std::size_t c = 0; c < width; ++c)
        wanted[s]->out[(first + i) * wanted[s]->out_stride + c] = out[s][i * width + c];
    }
  }
}

/// group(batch, vertex, live) skins four vertices of a batch, or the last one to three; tail(batch, first) the last
/// ones of a batch.
template <class Group, class Tail>
SUPPLE_INLINE void for_groups(const Batch& batch, Group group, Tail tail) {
  const Batch b = batch;  // a copy that no store can alias: its fields stay in registers
  std::size_t v = 0;
  for (; v + 4 <= b.vertices; v += 4) group(b, v, 4);
  if (v < b.vertices) tail(batch, v);
}
