// Slopes of a loss by posed vertices to slopes by palettes and weights.
#pragma once

#include "supple/gpu/cuda/slope_stage.cuh"

namespace supple::gpu {

/// Three numbers of a lane's vertices of eight, from the stage.
__device__ __forceinline__ void get_three(const float* stage, unsigned g, PairNumber (&three)[3]) {
#pragma unroll
  for (unsigned half = 0; half < 2; ++half) {
    const float2* const from =
        reinterpret_cast<const float2*>(stage + SlopeStage::place(g + 8 * half, threadIdx.x % 4, 0));
    const float2 first = from[0], second = from[1], third = from[2];
    const unsigned i = 2 * half;
    three[0][i] = first.x, three[1][i] = first.y, three[2][i] = second.x;
    three[0][i + 1] = second.y, three[1][i + 1] = third.x, three[2][i + 1] = third.y;
  }
}

/// A lane's numbers as the first factor of a product that sums over eight vertices.
__device__ __forceinline__ Split<4> by_vertex(const PairNumber& x) { return Split<4>({x[0], x[2], x[1], x[3]}); }

__device__ __forceinline__ void add_four(float* to, float x, float y, float z, float w) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float4*>(to), float4{x, y, z, w});
#else
  atomicAdd(to, x), atomicAdd(to + 1, y), atomicAdd(to + 2, z), atomicAdd(to + 3, w);
#endif
}

/// Sums over vertices that a warp adds up before they go to memory: of its first rows of weights and morph targets.
struct SlopeSums {
  PairNumber matrices[12] = {};  // of rows 2 t and 2 t + 1 in poses g and g + 8
  PairNumber weights = {};       // of entries likewise
};

/// `Terms`: see TileLane.
template <unsigned Terms, bool Aligned>
struct SlopesOfGroup : GroupSlopes {
  using Lane = TileLane<3, Terms, true>;

