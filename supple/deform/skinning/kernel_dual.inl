// Dual quaternions, vertex by vertex, for blocks with many joints: blended one by one, applied to four vertices side by
// side. Included by kernel.inl only.

struct Dual {
  Float4 real, dual;
};

/// With `Check`, every joint is taken in the hemisphere of the heaviest one, the first: q and -q are one rotation.
template <bool Check>
SUPPLE_INLINE Dual blend_dual(const Batch& b, std::size_t vertex) {
  const std::size_t n = b.influences;
  const std::uint16_t* joints = b.joints + vertex * n;
  const float* weights = b.weights + vertex * n;
  const float* first = b.palette + std::size_t{joints[0]} * 16;
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
    q.real = multiply_add(real, w, q.real);
    q.dual = multiply_add(load<Float4>(joint + 4), w, q.dual);
  }
  return q;
}

typedef Coordinates<Float4> Vectors4;
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

template <Outputs Out, bool Check>
SUPPLE_INLINE void dual_group(const Batch& b, std::size_t vertex, int live) {
  const auto at = [&](int i) {
    return blend_dual<Check>(b, vertex + static_cast<std::size_t>(i < live ? i : live - 1));
  };
  const Dual q0 = at(0), q1 = at(1), q2 = at(2), q3 = at(3);
  Duals<Float4> q{{q0.real, q1.real, q2.real, q3.real}, {q0.dual, q1.dual, q2.dual, q3.dual}};
  transpose(q.real[0], q.real[1], q.real[2], q.real[3]);
  transpose(q.dual[0], q.dual[1], q.dual[2], q.dual[3]);
  const RigidMotions<Float4> m = motions(q);
  const Vectors4 p = apply_point(m, gather(b.positions, vertex, live));
  Vectors4 n, t;
  if constexpr (Out != Outputs::p) n = unit(apply_vector(m, gather(b.normals, vertex, live)));
  if constexpr (Out == Outputs::pnt) t = unit(apply_vector(m, gather(b.tangents, vertex, live)));
  scatter(b.positions, vertex, live, p);
  if constexpr (Out != Outputs::p) scatter(b.normals, vertex, live, n);
  if constexpr (Out == Outputs::pnt) {
    copy_handedness(b.tangents, vertex, live);
    scatter(b.tangents, vertex, live, t);
  }
}

template <Outputs Out, bool Check>
void dual_run(const Batch& batch) {
  const auto group = [](const Batch& b, std::size_t v, int live) SUPPLE_FLATTEN { dual_group<Out, Check>(b, v, live); };
  for_groups(batch, group,
             [](const Batch& b, std::size_t v) { dual_group<Out, Check>(b, v, static_cast<int>(b.vertices - v)); });
}

template <Outputs Out, bool Check>
void dual_loop(const Batch& b) {
  constexpr SkinRun run = dual_run<Out, Check>;
  return b.offsets == nullptr ? run(b) : skin_morphed<Out>(b, run);
}

template <bool Check>
void dual_outputs(const Batch& b) {
  if (b.normals.in == nullptr) return dual_loop<Outputs::p, Check>(b);
  return b.tangents.in == nullptr ? dual_loop<Outputs::pn, Check>(b) : dual_loop<Outputs::pnt, Check>(b);
}
