// The part of a batch that is done for each vertex of each pose, and where all the time goes. A lane of a warp has a
// vertex or two, and keeps what it needs of them for several poses; the palettes and weights of these lie in shared
// memory, where all lanes read the same address at a time. What limits skinning is how fast shared memory reaches
// registers: two vertices of a lane read a matrix once. Code is made for every usual number of joints that a group
// follows, so that no branch keeps the reads of one matrix from those of the next.
#pragma once

#include "supple/gpu/batch/joints.h"
#include "supple/gpu/batch/vertex.h"
#include "supple/gpu/cuda/pose_kernels.cuh"

namespace supple::gpu {

inline constexpr unsigned block_warps = 8;
inline constexpr unsigned poses_at_once = 4;  // whose morphed vertices a lane keeps in registers

/// What the kernels of vertices are given.
struct VertexWork {
  BatchView tables;
  unsigned poses = 0;
  const float *palette = nullptr, *weights = nullptr;  // see PoseScratch
  const unsigned char* scaled = nullptr;
};

/// Palettes and weights of `Poses` poses that a block works on, entries of one joint or target beside each other. With
/// 0 they do not fit shared memory, and stay where they are: then a block has 16.
template <unsigned Poses>
struct PoseCache {
  static constexpr unsigned block_poses = Poses == 0 ? 16 : Poses;
  const float4* palette;
  const float* weights;
  unsigned palette_size, target_count, last;

  __device__ PoseCache(const VertexWork& w, float* shared, unsigned first_pose)
      : palette_size(w.tables.palette_size),
        target_count(w.tables.target_count),
        last(::min(block_poses, w.poses - first_pose) - 1) {
    palette = reinterpret_cast<const float4*>(w.palette + std::size_t{first_pose} * palette_size * 12);
    weights = w.weights + std::size_t{first_pose} * target_count;
    if (Poses == 0) return;
    const unsigned of_pose = palette_size * 3;
    float4* const matrices = reinterpret_cast<float4*>(shared);
    for (unsigned i = threadIdx.x; i < Poses * of_pose; i += blockDim.x) {
      const unsigned pose = i / of_pose, row = i % of_pose;
      matrices[(row / 3 * Poses + pose) * 3 + row % 3] = pose <= last ? palette[i] : float4{0, 0, 0, 0};
    }
    float* const by_target = shared + Poses * palette_size * 12;
    for (unsigned i = threadIdx.x; i < Poses * target_count; i += blockDim.x) {
      const unsigned pose = i / target_count, target = i % target_count;
      by_target[target * Poses + pose] = pose <= last ? weights[i] : 0;
    }
    palette = matrices;
    weights = by_target;
    __syncthreads();
  }
  /// The three rows of a matrix; those of the next pose follow where they are in shared memory.
  __device__ const float4* matrix(unsigned pose, unsigned slot) const {
    if (Poses > 0) return palette + (slot * Poses + pose) * 3;
    return palette + (std::size_t{::min(pose, last)} * palette_size + slot) * 3;
  }
  /// Of poses_at_once poses from `pose` on; those beyond the last do not matter.
  __device__ float4 weights_of(unsigned target, unsigned pose) const {
    if (Poses > 0) return *reinterpret_cast<const float4*>(weights + target * Poses + pose);
    const auto one = [&](unsigned p) { return weights[std::size_t{::min(p, last)} * target_count + target]; };
    return {one(pose), one(pose + 1), one(pose + 2), one(pose + 3)};
  }
};

/// The number of a warp in its block, known to the compiler to be the same for all its lanes: branches by it, and by
/// what is read by it, cost nothing.
__device__ inline unsigned warp_number() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

/// Which of up to 32 poses from `first` on scale: a bit of each.
__device__ inline unsigned scaled_poses(const VertexWork& w, unsigned first, unsigned count) {
  const unsigned lane = threadIdx.x % 32;
  return __ballot_sync(~0u, lane < count && w.scaled[first + lane] != 0);
}

/// The morphed vertices of a lane in a few poses, or slopes by them: x, y, z of the position and of the normal.
template <unsigned Vertices>
using SixOfPoses = float[Vertices][poses_at_once][6];

/// Two numbers of a vertex at a time, see offset_place().
__device__ inline float2 two_numbers(const float* values, std::size_t block, unsigned pair, unsigned vertex) {
  return *reinterpret_cast<const float2*>(values + offset_place(block, 2 * pair, vertex));
}

/// `Vertices` vertices of a group for each lane, 32 apart.
template <unsigned Poses, unsigned Vertices>
struct GroupLane {
  static constexpr unsigned poses = Poses, vertices = Vertices;
  const BatchView& t;
  const PoseCache<Poses>& cache;
  unsigned group, lane, vertex;  // of the group: this lane's first
  unsigned first_row, rows, first_entry, last_entry;
  float rest[Vertices][6];

  __device__ GroupLane(const BatchView& tables, const PoseCache<Poses>& poses, unsigned g, unsigned first)
      : t(tables), cache(poses), group(g), lane(threadIdx.x % 32), vertex(first) {
    first_row = t.row_first[g];
    rows = t.row_first[g + 1] - first_row;
    first_entry = t.entry_first[g];
    last_entry = t.entry_first[g + 1];
#pragma unroll
    for (unsigned v = 0; v < Vertices; ++v)
#pragma unroll
      for (unsigned pair = 0; pair < 3; ++pair) {
        const float2 two = two_numbers(t.rest, g, pair, vertex + 32 * v);
        rest[v][2 * pair] = two.x, rest[v][2 * pair + 1] = two.y;
      }
  }