  /// Adds sums of rows from `row` on to the slopes by palettes: numbers `first` to first + 3 of matrices. This lane has
  /// rows 2 t and 2 t + 1, which lie at `slots`.
  __device__ __forceinline__ void add_four_numbers(const Lane& own, unsigned row, const std::uint32_t (&slots)[2],
                                                   unsigned first, const PairNumber (&sums)[4]) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      float x[4];
#pragma unroll
      for (unsigned c = 0; c < 4; ++c)  // with four rows the other lanes have what their weights' low parts add
        x[c] = Terms == 1 ? sums[c][i] + __shfl_xor_sync(~0u, sums[c][i], 2) : sums[c][i];
      const unsigned at = own.g + i / 2 * 8, r = row + 2 * own.lane_t + i % 2;
      if (at >= poses || r >= own.rows) continue;
      add_four(palette_slopes + (at * own.t.palette_size + slots[i % 2]) * 12 + first, x[0], x[1], x[2], x[3]);
    }
  }
  __device__ __forceinline__ void find_slots(const Lane& own, unsigned row, std::uint32_t (&slots)[2]) const {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned r = row + 2 * own.lane_t + i;
      slots[i] = own.t.row_slots[own.first_row + (r < own.rows ? r : 0)];
    }
  }
  __device__ __forceinline__ void add_matrices(const Lane& own, const std::uint32_t (&slots)[2],
                                               const PairNumber (&sums)[12]) const {
#pragma unroll
    for (unsigned k = 0; k < 12; k += 4) {
      PairNumber four[4];
#pragma unroll
      for (unsigned c = 0; c < 4; ++c)
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) four[c][i] = sums[k + c][i];
      add_four_numbers(own, 0, slots, k, four);
    }
  }
  /// Where sums of morph targets go, of entries 2 t and 2 t + 1, and in which unit.
  struct Targets {
    std::uint32_t number[2];
    float size[2];

    __device__ Targets(const Lane& own, unsigned entry) {
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) {
        const unsigned e = entry + 2 * own.lane_t + i;
        number[i] = 0, size[i] = 0;
        if (e >= own.entries) continue;
        number[i] = own.t.entry_targets[own.first_entry + e];
        size[i] = own.t.target_sizes[number[i]] * own.t.matrix_size;
      }
    }
  };
  __device__ __forceinline__ void add_weights(const Lane& own, unsigned entry, const Targets& targets,
                                              const PairNumber& sums) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned at = own.g + i / 2 * 8, e = entry + 2 * own.lane_t + i % 2;
      if (at >= poses || e >= own.entries) continue;
      atomicAdd(weight_slopes + at * own.t.target_count + targets.number[i % 2], sums[i] * targets.size[i % 2]);
    }
  }

  /// Weights of a lane's two vertices in row g, as the second factor of products. Where there are four rows the low
  /// parts of their weights are four more.
  struct RowWeights {
    Split<2> both;
    float parts[2];

    __device__ RowWeights(const Lane& own, const float2& weights) : both({weights.x, weights.y}) {
      const bool is_low = Terms == 1 && own.g >= 4;
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) parts[i] = is_low ? both.low[i] : both.high[i];
    }
  };
  /// Number `k` of slopes by matrices times weights, summed over eight vertices.
  template <class Slopes>
  static __device__ __forceinline__ void sum_number(const RowWeights& weights, const Slopes& slopes, unsigned k,
                                                    PairNumber& sum) {
    PairNumber by_matrix;
    slopes.find(k, by_matrix);
    const Split<4> of_poses = by_vertex(by_matrix);
    if constexpr (Terms == 1) {
      multiply_add(sum, of_poses.low, weights.parts);
      multiply_add(sum, of_poses.high, weights.parts);
    } else {
      multiply_add(sum, of_poses, weights.both);
    }
  }
  static __device__ __forceinline__ float2 read_row(const Lane& own, unsigned first) {
    const unsigned r = own.g % own.tile_rows;
    if (r >= own.rows) return {0, 0};
    return *reinterpret_cast<const float2*>(own.tables.row_weights + r * group_vertices + first + 2 * own.lane_t);
  }
  static __device__ __forceinline__ float2 later_row(const Lane& own, unsigned first, unsigned row) {
    const unsigned r = row + own.g;
    if (r >= own.rows) return {0, 0};
    return __ldg(reinterpret_cast<const float2*>(own.t.row_weights + std::size_t{own.first_row + r} * group_vertices +
                                                 first + 2 * own.lane_t));
  }

  /// Slopes by vertices at rest times offsets, likewise. Of entry g this lane has vertices 2 t and 2 t + 1; entries
  /// beyond the last are 0. `offsets` are those of eight entries and all vertices of the group.
  static __device__ __forceinline__ void sum_weights(const Lane& own, const uint4* offsets, unsigned first,
                                                     const PairNumber (&six)[6], float (&sums)[4]) {
    const std::size_t lane = packed_place(0, first / 8, 8 * own.lane_t + own.g % 4);
    const uint2* const from = reinterpret_cast<const uint2*>(offsets) + 2 * lane + own.g / 4;
    PairNumber apart = {0, 0, 0, 0};  // two sums, neither of which waits for the other
#pragma unroll
    for (unsigned c = 0; c < 6; c += 2) {
      const uint2 x = from[c / 2 * 64], y = from[c / 2 * 64 + 8];
      multiply_add(sums, by_vertex(six[c]), Split<2>({x.x, y.x}));
      multiply_add(apart, by_vertex(six[c + 1]), Split<2>({x.y, y.y}));
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) sums[i] += apart[i];
  }

  /// Slopes by the blended matrices of a lane's vertices: what positions and carried normals have to do with them.
  template <bool MayScale>
  struct MatrixSlopes {
    const PairNumber (&rest)[6], (&by_position)[3], (&by_carried)[3], (&by_normals)[12];

    __device__ __forceinline__ void find(unsigned k, PairNumber& made) const {
      const unsigned r = k / 4, c = k % 4;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        made[i] = by_position[r][i];
        if (c < 3)
          made[i] = made[i] * rest[c % 3][i] + (MayScale ? by_normals[k][i] : by_carried[r][i] * rest[3 + c % 3][i]);
      }
    }
  };

  /// Whether the pose of vertex `i` of a lane scales.
  template <bool MayScale>
  __device__ __forceinline__ bool scales(unsigned g, unsigned i) const {
    return MayScale && (scaled >> (g + i / 2 * 8) & 1) != 0;
  }

  /// Matrices as TileMatrices has them, in shared memory: registers are wanted for more warps.
  struct StagedMatrices {
    std::uint32_t* words;  // of this lane

    __device__ StagedMatrices(float4* of_warp, const TileMatrices<Terms>& matrices)
        : words(reinterpret_cast<std::uint32_t*>(of_warp) + threadIdx.x % 32 * 2 * Terms) {
#pragma unroll
      for (unsigned k = 0; k < 12; ++k)
        if (k % 4 < 3)
          for (unsigned i = 0; i < 2 * Terms; i += 2)
            *reinterpret_cast<uint2*>(place(k) + i) = {matrices.words[k][i], matrices.words[k][i + 1]};
    }
    __device__ std::uint32_t* place(unsigned k) const { return words + (k / 4 * 3 + k % 4) * 32 * 2 * Terms; }
    __device__ __forceinline__ void get(unsigned k, std::uint32_t (&to)[2 * Terms]) const {
#pragma unroll
      for (unsigned i = 0; i < 2 * Terms; i += 2) {
        const uint2 two = *reinterpret_cast<const uint2*>(place(k) + i);
        to[i] = two.x, to[i + 1] = two.y;
      }
    }
  };

  /// Vertices `first` to first + 7 of the group; `staged` has their slopes. Matrices are in units of their size, and
  /// slopes by carried normals likewise: what comes of them is made good where weights are added up.
  template <bool MayScale>
  __device__ __forceinline__ void of_eight(const Lane& own, const StagedMatrices& matrices, const TileTargets& targets,
                                           unsigned first, const float* staged, SlopeSums& sums) const {
    PairNumber six[6], m[12], by_position[3], by_carried[3];
    const EightVertices<Terms> eight = own.read(first);
    own.blend(first, eight.weights, matrices, m);
    own.morph(first, eight, targets, six);
    get_three(staged + SlopeStage::size, own.g, by_carried);
    get_three(staged, own.g, by_position);
    const auto carrier = [&](unsigned i) {
      return carrier_of_normals(matrix_of(m, i).linear, scales<MayScale>(own.g, i));
    };
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      put_three_of(by_carried, 0, i,
                   over_size * slopes_by_carried(carrier(i), three_of(six, 3, i), three_of(by_carried, 0, i)));
    if (own.entries > 0) {
      PairNumber by_rest[6];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {  // by offsets in units of the size
        put_three_of(by_rest, 0, i, own.t.size * times_transposed(matrix_of(m, i).linear, three_of(by_position, 0, i)));
        put_three_of(by_rest, 3, i, times_transposed(carrier(i), three_of(by_carried, 0, i)));
      }
      sum_weights(own, own.tables.offsets, first, by_rest, sums.weights);
      for (unsigned entry = tile_entries; entry < own.entries; entry += tile_entries) {
        float more[4] = {};
        const std::size_t eight_entries = own.t.packed_first[group] + entry / tile_entries;
        sum_weights(own, reinterpret_cast<const uint4*>(own.t.packed_offsets) + packed_place(eight_entries, 0, 0),
                    first, by_rest, more);
        add_weights(own, entry, Targets(own, entry), more);
      }
    }
    if constexpr (MayScale) {
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        float rows[12];
        put_rows(Affine<float>{slopes_by_matrix(matrix_of(m, i).linear, scales<MayScale>(own.g, i), three_of(six, 3, i),
                                                three_of(by_carried, 0, i)),
                               {}},
                 rows);
#pragma unroll
        for (unsigned k = 0; k < 12; ++k) m[k][i] = rows[k];
      }
    }
    const MatrixSlopes<MayScale> slopes{six, by_position, by_carried, m};
    const RowWeights first_rows(own, read_row(own, first));
