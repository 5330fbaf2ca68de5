// The part of a batch that is done for each vertex of each pose, and where all the time goes. A lane of a warp is a
// vertex, and keeps what it needs of it for several poses; the palettes and weights of these lie in shared memory,
// where all lanes read the same address at a time.
#pragma once

#include "supple/gpu/batch/joints.h"
#include "supple/gpu/batch/vertex.h"
#include "supple/gpu/cuda/pose_kernels.cuh"

namespace supple::gpu {

inline constexpr unsigned block_warps = 8;
inline constexpr unsigned poses_at_once = 4;  // whose morphed vertices a lane keeps in registers
inline constexpr unsigned held_rows = 8;      // rows of weights that a lane keeps; groups rarely have more
inline constexpr unsigned stage_stride = 36;  // of 12 numbers of 32 lanes: rows lie in different banks

/// What the kernels of vertices are given. `block_poses` is a multiple of poses_at_once.
struct VertexWork {
  BatchView tables;
  unsigned poses = 0, block_poses = 0;
  const float *palette = nullptr, *weights = nullptr;  // see PoseScratch
  const unsigned char* scaled = nullptr;
};

/// Palettes and weights of the poses of a block. Where they do not fit shared memory they stay where they are.
template <bool Staged>
struct PoseCache {
  const float* palette;
  const float* weights;
  unsigned palette_size, target_count, block_poses;

  __device__ PoseCache(const VertexWork& w, float* shared, unsigned first_pose)
      : palette_size(w.tables.palette_size), target_count(w.tables.target_count), block_poses(w.block_poses) {
    palette = w.palette + std::size_t{first_pose} * palette_size * 12;
    weights = w.weights + std::size_t{first_pose} * target_count;
    if (!Staged) return;
    const unsigned count = ::min(block_poses, w.poses - first_pose);
    float4* to = reinterpret_cast<float4*>(shared);
    for (unsigned i = threadIdx.x; i < block_poses * palette_size * 3; i += blockDim.x)
      to[i] = i < count * palette_size * 3 ? reinterpret_cast<const float4*>(palette)[i] : float4{0, 0, 0, 0};
    float* transposed = shared + block_poses * palette_size * 12;  // weights of one target beside each other
    for (unsigned i = threadIdx.x; i < block_poses * target_count; i += blockDim.x) {
      const unsigned pose = i / target_count, target = i % target_count;
      transposed[target * block_poses + pose] = pose < count ? weights[i] : 0;
    }
    palette = shared;
    weights = transposed;
    __syncthreads();
  }
  __device__ const float4* matrix(unsigned pose, unsigned slot) const {
    return reinterpret_cast<const float4*>(palette) + (std::size_t{pose} * palette_size + slot) * 3;
  }
  /// Of poses_at_once poses from `pose` on; those beyond the last do not matter.
  __device__ float4 weights_of(unsigned target, unsigned pose, unsigned last) const {
    if (Staged) return *reinterpret_cast<const float4*>(weights + target * block_poses + pose);
    const auto one = [&](unsigned p) { return weights[std::size_t{::min(p, last)} * target_count + target]; };
    return {one(pose), one(pose + 1), one(pose + 2), one(pose + 3)};
  }
};

/// A vertex at rest and the joints that its group follows.
struct GroupLane {
  unsigned group, lane, first_row, rows, first_entry, last_entry;
  float rest[6];
  float row_weights[held_rows];
  unsigned row_slots[held_rows];

  __device__ GroupLane(const BatchView& t, unsigned g) : group(g), lane(threadIdx.x % 32) {
    first_row = t.row_first[g];
    rows = t.row_first[g + 1] - first_row;
    first_entry = t.entry_first[g];
    last_entry = t.entry_first[g + 1];
    for (unsigned c = 0; c < 6; ++c) rest[c] = t.rest[(std::size_t{6} * g + c) * 32 + lane];
#pragma unroll
    for (unsigned u = 0; u < held_rows; ++u) {
      row_slots[u] = u < rows ? t.row_slots[first_row + u] : 0;
      row_weights[u] = u < rows ? t.row_weights[std::size_t{first_row + u} * 32 + lane] : 0;
    }
  }

