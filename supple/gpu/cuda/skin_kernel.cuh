// Palettes and weights of poses to posed vertices.
#pragma once

#include "supple/gpu/cuda/vertex_lanes.cuh"

namespace supple::gpu {

inline constexpr unsigned skin_stage = 2 * 3 * group_vertices;  // floats of a warp: positions of a pose, and normals

/// Writes `numbers` floats that a warp has in shared memory, whole lines at a time and past the caches.
template <bool Aligned>
__device__ __forceinline__ void store_group(const float* stage, float* to, unsigned numbers, unsigned lane) {
  if (to == nullptr) return;
  constexpr unsigned width = Aligned ? 4 : 1;
#pragma unroll
  for (unsigned at = width * lane; at < 3 * group_vertices; at += 32 * width) {
    if (at >= numbers) continue;
    if constexpr (Aligned)
      __stcs(reinterpret_cast<float4*>(to + at), *reinterpret_cast<const float4*>(stage + at));
    else
      __stcs(to + at, stage[at]);
  }
}

/// The poses of one group, a few at a time.
template <unsigned Poses, bool Aligned>
struct SkinGroup {
  static constexpr unsigned vertices = group_vertices / 32;  // of a lane
  const GroupLane<Poses, vertices>& own;
  float *stage, *positions, *normals;
  unsigned count;

  template <class Blend, class Scales>
  __device__ __forceinline__ void operator()(const Blend& blender, const Scales& scales) const {
    const unsigned numbers = 3 * ::min(group_vertices, own.t.vertex_count - own.group * group_vertices);
    const std::size_t pose_numbers = std::size_t{3} * own.t.vertex_count;
    float *to_positions = positions, *to_normals = normals;
    for (unsigned pose = 0; pose < count; pose += poses_at_once) {
      SixOfPoses<vertices> six;
      own.morph(pose, six);
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q) {
        float rows[vertices][12];
        blender.blend(pose + q, rows);
        __syncwarp();
#pragma unroll
        for (unsigned v = 0; v < vertices; ++v) {
          const float(&s)[6] = six[v][q];
          const BatchVertex<float> posed =
              pose_vertex(affine_of_rows(rows[v]), scales(pose + q), {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}});
          float* const to = stage + 3 * (own.lane + 32 * v);
          to[0] = posed.position.x, to[1] = posed.position.y, to[2] = posed.position.z;
          float* const normal = to + 3 * group_vertices;
          normal[0] = posed.normal.x, normal[1] = posed.normal.y, normal[2] = posed.normal.z;
        }
        __syncwarp();
        if (pose + q < count) {
          store_group<Aligned>(stage, to_positions, numbers, own.lane);
          store_group<Aligned>(stage + 3 * group_vertices, to_normals, numbers, own.lane);
        }
        if (positions != nullptr) to_positions += pose_numbers;
        if (normals != nullptr) to_normals += pose_numbers;
      }
    }
  }
};

template <unsigned Poses, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps, 2)
    skin_vertices(const __grid_constant__ VertexWork w, float* positions, float* normals) {
  extern __shared__ float4 shared_memory[];
  float* const shared = reinterpret_cast<float*>(shared_memory);
  const unsigned first_pose = blockIdx.y * PoseCache<Poses>::block_poses, warp = warp_number();
  const PoseCache<Poses> cache(w, shared + block_warps * skin_stage, first_pose);
  const unsigned group = blockIdx.x * block_warps + warp, count = cache.last + 1;
  if (group >= w.tables.group_count) return;
  using Work = SkinGroup<Poses, Aligned>;
  const GroupLane<Poses, Work::vertices> own(w.tables, cache, group, threadIdx.x % 32);
  const std::size_t first = std::size_t{3} * (std::size_t{w.tables.vertex_count} * first_pose + group_vertices * group);
  if (positions != nullptr) positions += first;
  if (normals != nullptr) normals += first;
  with_rows(own, scaled_poses(w, first_pose, count), Work{own, shared + warp * skin_stage, positions, normals, count});
}

}  // namespace supple::gpu