#pragma unroll
    for (unsigned k = 0; k < 12; ++k) sum_number(first_rows, slopes, k, sums.matrices[k]);
    for (unsigned row = 8; row < own.rows; row += 8) {
      const RowWeights more(own, later_row(own, first, row));
      std::uint32_t slots[2];
      find_slots(own, row, slots);
#pragma unroll
      for (unsigned k = 0; k < 12; k += 4) {
        PairNumber four[4] = {};
#pragma unroll
        for (unsigned c = 0; c < 4; ++c) sum_number(more, slopes, k + c, four[c]);
        add_four_numbers(own, row, slots, k, four);
      }
    }
  }

  /// After the group's tables and the first slopes were asked for.
  template <bool MayScale>
  __device__ __forceinline__ void run() const {
    const Lane own(w, tables, group, tile);
    const unsigned vertices = ::min(group_vertices, own.t.vertex_count - group * group_vertices);
    SlopeSums sums;
    std::uint32_t slots[2];
    find_slots(own, 0, slots);
    const Targets of_sums(own, 0);
    const StagedMatrices matrices(stage + slope_stage, own.first_matrices());
    const TileTargets targets = own.find_targets(0);
#pragma unroll 1
    for (unsigned first = 0; first < vertices; first += SlopeStage::vertices) {
      this->template fetch<Aligned>(first + SlopeStage::vertices);
      wait_for_copies();
      __syncwarp();
      of_eight<MayScale>(own, matrices, targets, first, stage_of(first), sums);
      __syncwarp();
    }
    add_matrices(own, slots, sums.matrices);
    add_weights(own, 0, of_sums, sums.weights);
  }
};

