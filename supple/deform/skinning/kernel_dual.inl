// Dual quaternions: blended per vertex, applied to four vertices side by side. Included by kernel.inl only.

struct Dual {
  Float4 real, dual;
};

/// With `Check`, every joint is taken in the hemisphere of the heaviest one, the first: q and -q are one rotation.
template <int Influences, bool Check>
SUPPLE_INLINE Dual blend_dual(const Batch& b, std::size_t vertex) {
  const std::size_t n = Influences > 0 ? Influences : b.influences;
  const std::uint16_t* joints = b.joints + vertex * n;
  const float* weights = b.weights + vertex * n;
  const float* first = b.palette + std::size_t{joints[0]} * 16;
#if SUPPLE_KERNEL_WIDTH >= 8
  if constexpr (!Check) {
    Float8 sum = load<Float8>(first) * _mm256_set1_ps(weights[0]);
    for (std::size_t i = 1; i < n; ++i) {
      sum += load<Float8>(b.palette + std::size_t{joints[i]} * 16) * _mm256_set1_ps(weights[i]);
    }
    return {_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)};
  }
#endif
  const Float4 pivot = load<Float4>(first);
  Dual q{pivot * splat4(weights[0]), load<Float4>(first + 4) * splat4(weights[0])};
  for (std::size_t i = 1; i < n; ++i) {
    const float* joint = b.palette + std::size_t{joints[i]} * 16;
    const Float4 real = load<Float4>(joint);
    Float4 w = splat4(weights[i]);
    if constexpr (Check) {
      const Float4 product = real * pivot;
      const Float4 pairs = product + __builtin_shufflevector(product, product, 1, 0, 3, 2);
      const Float4 cosine = pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
      w = (Float4)((Int4)w ^ ((Int4)cosine & (Int4)splat4(-0.0f)));
    }
    q.real += real * w;
    q.dual += load<Float4>(joint + 4) * w;
  }
  return q;
}

/// Three coordinates of four vectors.
struct Vectors4 {
  Float4 x, y, z;
};
SUPPLE_INLINE Vectors4 cross(const Vectors4& a, const Vectors4& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SUPPLE_INLINE Vectors4 gather(const Stream& s, std::size_t vertex, int live) {
  const float* in = s.in + vertex * s.in_stride;
  Float4 a = load3(in), b = load3(in + (live > 1 ? s.in_stride : 0)), c = load3(in + (live > 2 ? 2 * s.in_stride : 0)),
         d = load3(in + (live > 3 ? 3 * s.in_stride : 0));
  transpose(a, b, c, d);
  return {a, b, c};
}
SUPPLE_INLINE void scatter(const Stream& s, std::size_t vertex, int live, const Vectors4& v) {
  Float4 a = v.x, b = v.y, c = v.z, d = v.z;
  transpose(a, b, c, d);
  store(s, vertex, live, a, b, c, d);
}
/// v + 2 r x (r x v + w v), r = unit quaternion (x, y, z), w its real part
SUPPLE_INLINE Vectors4 rotate(const Vectors4& r, Float4 w, const Vectors4& v) {
  Vectors4 c = cross(r, v);
  c = {c.x + w * v.x, c.y + w * v.y, c.z + w * v.z};
  const Vectors4 d = cross(r, c);
  return {v.x + (d.x + d.x), v.y + (d.y + d.y), v.z + (d.z + d.z)};
}
SUPPLE_INLINE Vectors4 unit(const Vectors4& v) {
  const Float4 s = inverse_square_root(v.x * v.x + v.y * v.y + v.z * v.z);
  return {v.x * s, v.y * s, v.z * s};
}

template <int Influences, Outputs Out, bool Check>
SUPPLE_INLINE void dual_group(const Batch& b, std::size_t vertex, int live) {
  const auto at = [&](int i) {
    return blend_dual<Influences, Check>(b, vertex + static_cast<std::size_t>(i < live ? i : live - 1));
  };
  const Dual q0 = at(0), q1 = at(1), q2 = at(2), q3 = at(3);
  Float4 r[4] = {q0.real, q1.real, q2.real, q3.real}, d[4] = {q0.dual, q1.dual, q2.dual, q3.dual};
  transpose(r[0], r[1], r[2], r[3]);
  transpose(d[0], d[1], d[2], d[3]);
  const Float4 scale = inverse_square_root(r[0] * r[0] + r[1] * r[1] + (r[2] * r[2] + r[3] * r[3]));
  for (int i = 0; i < 4; ++i) {
    r[i] *= scale;
    d[i] *= scale;
  }
  const Vectors4 real{r[0], r[1], r[2]}, dual{d[0], d[1], d[2]};
  // translation = 2 dual conjugate(real)
  const Vectors4 c = cross(real, dual);
  const Float4 two = splat4(2.0f);
  const Vectors4 t{two * (r[3] * dual.x - d[3] * real.x + c.x), two * (r[3] * dual.y - d[3] * real.y + c.y),
                   two * (r[3] * dual.z - d[3] * real.z + c.z)};
  const Vectors4 p = rotate(real, r[3], gather(b.positions, vertex, live));
  Vectors4 n, g;
  if constexpr (Out != Outputs::p) n = unit(rotate(real, r[3], gather(b.normals, vertex, live)));
  if constexpr (Out == Outputs::pnt) g = unit(rotate(real, r[3], gather(b.tangents, vertex, live)));
  scatter(b.positions, vertex, live, {p.x + t.x, p.y + t.y, p.z + t.z});
  if constexpr (Out != Outputs::p) scatter(b.normals, vertex, live, n);
  if constexpr (Out == Outputs::pnt) {
    copy_handedness(b.tangents, vertex, live);
    scatter(b.tangents, vertex, live, g);
  }
}

template <int Influences, Outputs Out, bool Check>
void dual_run(const Batch& batch) {
  for_groups(
      batch,
      [](const Batch& b, std::size_t v, int live) SUPPLE_FLATTEN { dual_group<Influences, Out, Check>(b, v, live); },
      [](const Batch& b, std::size_t v) {
        if constexpr (Influences > 0) return skin_tail(b, v, dual_run<Influences, Out, Check>);
        dual_group<0, Out, Check>(b, v, static_cast<int>(b.vertices - v));
      });
}

template <int Influences, Outputs Out, bool Check>
void dual_loop(const Batch& b) {
  constexpr SkinRun run = dual_run<Influences, Out, Check>;
  return b.offsets == nullptr ? run(b) : skin_morphed<Out>(b, run);
}

template <int Influences, bool Check>
void dual_checked(const Batch& b) {
  if (b.normals.in == nullptr) return dual_loop<Influences, Outputs::p, Check>(b);
  if (b.tangents.in == nullptr) return dual_loop<Influences, Outputs::pn, Check>(b);
  return dual_loop<Influences, Outputs::pnt, Check>(b);
}

template <int Influences>
void dual_outputs(const Batch& b) {
  return Influences == 1 || b.one_hemisphere ? dual_checked<Influences, false>(b) : dual_checked<Influences, true>(b);
}