  /// Adds morph targets for a few poses.
  template <bool Staged>
  __device__ void morph(const BatchView& t, const PoseCache<Staged>& cache, unsigned pose, unsigned last,
                        float (&six)[poses_at_once][6]) const {
#pragma unroll
    for (unsigned q = 0; q < poses_at_once; ++q)
#pragma unroll
      for (unsigned c = 0; c < 6; ++c) six[q][c] = rest[c];
#pragma unroll 2
    for (unsigned e = first_entry; e < last_entry; ++e) {
      const float4 w = cache.weights_of(t.entry_targets[e], pose, last);
      const float* offsets = t.entry_offsets + std::size_t{6} * e * 32 + lane;
#pragma unroll
      for (unsigned c = 0; c < 6; ++c) {
        const float offset = offsets[c * 32];
        six[0][c] += w.x * offset;
        six[1][c] += w.y * offset;
        six[2][c] += w.z * offset;
        six[3][c] += w.w * offset;
      }
    }
  }

  template <bool Staged>
  __device__ Affine<float> blend(const BatchView& t, const PoseCache<Staged>& cache, unsigned pose) const {
    float m[12] = {};
    const auto add = [&](float weight, unsigned slot) {
      const float4* rows_of = cache.matrix(pose, slot);
      const float4 x = rows_of[0], y = rows_of[1], z = rows_of[2];
      m[0] += weight * x.x, m[1] += weight * x.y, m[2] += weight * x.z, m[3] += weight * x.w;
      m[4] += weight * y.x, m[5] += weight * y.y, m[6] += weight * y.z, m[7] += weight * y.w;
      m[8] += weight * z.x, m[9] += weight * z.y, m[10] += weight * z.z, m[11] += weight * z.w;
    };
#pragma unroll
    for (unsigned u = 0; u < held_rows; ++u)
      if (u < rows) add(row_weights[u], row_slots[u]);
    for (unsigned u = held_rows; u < rows; ++u)
      add(t.row_weights[std::size_t{first_row + u} * 32 + lane], t.row_slots[first_row + u]);
    return affine_of_rows(m);
  }
};

/// Writes what a warp has in shared memory, `numbers` floats each, whole lines at a time and past the caches.
template <bool Aligned>
__device__ void store_group(const float* stage, float* positions, float* normals, unsigned numbers, unsigned lane) {
  if (Aligned) {
#pragma unroll
    for (unsigned i = lane; i < 48; i += 32) {
      const bool first = i < 24;
      float* const to = first ? positions : normals;
      const unsigned at = 4 * (first ? i : i - 24);
      if (to != nullptr && at < numbers)
        __stcs(reinterpret_cast<float4*>(to + at), reinterpret_cast<const float4*>(stage)[i]);
    }
  } else {
#pragma unroll
    for (unsigned i = lane; i < 192; i += 32) {
      float* const to = i < 96 ? positions : normals;
      const unsigned at = i < 96 ? i : i - 96;
      if (to != nullptr && at < numbers) __stcs(to + at, stage[i]);
    }
  }
}

template <bool Staged, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps)
    skin_vertices(const VertexWork w, float* __restrict__ positions, float* __restrict__ normals) {
  extern __shared__ float4 shared_memory[];
  float* const shared = reinterpret_cast<float*>(shared_memory);
  const unsigned first_pose = blockIdx.y * w.block_poses, warp = threadIdx.x / 32;
  float* const stage = shared + warp * 192;
  const PoseCache<Staged> cache(w, shared + block_warps * 192, first_pose);
  const unsigned group = blockIdx.x * block_warps + warp;
  const BatchView& t = w.tables;
  if (group >= t.group_count) return;
  const GroupLane own(t, group);
  const unsigned count = ::min(w.block_poses, w.poses - first_pose);
  const unsigned numbers = 3 * ::min(32u, t.vertex_count - group * 32);
  const auto place = [&](float* first, unsigned pose) {
    return first == nullptr ? nullptr
                            : first + (std::size_t{first_pose + pose} * t.vertex_count + std::size_t{group} * 32) * 3;
  };
  for (unsigned pose = 0; pose < count; pose += poses_at_once) {
    float six[poses_at_once][6];
    own.morph(t, cache, pose, count - 1, six);
#pragma unroll
    for (unsigned q = 0; q < poses_at_once; ++q) {
      if (pose + q >= count) break;
      const Affine<float> m = own.blend(t, cache, pose + q);
      const BatchVertex<float> at_rest{{six[q][0], six[q][1], six[q][2]}, {six[q][3], six[q][4], six[q][5]}};
      const BatchVertex<float> posed = pose_vertex(m, w.scaled[first_pose + pose + q] != 0, at_rest);
      __syncwarp();
      float* const to = stage + 3 * own.lane;
      to[0] = posed.position.x, to[1] = posed.position.y, to[2] = posed.position.z;
      to[96] = posed.normal.x, to[97] = posed.normal.y, to[98] = posed.normal.z;
      __syncwarp();
      store_group<Aligned>(stage, place(positions, pose + q), place(normals, pose + q), numbers, own.lane);
    }
  }
}

