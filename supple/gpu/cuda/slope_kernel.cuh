// Slopes of a loss by posed vertices to slopes by palettes and weights.
#pragma once

#include "supple/gpu/cuda/vertex_tile.cuh"

namespace supple::gpu {

inline constexpr unsigned slope_warps = 2, slope_blocks = 4;  // see skin_warps
inline constexpr unsigned slope_stage = 4 * stage_size;       // floats of a warp

/// Copies numbers into shared memory in the background.
template <unsigned Bytes>
__device__ __forceinline__ void copy_async(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes) : "memory");
}
/// Ends what is to be waited for together.
__device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for all but the last of them.
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

/// Begins to read positions or normals of a tile. What is beyond the last pose or vertex becomes 0.
template <bool Aligned>
__device__ __forceinline__ void fetch_tile(float* stage, const float* from, unsigned poses, unsigned numbers,
                                           unsigned pose_stride) {
  if (from == nullptr) poses = 0;
  if (poses < tile_poses || numbers < 3 * stage_vertices) {
    for (unsigned i = threadIdx.x % 32; i < stage_size / 4; i += 32) reinterpret_cast<float4*>(stage)[i] = {0, 0, 0, 0};
    __syncwarp();
  }
  for_numbers<Aligned>(poses, numbers, pose_stride,
                       [&](unsigned to, std::size_t at) { copy_async<Aligned ? 16 : 4>(stage + to, from + at); });
}

/// x, y, z of a lane's two vertices of eight in one of its poses.
struct ThreeOfTwo {
  float numbers[6];
  __device__ explicit ThreeOfTwo(const float* stage) {
    const float2* const from = reinterpret_cast<const float2*>(stage);
#pragma unroll
    for (unsigned i = 0; i < 3; ++i) {
      const float2 two = from[i];
      numbers[2 * i] = two.x, numbers[2 * i + 1] = two.y;
    }
  }
  __device__ Vec3<float> of(unsigned vertex) const {
    return {numbers[3 * vertex], numbers[3 * vertex + 1], numbers[3 * vertex + 2]};
  }
};

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
  float matrices[12][4];  // of rows 2 t and 2 t + 1 in poses g and g + 8
  float weights[4];       // of entries likewise

  __device__ void clear() {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      weights[i] = 0;
#pragma unroll
      for (unsigned k = 0; k < 12; ++k) matrices[k][i] = 0;
    }
  }
};

/// `Terms`: see TileLane.
template <unsigned Terms, bool Aligned>
struct SlopesOfGroup {
  using Lane = TileLane<3, Terms>;
  const VertexWork& w;
  unsigned group, tile, scaled, poses;
  float* stage;
  const float *position_slopes, *normal_slopes;  // of the group in the tile's first pose, or null
  float *palette_slopes, *weight_slopes;         // of this pose

