// Linear blend of blocks: a lane has a vertex's own matrix, blended from numbers that all lanes share. Included by
// kernel.inl only.

struct LaneMatrix {
  LaneVectors columns[4];
};

/// sum += weight * three numbers of a joint
SUPPLE_INLINE void add_column(const float* numbers, Lanes weight, LaneVectors& sum) {
#if SUPPLE_KERNEL_WIDTH == 4 && (defined(__SSE2__) || defined(__ARM_NEON))
  // Loaded once and spread from there: NEON multiplies by one lane of a register, SSE2 has no broadcasting load.
  const Float4 column = load<Float4>(numbers);
  sum = {multiply_add(splat_lane<0>(column), weight, sum.x), multiply_add(splat_lane<1>(column), weight, sum.y),
         multiply_add(splat_lane<2>(column), weight, sum.z)};
#else
  sum = {multiply_add(splat(numbers[0]), weight, sum.x), multiply_add(splat(numbers[1]), weight, sum.y),
         multiply_add(splat(numbers[2]), weight, sum.z)};
#endif
}

SUPPLE_INLINE LaneMatrix blend_lanes(const LaneJoints& joints) {
  const LaneVectors zero{splat(0.0f), splat(0.0f), splat(0.0f)};
  LaneMatrix m{{zero, zero, zero, zero}};
  for_joints(joints, [&](const float* joint, Lanes weight) SUPPLE_FLATTEN {
    for (int c = 0; c < 4; ++c) add_column(joint + 4 * c, weight, m.columns[c]);
  });
  return m;
}

SUPPLE_INLINE LaneVectors apply_vector(const LaneMatrix& m, const LaneVectors& v) {
  return moved(moved(scaled(m.columns[2], v.z), v.y, m.columns[1]), v.x, m.columns[0]);
}
SUPPLE_INLINE LaneVectors apply_point(const LaneMatrix& m, const LaneVectors& v) {
  return moved(moved(moved(m.columns[3], v.z, m.columns[2]), v.y, m.columns[1]), v.x, m.columns[0]);
}
/// The normal under the inverse transpose, up to a positive factor: cofactor matrix times the sign of the determinant.
SUPPLE_INLINE LaneVectors apply_inverse_transpose(const LaneMatrix& m, const LaneVectors& n) {
  const LaneVectors yz = cross(m.columns[1], m.columns[2]), zx = cross(m.columns[2], m.columns[0]),
                    xy = cross(m.columns[0], m.columns[1]);
  const LaneVectors r = moved(moved(scaled(xy, n.z), n.y, zx), n.x, yz);
  const IntLanes mirrored = (IntLanes)(dot(m.columns[0], yz) < splat(0.0f)) & (IntLanes)splat(-0.0f);
  const auto turned = [&](Lanes v) SUPPLE_FLATTEN { return (Lanes)((IntLanes)v ^ mirrored); };
  return {turned(r.x), turned(r.y), turned(r.z)};
}

template <Outputs Out, bool InverseTranspose>
void linear_blocks_run(const Batch& batch) {
  skin_blocks<Out>(batch, linear_blocks_run<Out, InverseTranspose>,
                   [](const LaneJoints& joints, LaneVectors& p, LaneVectors& n, LaneVectors& t) SUPPLE_FLATTEN {
                     const LaneMatrix m = blend_lanes(joints);
                     p = apply_point(m, p);
                     if constexpr (Out != Outputs::p)
                       n = unit(InverseTranspose ? apply_inverse_transpose(m, n) : apply_vector(m, n));
                     if constexpr (Out == Outputs::pnt) t = unit(apply_vector(m, t));
                   });
}

void linear_blocks(const Batch& b) {
  if (b.normals.in == nullptr) return linear_blocks_run<Outputs::p, false>(b);
  if (b.tangents.in == nullptr)
    return b.inverse_transpose ? linear_blocks_run<Outputs::pn, true>(b) : linear_blocks_run<Outputs::pn, false>(b);
  return b.inverse_transpose ? linear_blocks_run<Outputs::pnt, true>(b) : linear_blocks_run<Outputs::pnt, false>(b);
}