/// d += a b by the tensor cores, a 16 x 8 and b 8 x 8 numbers of 11 bits each.
__device__ inline void multiply_add(float (&d)[4], const float (&a)[4], float b0, float b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}
/// The first 11 bits of a number; the next ones are what is left, so that products of both are exact to 22 bits.
__device__ inline float high_part(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

/// Weights of 8 rows as the tensor cores want them: lane 4 g + k has those of row g, vertices 8 n + k and 8 n + k + 4.
struct WeightTile {
  float high[4][2], low[4][2];

  __device__ void load(const BatchView& t, const GroupLane& own, unsigned first) {
    const unsigned row = first + own.lane / 4, k = own.lane % 4;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n)
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const float x =
            row < own.rows ? t.row_weights[std::size_t{own.first_row + row} * 32 + 8 * n + k + 4 * half] : 0.0f;
        high[n][half] = high_part(x);
        low[n][half] = x - high[n][half];
      }
  }
};

/// Adds to the slopes by the palette what the 32 lanes' slopes by their matrices, in `stage`, make with the weights of
/// 8 rows from `first` on: a product of 12 x 32 and 32 x 8 numbers, in three of half the bits.
__device__ inline void add_matrix_slopes(const BatchView& t, const GroupLane& own, const float* stage,
                                         const WeightTile& tile, unsigned first, float* palette_slopes) {
  const unsigned g = own.lane / 4, k = own.lane % 4;
  float sums[4] = {}, rest[4] = {};
#pragma unroll
  for (unsigned n = 0; n < 4; ++n) {
    const float* at = stage + g * stage_stride + 8 * n + k;
    const float* above = at + 8 * stage_stride;  // rows 8 to 11; there are no others
    const float a[4] = {at[0], g < 4 ? above[0] : 0.0f, at[4], g < 4 ? above[4] : 0.0f};
    float high[4], low[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      high[i] = high_part(a[i]);
      low[i] = a[i] - high[i];
    }
    multiply_add(sums, high, tile.high[n][0], tile.high[n][1]);
    multiply_add(rest, low, tile.high[n][0], tile.high[n][1]);
    multiply_add(rest, high, tile.low[n][0], tile.low[n][1]);
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = first + 2 * k + i % 2, number = g + 8 * (i / 2);
    if (row < own.rows && number < 12)
      atomicAdd(palette_slopes + std::size_t{t.row_slots[own.first_row + row]} * 12 + number, sums[i] + rest[i]);
  }
}

/// The sums over all lanes of eight numbers of each: lane l has that of number l / 4.
__device__ inline float sums_of_eight(float (&x)[8], unsigned lane) {
#pragma unroll
  for (unsigned step = 16, half = 4; half > 0; step /= 2, half /= 2) {
    const bool upper = (lane & step) != 0;
#pragma unroll
    for (unsigned i = 0; i < half; ++i) {
      const float kept = upper ? x[i + half] : x[i], sent = upper ? x[i] : x[i + half];
      x[i] = kept + __shfl_xor_sync(~0u, sent, step);
    }
  }
  x[0] += __shfl_xor_sync(~0u, x[0], 2);
  return x[0] + __shfl_xor_sync(~0u, x[0], 1);
}