  /// Adds sums of rows from `row` on to the slopes by palettes.
  __device__ __forceinline__ void add_matrices(const Lane& own, unsigned row, const float (&sums)[12][4]) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      float x[12];
#pragma unroll
      for (unsigned k = 0; k < 12; ++k)  // with four rows the other lanes have what their weights' low parts add
        x[k] = Terms == 1 ? sums[k][i] + __shfl_xor_sync(~0u, sums[k][i], 2) : sums[k][i];
      const unsigned at = own.g + i / 2 * 8, r = row + 2 * own.lane_t + i % 2;
      if (at >= poses || r >= own.rows) continue;
      float* const to = palette_slopes + (at * own.t.palette_size + own.t.row_slots[own.first_row + r]) * 12;
#pragma unroll
      for (unsigned k = 0; k < 12; k += 4) add_four(to + k, x[k], x[k + 1], x[k + 2], x[k + 3]);
    }
  }
  __device__ __forceinline__ void add_weights(const Lane& own, unsigned entry, const float (&sums)[4]) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned at = own.g + i / 2 * 8, e = entry + 2 * own.lane_t + i % 2;
      if (at >= poses || e >= own.entries) continue;
      const unsigned target = own.t.entry_targets[own.first_entry + e];
      atomicAdd(weight_slopes + at * own.t.target_count + target, sums[i] * own.t.target_sizes[target]);
    }
  }

  /// Slopes by matrices times weights, summed over eight vertices: this lane has the second factor of row g. Where
  /// there are four rows the low parts of their weights are four more.
  static __device__ __forceinline__ void sum_matrices(const Lane& own, unsigned first, unsigned row,
                                                      const PairNumber (&m)[12], float (&sums)[12][4]) {
    const unsigned r = row + own.g % own.tile_rows;
    float2 two{0, 0};
    if (r < own.rows)
      two = __ldg(reinterpret_cast<const float2*>(own.t.row_weights + std::size_t{own.first_row + r} * group_vertices +
                                                  first + 2 * own.lane_t));
    const Split<2> of_vertices({two.x, two.y});
    if constexpr (Terms == 1) {
      const bool is_low = own.g >= 4;
      const float parts[2] = {is_low ? of_vertices.low[0] : of_vertices.high[0],
                              is_low ? of_vertices.low[1] : of_vertices.high[1]};
#pragma unroll
      for (unsigned k = 0; k < 12; ++k) {
        const Split<4> slopes = by_vertex(m[k]);
        multiply_add(sums[k], slopes.low, parts);
        multiply_add(sums[k], slopes.high, parts);
      }
    } else {
#pragma unroll
      for (unsigned k = 0; k < 12; ++k) multiply_add(sums[k], by_vertex(m[k]), of_vertices);
    }
  }
  /// Slopes by vertices at rest times offsets, likewise.
  static __device__ __forceinline__ void sum_weights(const Lane& own, unsigned first, unsigned entry,
                                                     const PairNumber (&six)[6], float (&sums)[4]) {
    // Of entry g this lane has vertices 2 t and 2 t + 1; entries beyond the last are 0.
    const std::size_t lane =
        packed_place(own.t.packed_first[own.group] + entry / tile_entries, first / 8, 4 * (2 * own.lane_t) + own.g % 4);
    const uint2* const from = reinterpret_cast<const uint2*>(own.t.packed_offsets) + 2 * lane + own.g / 4;
#pragma unroll
    for (unsigned c = 0; c < 6; c += 2) {
      const uint2 x = __ldg(from + c / 2 * 64), y = __ldg(from + c / 2 * 64 + 8);
      multiply_add(sums, by_vertex(six[c]), Split<2>({x.x, y.x}));
      multiply_add(sums, by_vertex(six[c + 1]), Split<2>({x.y, y.y}));
    }
  }

  /// Vertices `first` to first + 7 of the group; `staged` has their slopes.
  template <bool MayScale>
  __device__ __forceinline__ void of_eight(const Lane& own, unsigned first, const float* staged,
                                           SlopeSums& sums) const {
    PairNumber six[6], m[12];
    const EightVertices<Terms> eight = own.read(first);
    own.morph(first, eight, six);
    own.blend(first, eight, m);
#pragma unroll
    for (unsigned k = 0; k < 12; ++k)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) m[k][i] *= own.t.matrix_size;
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const float* const at = staged + stage_place(own.g + 8 * half, own.lane_t, 0);
      const ThreeOfTwo by_position(at), by_normal(at + stage_size);
      const bool scales = MayScale && (scaled >> (own.g + 8 * half) & 1) != 0;
