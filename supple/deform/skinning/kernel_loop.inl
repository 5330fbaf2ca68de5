// The loop over vertices that do not share few enough joints to be skinned as a block: groups of four, and where there
// is something to add, block after block of 16 that is morphed first. Included by kernel.inl only.

/// One loop for all numbers of influences: `skin` is called once per block. The batch begins with a block.
template <Outputs Out>
void skin_morphed(const Batch& batch, SkinRun skin) {
  constexpr bool with_normals = Out != Outputs::p;
  float positions[48], normals[48];
  Batch b = batch;
  b.offsets = nullptr;
  for (std::size_t v = 0; v < batch.vertices; v += 16) {
    const std::size_t left = batch.vertices - v;
    b.vertices = left < 16 ? left : 16;
    const float *p = batch.positions.in + 3 * v, *n = with_normals ? batch.normals.in + 3 * v : nullptr;
    morph_blocks<with_normals>(
        {batch.offsets, (batch.first_vertex + v) / 16, b.vertices, p, n, positions, with_normals ? normals : nullptr});
    b.positions.in = positions;
    b.normals.in = with_normals ? normals : nullptr;
    skin(b);
    b.joints += b.vertices * b.influences;
    b.weights += b.vertices * b.influences;
    b.positions.out += b.vertices * b.positions.out_stride;
    if constexpr (with_normals) b.normals.out += b.vertices * b.normals.out_stride;
    if constexpr (Out == Outputs::pnt) {
      b.tangents.in += b.vertices * b.tangents.in_stride;
      b.tangents.out += b.vertices * b.tangents.out_stride;
    }
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