/// Adds to the slopes by the weights of a few poses, from slopes by vertices at rest.
__device__ inline void add_weight_slopes(const BatchView& t, const GroupLane& own, const float (&six)[poses_at_once][6],
                                         unsigned count, float* weight_slopes) {
  static_assert(poses_at_once == 4);
  const unsigned number = own.lane / 4, pose = number % 4;  // which of the eight sums is this lane's
  for (unsigned e = own.first_entry; e < own.last_entry; e += 2) {
    float products[8] = {};
#pragma unroll
    for (unsigned two = 0; two < 2; ++two) {
      if (e + two >= own.last_entry) break;
      const float* offsets = t.entry_offsets + std::size_t{6} * (e + two) * 32 + own.lane;
#pragma unroll
      for (unsigned c = 0; c < 6; ++c) {
        const float offset = offsets[c * 32];
#pragma unroll
        for (unsigned q = 0; q < 4; ++q) products[4 * two + q] += six[q][c] * offset;
      }
    }
    const float sum = sums_of_eight(products, own.lane);
    const unsigned entry = e + number / 4;
    if (own.lane % 4 == 0 && entry < own.last_entry && pose < count)
      atomicAdd(weight_slopes + std::size_t{pose} * t.target_count + t.entry_targets[entry], sum);
  }
}

template <bool Staged>
__global__ void __launch_bounds__(32 * block_warps, 2)
    differentiate_vertices(const VertexWork w, const float* __restrict__ position_slopes,
                           const float* __restrict__ normal_slopes, float* palette_slopes, float* weight_slopes) {
  extern __shared__ float4 shared_memory[];
  float* const shared = reinterpret_cast<float*>(shared_memory);
  const unsigned first_pose = blockIdx.y * w.block_poses, warp = threadIdx.x / 32;
  float* const stage = shared + warp * 12 * stage_stride;
  const PoseCache<Staged> cache(w, shared + block_warps * 12 * stage_stride, first_pose);
  const unsigned group = blockIdx.x * block_warps + warp;
  const BatchView& t = w.tables;
  if (group >= t.group_count) return;
  const GroupLane own(t, group);
  WeightTile tile;
  tile.load(t, own, 0);
  const unsigned count = ::min(w.block_poses, w.poses - first_pose);
  const bool exists = group * 32 + own.lane < t.vertex_count;
  const auto load = [&](const float* first, unsigned pose) {
    if (first == nullptr || !exists) return Vec3<float>{};
    const float* at =
        first + (std::size_t{first_pose + pose} * t.vertex_count + std::size_t{group} * 32 + own.lane) * 3;
    return Vec3<float>{__ldg(at), __ldg(at + 1), __ldg(at + 2)};
  };
  for (unsigned pose = 0; pose < count; pose += poses_at_once) {
    float six[poses_at_once][6];
    own.morph(t, cache, pose, count - 1, six);
#pragma unroll
    for (unsigned q = 0; q < poses_at_once; ++q) {
      if (pose + q >= count) break;
      const BatchVertex<float> given{load(position_slopes, pose + q), load(normal_slopes, pose + q)};
      const Affine<float> m = own.blend(t, cache, pose + q);
      const BatchVertex<float> at_rest{{six[q][0], six[q][1], six[q][2]}, {six[q][3], six[q][4], six[q][5]}};
      const VertexSlopes<float> slopes = slopes_of_vertex(m, w.scaled[first_pose + pose + q] != 0, at_rest, given);
      const Vec3<float>&p = slopes.rest.position, &n = slopes.rest.normal;
      six[q][0] = p.x, six[q][1] = p.y, six[q][2] = p.z, six[q][3] = n.x, six[q][4] = n.y, six[q][5] = n.z;
      float by_matrix[12];
      put_rows(slopes.matrix, by_matrix);
      __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < 12; ++i) stage[i * stage_stride + own.lane] = by_matrix[i];
      __syncwarp();
      float* const to = palette_slopes + std::size_t{first_pose + pose + q} * t.palette_size * 12;
      add_matrix_slopes(t, own, stage, tile, 0, to);
      for (unsigned first = 8; first < own.rows; first += 8) {
        WeightTile next;
        next.load(t, own, first);
        add_matrix_slopes(t, own, stage, next, first, to);
      }
    }
    add_weight_slopes(t, own, six, ::min(poses_at_once, count - pose),
                      weight_slopes + std::size_t{first_pose + pose} * t.target_count);
  }
}

}  // namespace supple::gpu