#pragma unroll
      for (unsigned v = 0; v < 2; ++v) {
        const unsigned i = 2 * half + v;
        const VertexSlopes<float> slopes =
            slopes_of_vertex(matrix_of(m, i), scales, vertex_of(six, i), {by_position.of(v), by_normal.of(v)});
        float rows[12];
        put_rows(slopes.matrix, rows);
#pragma unroll
        for (unsigned k = 0; k < 12; ++k) m[k][i] = rows[k];
        const Vec3<float> p = slopes.rest.position * own.t.size;  // by offsets in units of the size
        const Vec3<float>& n = slopes.rest.normal;
        six[0][i] = p.x, six[1][i] = p.y, six[2][i] = p.z;
        six[3][i] = n.x, six[4][i] = n.y, six[5][i] = n.z;
      }
    }
    sum_matrices(own, first, 0, m, sums.matrices);
    for (unsigned row = 8; row < own.rows; row += 8) {
      float more[12][4] = {};
      sum_matrices(own, first, row, m, more);
      add_matrices(own, row, more);
    }
    if (own.entries > 0) sum_weights(own, first, 0, six, sums.weights);
    for (unsigned entry = tile_entries; entry < own.entries; entry += tile_entries) {
      float more[4] = {};
      sum_weights(own, first, entry, six, more);
      add_weights(own, entry, more);
    }
  }

  /// Two stages take turns: while one is worked on the other is filled.
  __device__ float* stage_of(unsigned first) const { return stage + first / stage_vertices % 2 * 2 * stage_size; }

  template <bool MayScale>
  __device__ __forceinline__ void run() const {
    const Lane own(w, group, tile);
    const unsigned vertices = ::min(group_vertices, own.t.vertex_count - group * group_vertices);
    const unsigned pose_stride = 3 * own.t.vertex_count;
    SlopeSums sums;
    sums.clear();
    const auto fetch = [&](unsigned first) {
      if (first < vertices) {
        const unsigned numbers = 3 * ::min(stage_vertices, vertices - first);
        float* const to = stage_of(first);
        fetch_tile<Aligned>(to, offset_or_null(position_slopes, 3 * first), poses, numbers, pose_stride);
        fetch_tile<Aligned>(to + stage_size, offset_or_null(normal_slopes, 3 * first), poses, numbers, pose_stride);
      }
      end_copies();
    };
    fetch(0);
    for (unsigned first = 0; first < vertices; first += stage_vertices) {
      fetch(first + stage_vertices);
      wait_for_copies();
      __syncwarp();
#pragma unroll 1
      for (unsigned more = 0; more < stage_vertices; more += 8)
        of_eight<MayScale>(own, first + more, stage_of(first) + 3 * more, sums);
      __syncwarp();
    }
    add_matrices(own, 0, sums.matrices);
    add_weights(own, 0, sums.weights);
  }
};

template <bool Aligned>
__global__ void __launch_bounds__(32 * slope_warps, slope_blocks)
    differentiate_vertices(const __grid_constant__ VertexWork w, const float* position_slopes,
                           const float* normal_slopes, float* palette_slopes, float* weight_slopes) {
  extern __shared__ float4 shared[];
  const unsigned warp = warp_number(), tile = blockIdx.y * slope_warps + warp, group = blockIdx.x;
  const unsigned first_pose = tile * tile_poses;
  if (first_pose >= w.poses) return;
  const BatchView& t = w.tables;
  const std::size_t first = std::size_t{3} * (std::size_t{t.vertex_count} * first_pose + group * group_vertices);
  const unsigned scaled = scaled_poses(w, tile);
  float* const stage = reinterpret_cast<float*>(shared) + warp * slope_stage;
  position_slopes = offset_or_null(position_slopes, first), normal_slopes = offset_or_null(normal_slopes, first);
  palette_slopes += std::size_t{first_pose} * t.palette_size * 12;
  weight_slopes += std::size_t{first_pose} * t.target_count;
  const unsigned poses = ::min(tile_poses, w.poses - first_pose), rows = t.row_first[group + 1] - t.row_first[group];
  const auto work = [&](auto terms) {
    return SlopesOfGroup<terms, Aligned>{w,     group,           tile,          scaled,         poses,
                                         stage, position_slopes, normal_slopes, palette_slopes, weight_slopes};
  };
  if (scaled != 0)
    work(std::integral_constant<unsigned, 2>()).template run<true>();
  else if (rows > 4)
    work(std::integral_constant<unsigned, 2>()).template run<false>();
  else
    work(std::integral_constant<unsigned, 1>()).template run<false>();
}

}  // namespace supple::gpu