template <bool Aligned>
__global__ void __launch_bounds__(32 * slope_warps, slope_blocks)
    differentiate_vertices(const __grid_constant__ VertexWork w, const float* position_slopes,
                           const float* normal_slopes, float* palette_slopes, float* weight_slopes) {
  extern __shared__ float4 shared[];
  let_next_kernel_come();
  const unsigned warp = warp_number(), tile = blockIdx.y * slope_warps + warp, group = blockIdx.x;
  const unsigned first_pose = tile * tile_poses;
  const BatchView& t = w.tables;
  const GroupTables tables(reinterpret_cast<const float*>(shared), reinterpret_cast<const float*>(shared + rest_stage),
                           reinterpret_cast<const uint4*>(shared + rest_stage + row_stage));
  const std::size_t first = std::size_t{3} * (std::size_t{t.vertex_count} * first_pose + group * group_vertices);
  GroupSlopes slopes{w,
                     tables,
                     group,
                     tile,
                     0,
                     first_pose < w.poses ? ::min(tile_poses, w.poses - first_pose) : 0,
                     shared + group_stage + warp * warp_stage,
                     offset_or_null(position_slopes, first),
                     offset_or_null(normal_slopes, first),
                     palette_slopes + std::size_t{first_pose} * t.palette_size * 12,
                     weight_slopes + std::size_t{first_pose} * t.target_count,
                     1 / t.matrix_size};
  stage_group(t, group, shared);
  if (slopes.poses > 0) slopes.fetch<Aligned>(0);
  wait_for_all_copies();
  __syncthreads();
  if (slopes.poses == 0) return;
  slopes.scaled = scaled_poses(w, tile);
  const bool many_rows = t.row_first[group + 1] - t.row_first[group] > 4;
  if (slopes.scaled != 0)
    SlopesOfGroup<2, Aligned>{slopes}.template run<true>();
  else if (many_rows)
    SlopesOfGroup<2, Aligned>{slopes}.template run<false>();
  else
    SlopesOfGroup<1, Aligned>{slopes}.template run<false>();
}

}  // namespace supple::gpu
