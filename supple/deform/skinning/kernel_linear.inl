// Linear blend, vertex by vertex, for blocks with many joints: a blended matrix is four columns of four floats, summed
// in registers of the chosen width and applied in those of four. Included by kernel.inl only.

struct Columns {
  Float4 x, y, z, t;
};

#if SUPPLE_KERNEL_WIDTH == 16
struct Matrix {
  Float16 all;
};
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) {
  return {load<Float16>(joint) * _mm512_set1_ps(weight)};
}
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  m.all += load<Float16>(joint) * _mm512_set1_ps(weight);
}
SUPPLE_INLINE Columns columns(const Matrix& m) {
  return {__builtin_shufflevector(m.all, m.all, 0, 1, 2, 3), __builtin_shufflevector(m.all, m.all, 4, 5, 6, 7),
          __builtin_shufflevector(m.all, m.all, 8, 9, 10, 11), __builtin_shufflevector(m.all, m.all, 12, 13, 14, 15)};
}
#elif SUPPLE_KERNEL_WIDTH == 8
struct Matrix {
  Float8 xy, zt;
};
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) {
  const Float8 w = _mm256_set1_ps(weight);
  return {load<Float8>(joint) * w, load<Float8>(joint + 8) * w};
}
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  const Float8 w = _mm256_set1_ps(weight);
  m.xy += load<Float8>(joint) * w;
  m.zt += load<Float8>(joint + 8) * w;
}
SUPPLE_INLINE Columns columns(const Matrix& m) {
  return {_mm256_castps256_ps128(m.xy), _mm256_extractf128_ps(m.xy, 1), _mm256_castps256_ps128(m.zt),
          _mm256_extractf128_ps(m.zt, 1)};
}
#else
using Matrix = Columns;
SUPPLE_INLINE Matrix weighted(const float* joint, float weight) {
  const Float4 w = splat4(weight);
  return {load<Float4>(joint) * w, load<Float4>(joint + 4) * w, load<Float4>(joint + 8) * w,
          load<Float4>(joint + 12) * w};
}
SUPPLE_INLINE void add_weighted(Matrix& m, const float* joint, float weight) {
  const Float4 w = splat4(weight);
  m.x += load<Float4>(joint) * w;
  m.y += load<Float4>(joint + 4) * w;
  m.z += load<Float4>(joint + 8) * w;
  m.t += load<Float4>(joint + 12) * w;
}
SUPPLE_INLINE Columns columns(const Matrix& m) { return m; }
#endif

SUPPLE_INLINE Float4 apply_vector(const Columns& m, const float* v) {
  return m.x * splat4(v[0]) + m.y * splat4(v[1]) + m.z * splat4(v[2]);
}
SUPPLE_INLINE Float4 apply_point(const Columns& m, const float* v) {
  return m.t + m.x * splat4(v[0]) + m.y * splat4(v[1]) + m.z * splat4(v[2]);
}
/// The normal under the inverse transpose, up to a positive factor: cofactor matrix times the sign of the determinant.
SUPPLE_INLINE Float4 apply_inverse_transpose(const Columns& m, const float* n) {
  const Float4 yz = cross3(m.y, m.z);
  const Float4 r = yz * splat4(n[0]) + cross3(m.z, m.x) * splat4(n[1]) + cross3(m.x, m.y) * splat4(n[2]);
  const Float4 d = m.x * yz;
  return d[0] + d[1] + d[2] < 0.0f ? -r : r;
}

/// Influences > 0: known when compiled; 0: read from the batch.
template <int Influences>
SUPPLE_INLINE Columns blend(const Batch& b, std::size_t vertex) {
  const std::size_t n = Influences > 0 ? Influences : b.influences;
  const std::uint16_t* joints = b.joints + vertex * n;
  const float* weights = b.weights + vertex * n;
  Matrix m = weighted(b.palette + std::size_t{joints[0]} * 16, weights[0]);
  for (std::size_t i = 1; i < n; ++i) add_weighted(m, b.palette + std::size_t{joints[i]} * 16, weights[i]);
  return columns(m);
}

struct Skinned {
  Float4 p, n, t;
};

template <int Influences, Outputs Out, bool InverseTranspose>
SUPPLE_INLINE Skinned linear_vertex(const Batch& b, std::size_t v) {
  const Columns m = blend<Influences>(b, v);
  Skinned r;
  r.p = apply_point(m, b.positions.in + v * b.positions.in_stride);
  if constexpr (Out != Outputs::p) {
    const float* normal = b.normals.in + v * b.normals.in_stride;
    r.n = InverseTranspose ? apply_inverse_transpose(m, normal) : apply_vector(m, normal);
  }
  if constexpr (Out == Outputs::pnt) r.t = apply_vector(m, b.tangents.in + v * b.tangents.in_stride);
  return r;
}

/// Up to four vertices at a time: their unit vectors share one square root and one division. All four are read before
/// any is written, so that in place works; the last live one stands in for those beyond the end.
template <int Influences, Outputs Out, bool InverseTranspose>
SUPPLE_INLINE void linear_group(const Batch& b, std::size_t vertex, int live) {
  const auto at = [&](int i) {
    return linear_vertex<Influences, Out, InverseTranspose>(b,
                                                            vertex + static_cast<std::size_t>(i < live ? i : live - 1));
  };
  const Skinned v0 = at(0), v1 = at(1), v2 = at(2), v3 = at(3);
  store(b.positions, vertex, live, v0.p, v1.p, v2.p, v3.p);
  if constexpr (Out != Outputs::p) store_unit(b.normals, vertex, live, v0.n, v1.n, v2.n, v3.n);
  if constexpr (Out == Outputs::pnt) {
    copy_handedness(b.tangents, vertex, live);
    store_unit(b.tangents, vertex, live, v0.t, v1.t, v2.t, v3.t);
  }
}

template <int Influences, Outputs Out, bool InverseTranspose>
void linear_run(const Batch& batch) {
  for_groups(
      batch,
      [](const Batch& b, std::size_t v, int live)
          SUPPLE_FLATTEN { linear_group<Influences, Out, InverseTranspose>(b, v, live); },
      [](const Batch& b, std::size_t v) {
        if constexpr (Influences > 0) return skin_tail(b, v, linear_run<Influences, Out, InverseTranspose>);
        linear_group<0, Out, InverseTranspose>(b, v, static_cast<int>(b.vertices - v));
      });
}

template <int Influences, Outputs Out, bool InverseTranspose>
void linear_loop(const Batch& b) {
  constexpr SkinRun run = linear_run<Influences, Out, InverseTranspose>;
  return b.offsets == nullptr ? run(b) : skin_morphed<Out>(b, run);
}

template <int Influences>
void linear_outputs(const Batch& b) {
  if (b.normals.in == nullptr) return linear_loop<Influences, Outputs::p, false>(b);
  if (b.tangents.in == nullptr) {
    return b.inverse_transpose ? linear_loop<Influences, Outputs::pn, true>(b)
                               : linear_loop<Influences, Outputs::pn, false>(b);
  }
  return b.inverse_transpose ? linear_loop<Influences, Outputs::pnt, true>(b)
                             : linear_loop<Influences, Outputs::pnt, false>(b);
}
