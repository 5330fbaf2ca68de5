// What blocks that differentiate vertices keep in shared memory, which is copied there in the background: there are few
// warps, none of which is to wait for memory.
#pragma once

#include "supple/gpu/cuda/vertex_tile.cuh"

namespace supple::gpu {

inline constexpr unsigned slope_warps = 4, slope_blocks = 2;  // see skin_warps
using SlopeStage = Stage<8>;
// Of a block, what its warps read of the group: its vertices, their first eight rows and targets. In float4.
inline constexpr unsigned rest_stage = 6 * group_vertices / 4, row_stage = 8 * group_vertices / 4,
                          group_stage = rest_stage + row_stage + packed_words / 4;
// Of a warp: slopes that are worked on and those that come next, and matrices of the first eight rows. Likewise.
inline constexpr unsigned slope_stage = 4 * SlopeStage::size / 4, matrix_stage = 9 * 32 * 4 / 4,
                          warp_stage = slope_stage + matrix_stage;
inline constexpr std::size_t slope_shared_bytes = (group_stage + slope_warps * warp_stage) * sizeof(float4);

/// Copies numbers into shared memory in the background.
template <unsigned Bytes>
__device__ __forceinline__ void copy_async(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes) : "memory");
}
/// Ends what is to be waited for together.
__device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_for_all_copies() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }
/// Waits for all but the last of them.
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

/// Begins to read positions or normals of a tile. What is beyond the last pose or vertex becomes 0.
template <bool Aligned>
__device__ __forceinline__ void fetch_tile(float* stage, const float* from, unsigned poses, unsigned numbers,
                                           unsigned pose_stride) {
  if (from == nullptr) poses = 0;
  if (poses < tile_poses || numbers < 3 * SlopeStage::vertices) {
    for (unsigned i = threadIdx.x % 32; i < SlopeStage::size / 4; i += 32)
      reinterpret_cast<float4*>(stage)[i] = {0, 0, 0, 0};
    __syncwarp();
  }
  SlopeStage::for_numbers<Aligned>(poses, numbers, pose_stride, [&](unsigned to, std::size_t at) {
    copy_async<Aligned ? 16 : 4>(stage + to, from + at);
  });
}

/// Copies a group's tables into shared memory, by all threads of the block.
__device__ __forceinline__ void stage_group(const BatchView& t, unsigned group, float4* stage) {
  const GroupTables from(t, group);
  const auto copy = [&](float4* to, const void* first, unsigned count) {
    for (unsigned i = threadIdx.x; i < count; i += 32 * slope_warps)
      copy_async<16>(reinterpret_cast<float*>(to + i), reinterpret_cast<const float*>(first) + 4 * i);
  };
  const unsigned rows = ::min(8u, t.row_first[group + 1] - t.row_first[group]);
  copy(stage, from.rest, rest_stage);
  copy(stage + rest_stage, from.row_weights, rows * group_vertices / 4);
  if (t.entry_first[group + 1] > t.entry_first[group])
    copy(stage + rest_stage + row_stage, from.offsets, packed_words / 4);
  end_copies();
}

/// What a warp differentiates: a group of vertices in the poses of a tile.
struct GroupSlopes {
  const VertexWork& w;
  GroupTables tables;
  unsigned group, tile, scaled, poses;
  float4* stage;
  const float *position_slopes, *normal_slopes;  // of the group in the tile's first pose, or null
  float *palette_slopes, *weight_slopes;         // of this pose
  float over_size;                               // 1 / size of matrices

  /// Two stages take turns: while one is worked on the other is filled.
  __device__ float* stage_of(unsigned first) const {
    return reinterpret_cast<float*>(stage) + first / SlopeStage::vertices % 2 * 2 * SlopeStage::size;
  }

  /// Begins to read the slopes of vertices from `first` on.
  template <bool Aligned>
  __device__ __forceinline__ void fetch(unsigned first) const {
    const unsigned vertices = ::min(group_vertices, w.tables.vertex_count - group * group_vertices);
    const unsigned pose_stride = 3 * w.tables.vertex_count;
    if (first < vertices) {
      const unsigned numbers = 3 * ::min(SlopeStage::vertices, vertices - first);
      float* const to = stage_of(first);
      fetch_tile<Aligned>(to, offset_or_null(position_slopes, 3 * first), poses, numbers, pose_stride);
      fetch_tile<Aligned>(to + SlopeStage::size, offset_or_null(normal_slopes, 3 * first), poses, numbers, pose_stride);
    }
    end_copies();
  }
};

}  // namespace supple::gpu
