// Palettes and weights of poses to posed vertices.
#pragma once

#include "supple/gpu/cuda/vertex_tile.cuh"

namespace supple::gpu {

using SkinStage = Stage<16>;
// Of a block: a tile of poses each, of one group. And how many blocks a multiprocessor has registers for.
inline constexpr unsigned skin_warps = 2, skin_blocks = 6;

/// Puts three numbers of a lane's vertices, from `first` of six on, into the stage.
__device__ __forceinline__ void put_three(const PairNumber (&six)[6], unsigned first, unsigned g, float* stage) {
#pragma unroll
  for (unsigned half = 0; half < 2; ++half) {
    float2* const to = reinterpret_cast<float2*>(stage + (g + 8 * half) * SkinStage::stride);
    const unsigned i = 2 * half;
    to[0] = {six[first][i], six[first + 1][i]};
    to[1] = {six[first + 2][i], six[first][i + 1]};
    to[2] = {six[first + 1][i + 1], six[first + 2][i + 1]};
  }
}

/// Writes what is in the stage past the caches.
template <bool Aligned>
__device__ __forceinline__ void store_tile(const float* stage, float* to, unsigned poses, unsigned numbers,
                                           unsigned pose_stride) {
  if (to == nullptr) return;
  SkinStage::for_numbers<Aligned>(poses, numbers, pose_stride, [&](unsigned from, std::size_t at) {
    if constexpr (Aligned)
      __stcs(reinterpret_cast<float4*>(to + at), *reinterpret_cast<const float4*>(stage + from));
    else
      __stcs(to + at, stage[from]);
  });
}

template <unsigned Terms, bool Aligned, bool MayScale>
__device__ __forceinline__ void skin_group(const VertexWork& w, unsigned group, unsigned tile, unsigned scaled,
                                           float* stage, float* positions, float* normals) {
  const TileLane<4, Terms, false> own(w, GroupTables(w.tables, group), group, tile);
  const unsigned vertices = ::min(group_vertices, own.t.vertex_count - group * group_vertices);
  const unsigned poses = ::min(tile_poses, w.poses - tile * tile_poses), pose_stride = 3 * own.t.vertex_count;
  const float4 origins[2] = {__ldg(reinterpret_cast<const float4*>(own.poses + own.shape.origin(own.g))),
                             __ldg(reinterpret_cast<const float4*>(own.poses + own.shape.origin(own.g + 8)))};
  const TileMatrices<Terms> matrices = own.first_matrices();
  const TileTargets targets = own.find_targets(0);
  EightVertices<Terms> eight = own.read(0);
  for (unsigned first = 0; first < vertices; first += SkinStage::vertices) {
    __syncwarp();
#pragma unroll
    for (unsigned more = 0; more < SkinStage::vertices; more += 8) {
      const EightVertices<Terms> next = own.read(::min(first + more + 8, group_vertices - 8));
      PairNumber six[6], m[12];
      own.morph(first + more, eight, targets, six);
      own.blend(first + more, eight.weights, matrices, m);
      eight = next;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const bool scales = MayScale && (scaled >> (own.g + i / 2 * 8) & 1) != 0;
        Affine<float> matrix = matrix_of(m, i);
        matrix.translation = matrix.translation * own.t.size;
        const BatchVertex<float> posed = pose_vertex(matrix, scales, {three_of(six, 0, i), three_of(six, 3, i)});
        const float4& from = origins[i / 2];
        put_three_of(six, 0, i, Vec3<float>{from.x, from.y, from.z} + posed.position * own.t.matrix_size);
        put_three_of(six, 3, i, posed.normal);
      }
      put_three(six, 0, own.g, stage + SkinStage::place(0, own.lane_t, more));
      put_three(six, 3, own.g, stage + SkinStage::size + SkinStage::place(0, own.lane_t, more));
    }
    __syncwarp();
    const unsigned numbers = 3 * ::min(SkinStage::vertices, vertices - first);
    store_tile<Aligned>(stage, offset_or_null(positions, 3 * first), poses, numbers, pose_stride);
    store_tile<Aligned>(stage + SkinStage::size, offset_or_null(normals, 3 * first), poses, numbers, pose_stride);
  }
}

template <bool Aligned>
__global__ void __launch_bounds__(32 * skin_warps, skin_blocks)
    skin_vertices(const __grid_constant__ VertexWork w, float* positions, float* normals) {
  __shared__ float4 shared[skin_warps][2 * SkinStage::size / 4];
  const unsigned warp = warp_number(), tile = blockIdx.y * skin_warps + warp, group = blockIdx.x;
  if (tile * tile_poses >= w.poses) return;
  wait_for_earlier_kernel();
  const unsigned scaled = scaled_poses(w, tile);
  const std::size_t first =
      std::size_t{3} * (std::size_t{w.tables.vertex_count} * tile * tile_poses + group * group_vertices);
  float* const stage = reinterpret_cast<float*>(shared[warp]);
  positions = offset_or_null(positions, first), normals = offset_or_null(normals, first);
  const unsigned rows = w.tables.row_first[group + 1] - w.tables.row_first[group];
  if (scaled != 0)
    skin_group<2, Aligned, true>(w, group, tile, scaled, stage, positions, normals);
  else if (rows > 4)
    skin_group<2, Aligned, false>(w, group, tile, 0, stage, positions, normals);
  else
    skin_group<1, Aligned, false>(w, group, tile, 0, stage, positions, normals);
}

}  // namespace supple::gpu