  __device__ float row_weight(unsigned row, unsigned v) const {
    return t.row_weights[std::size_t{first_row + row} * group_vertices + vertex + 32 * v];
  }
  __device__ unsigned row_slot(unsigned row) const { return t.row_slots[first_row + row]; }

  /// Adds morph targets for a few poses.
  __device__ __forceinline__ void morph(unsigned pose, SixOfPoses<Vertices>& six) const {
#pragma unroll
    for (unsigned v = 0; v < Vertices; ++v)
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q)
#pragma unroll
        for (unsigned c = 0; c < 6; ++c) six[v][q][c] = rest[v][c];
#pragma unroll 4 / Vertices
    for (unsigned e = first_entry; e < last_entry; ++e) {
      const float4 w = cache.weights_of(t.entry_targets[e], pose);
#pragma unroll
      for (unsigned v = 0; v < Vertices; ++v)
#pragma unroll
        for (unsigned pair = 0; pair < 3; ++pair) {
          const float2 two = two_numbers(t.entry_offsets, e, pair, vertex + 32 * v);
          const unsigned c = 2 * pair;
          six[v][0][c] += w.x * two.x, six[v][0][c + 1] += w.x * two.y;
          six[v][1][c] += w.y * two.x, six[v][1][c + 1] += w.y * two.y;
          six[v][2][c] += w.z * two.x, six[v][2][c + 1] += w.z * two.y;
          six[v][3][c] += w.w * two.x, six[v][3][c + 1] += w.w * two.y;
        }
    }
  }
};

/// Blends the matrices of a group that follows up to `Rows` joints, or any number where that is 0. Reads what does not
/// depend on the pose once.
template <unsigned Rows, class Lane>
struct Blender {
  static constexpr bool any_rows = Rows == 0;
  static constexpr unsigned vertices = Lane::vertices;
  const Lane& own;
  float weights[Rows == 0 ? 1 : Rows][vertices];
  const float4* matrices[Rows == 0 ? 1 : Rows];

  __device__ explicit Blender(const Lane& lane) : own(lane) {
#pragma unroll
    for (unsigned u = 0; u + 1 <= Rows; ++u) {  // of none too, where "less than 0" would be a warning
#pragma unroll
      for (unsigned v = 0; v < vertices; ++v) weights[u][v] = u < own.rows ? own.row_weight(u, v) : 0.0f;
      matrices[u] = own.cache.matrix(0, own.row_slot(u < own.rows ? u : 0));
    }
  }
  /// The rows of the matrices of the lane's vertices.
  __device__ __forceinline__ void blend(unsigned pose, float (&m)[vertices][12]) const {
#pragma unroll
    for (unsigned v = 0; v < vertices; ++v)
#pragma unroll
      for (unsigned i = 0; i < 12; ++i) m[v][i] = 0;
    const auto add = [&](unsigned v, float weight, const float4(&rows)[3]) {
#pragma unroll
      for (unsigned i = 0; i < 3; ++i) {
        m[v][4 * i] += weight * rows[i].x, m[v][4 * i + 1] += weight * rows[i].y;
        m[v][4 * i + 2] += weight * rows[i].z, m[v][4 * i + 3] += weight * rows[i].w;
      }
    };
    if constexpr (Rows == 0) {
      for (unsigned u = 0; u < own.rows; ++u) {
        const float4* const matrix = own.cache.matrix(pose, own.row_slot(u));
        const float4 rows[3] = {matrix[0], matrix[1], matrix[2]};
#pragma unroll
        for (unsigned v = 0; v < vertices; ++v) add(v, own.row_weight(u, v), rows);
      }
    } else {
#pragma unroll
      for (unsigned u = 0; u < Rows; ++u) {
        const float4* const matrix = matrices[u] + 3 * pose;
        const float4 rows[3] = {matrix[0], matrix[1], matrix[2]};
#pragma unroll
        for (unsigned v = 0; v < vertices; ++v) add(v, weights[u][v], rows);
      }
    }
  }
};

/// Calls work(blender, scales) with the code that is made for the group: `scales` is constant where no pose does.
template <class Lane, class Work>
__device__ __forceinline__ void with_rows(const Lane& own, unsigned scaled, const Work& work) {
  constexpr bool cached = Lane::poses > 0;
  const auto never = [](unsigned) { return false; };
  if (cached && scaled == 0 && own.rows <= 2) {
    work(Blender<2, Lane>(own), never);
  } else if (cached && scaled == 0 && own.rows <= 4) {
    work(Blender<4, Lane>(own), never);
  } else if (cached && scaled == 0 && own.rows <= 6) {
    work(Blender<6, Lane>(own), never);
  } else if (cached && scaled == 0 && own.rows <= 8) {
    work(Blender<8, Lane>(own), never);
  } else {
    work(Blender<0, Lane>(own), [scaled](unsigned pose) { return (scaled >> pose & 1) != 0; });
  }
}

}  // namespace supple::gpu
