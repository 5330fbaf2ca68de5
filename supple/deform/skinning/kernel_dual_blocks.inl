// Dual quaternions of blocks: a lane has a vertex's own, blended from numbers that all lanes share. Included by
// kernel.inl only.

/// sum += weight * four numbers of a joint
SUPPLE_INLINE void add_quaternion(const float* numbers, Lanes weight, Lanes (&sum)[4]) {
#if SUPPLE_KERNEL_WIDTH == 4 && (defined(__SSE2__) || defined(__ARM_NEON))
  const Float4 all = load<Float4>(numbers);  // see add_column
  sum[0] = multiply_add(splat_lane<0>(all), weight, sum[0]);
  sum[1] = multiply_add(splat_lane<1>(all), weight, sum[1]);
  sum[2] = multiply_add(splat_lane<2>(all), weight, sum[2]);
  sum[3] = multiply_add(splat_lane<3>(all), weight, sum[3]);
#else
  for (int i = 0; i < 4; ++i) sum[i] = multiply_add(splat(numbers[i]), weight, sum[i]);
#endif
}
SUPPLE_INLINE Lanes where(IntLanes mask, Lanes yes, Lanes no) {
  return (Lanes)(((IntLanes)yes & mask) | ((IntLanes)no & ~mask));
}

/// The quaternion of each vertex's heaviest joint; of equal ones the first, as weights are sorted.
struct Pivots {
  Lanes q[4];
};
SUPPLE_INLINE Pivots pivots(const LaneJoints& joints) {
  Pivots p{};
  Lanes heaviest = splat(0.0f);
  for_joints(joints, [&](const float* joint, Lanes weight) SUPPLE_FLATTEN {
    const IntLanes heavier = (IntLanes)(weight > heaviest);
    heaviest = where(heavier, weight, heaviest);
    for (int i = 0; i < 4; ++i) p.q[i] = where(heavier, splat(joint[i]), p.q[i]);
  });
  return p;
}

/// With `Check`, every joint is taken in the hemisphere of the heaviest one: q and -q are one rotation.
template <bool Check>
SUPPLE_INLINE Duals<Lanes> blend_dual_lanes(const LaneJoints& joints) {
  Duals<Lanes> sum{};
  Pivots pivot;
  if constexpr (Check) pivot = pivots(joints);
  for_joints(joints, [&](const float* joint, Lanes weight) SUPPLE_FLATTEN {
    if constexpr (Check) {
      Lanes cosine = splat(joint[0]) * pivot.q[0];
      for (int i = 1; i < 4; ++i) cosine = multiply_add(splat(joint[i]), pivot.q[i], cosine);
      weight = (Lanes)((IntLanes)weight ^ ((IntLanes)cosine & (IntLanes)splat(-0.0f)));
    }
    add_quaternion(joint, weight, sum.real);
    add_quaternion(joint + 4, weight, sum.dual);
  });
  return sum;
}

template <Outputs Out, bool Check>
void dual_blocks_run(const Batch& batch) {
  skin_blocks<Out>(batch, dual_blocks_run<Out, Check>,
                   [](const LaneJoints& joints, LaneVectors& p, LaneVectors& n, LaneVectors& t) SUPPLE_FLATTEN {
                     const RigidMotions<Lanes> m = motions(blend_dual_lanes<Check>(joints));
                     p = apply_point(m, p);
                     if constexpr (Out != Outputs::p) n = unit(apply_vector(m, n));
                     if constexpr (Out == Outputs::pnt) t = unit(apply_vector(m, t));
                   });
}

template <bool Check>
void dual_blocks_checked(const Batch& b) {
  if (b.normals.in == nullptr) return dual_blocks_run<Outputs::p, Check>(b);
  return b.tangents.in == nullptr ? dual_blocks_run<Outputs::pn, Check>(b) : dual_blocks_run<Outputs::pnt, Check>(b);
}

void dual_blocks(const Batch& b) {
  return b.one_hemisphere ? dual_blocks_checked<false>(b) : dual_blocks_checked<true>(b);
}
