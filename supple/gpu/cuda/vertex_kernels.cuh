// The part of a batch that is done for each vertex of each pose, and where all the time goes. A lane of a warp is a
// vertex, and keeps what it needs of it for several poses; the palettes and weights of these lie in shared memory,
// where all lanes read the same address at a time. Code is made for every usual number of joints that a group follows,
// so that no branch keeps the reads of one matrix from those of the next.
#pragma once

#include "supple/gpu/batch/joints.h"
#include "supple/gpu/batch/vertex.h"
#include "supple/gpu/cuda/pose_kernels.cuh"

namespace supple::gpu {

inline constexpr unsigned block_warps = 8;
inline constexpr unsigned poses_at_once = 4;  // whose morphed vertices a lane keeps in registers
inline constexpr unsigned stage_stride = 36;  // of 12 numbers of 32 lanes: rows lie in different banks
inline constexpr unsigned skin_stage = poses_at_once * 192, slope_stage = 12 * stage_stride;  // floats of a warp

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

/// The morphed vertices of a few poses, or slopes by them: x, y, z of the position and of the normal.
using SixOfPoses = float[poses_at_once][6];

/// Two numbers of the lane's vertex at a time, see offset_place().
__device__ inline float2 two_numbers(const float* values, std::size_t block, unsigned pair, unsigned lane) {
  return reinterpret_cast<const float2*>(values)[(block * 3 + pair) * 32 + lane];
}

/// A group of 32 vertices, one of them this lane's.
template <unsigned Poses>
struct GroupLane {
  const BatchView& t;
  const PoseCache<Poses>& cache;
  unsigned group, lane, first_row, rows, first_entry, last_entry;
  float rest[6];

  __device__ GroupLane(const BatchView& tables, const PoseCache<Poses>& poses, unsigned g)
      : t(tables), cache(poses), group(g), lane(threadIdx.x % 32) {
    first_row = t.row_first[g];
    rows = t.row_first[g + 1] - first_row;
    first_entry = t.entry_first[g];
    last_entry = t.entry_first[g + 1];
#pragma unroll
    for (unsigned pair = 0; pair < 3; ++pair) {
      const float2 two = two_numbers(t.rest, g, pair, lane);
      rest[2 * pair] = two.x;
      rest[2 * pair + 1] = two.y;
    }
  }

  __device__ float row_weight(unsigned row) const { return t.row_weights[std::size_t{first_row + row} * 32 + lane]; }
  __device__ unsigned row_slot(unsigned row) const { return t.row_slots[first_row + row]; }

  /// Adds morph targets for a few poses.
  __device__ __forceinline__ void morph(unsigned pose, SixOfPoses& six) const {
#pragma unroll
    for (unsigned q = 0; q < poses_at_once; ++q)
#pragma unroll
      for (unsigned c = 0; c < 6; ++c) six[q][c] = rest[c];
#pragma unroll 4
    for (unsigned e = first_entry; e < last_entry; ++e) {
      const float4 w = cache.weights_of(t.entry_targets[e], pose);
#pragma unroll
      for (unsigned pair = 0; pair < 3; ++pair) {
        const float2 two = two_numbers(t.entry_offsets, e, pair, lane);
        const unsigned c = 2 * pair;
        six[0][c] += w.x * two.x, six[0][c + 1] += w.x * two.y;
        six[1][c] += w.y * two.x, six[1][c + 1] += w.y * two.y;
        six[2][c] += w.z * two.x, six[2][c + 1] += w.z * two.y;
        six[3][c] += w.w * two.x, six[3][c + 1] += w.w * two.y;
      }
    }
  }
};

/// Blends the matrices of a group that follows up to `Rows` joints, or any number where that is 0. Reads what does not
/// depend on the pose once.
template <unsigned Rows, unsigned Poses>
struct Blender {
  static constexpr bool any_rows = Rows == 0;
  const GroupLane<Poses>& own;
  float weights[Rows == 0 ? 1 : Rows];
  const float4* matrices[Rows == 0 ? 1 : Rows];

  __device__ explicit Blender(const GroupLane<Poses>& lane) : own(lane) {
#pragma unroll
    for (unsigned u = 0; u + 1 <= Rows; ++u) {  // of none too, where "less than 0" would be a warning
      weights[u] = u < own.rows ? own.row_weight(u) : 0.0f;
      matrices[u] = own.cache.matrix(0, own.row_slot(u < own.rows ? u : 0));
    }
  }
  __device__ __forceinline__ Affine<float> blend(unsigned pose) const {
    float m[12] = {};
    const auto add = [&](float weight, const float4* matrix) {
      const float4 x = matrix[0], y = matrix[1], z = matrix[2];
      m[0] += weight * x.x, m[1] += weight * x.y, m[2] += weight * x.z, m[3] += weight * x.w;
      m[4] += weight * y.x, m[5] += weight * y.y, m[6] += weight * y.z, m[7] += weight * y.w;
      m[8] += weight * z.x, m[9] += weight * z.y, m[10] += weight * z.z, m[11] += weight * z.w;
    };
    if constexpr (Rows == 0) {
      for (unsigned u = 0; u < own.rows; ++u) add(own.row_weight(u), own.cache.matrix(pose, own.row_slot(u)));
    } else {
#pragma unroll
      for (unsigned u = 0; u < Rows; ++u) add(weights[u], matrices[u] + 3 * pose);
    }
    return affine_of_rows(m);
  }
};

/// Calls work(blender, scales) with the code that is made for the group: `scales` is constant where no pose does.
template <unsigned Poses, class Work>
__device__ __forceinline__ void with_rows(const GroupLane<Poses>& own, unsigned scaled, const Work& work) {
  const auto never = [](unsigned) { return false; };
  if (Poses > 0 && scaled == 0 && own.rows <= 2) {
    work(Blender<2, Poses>(own), never);
  } else if (Poses > 0 && scaled == 0 && own.rows <= 4) {
    work(Blender<4, Poses>(own), never);
  } else if (Poses > 0 && scaled == 0 && own.rows <= 6) {
    work(Blender<6, Poses>(own), never);
  } else if (Poses > 0 && scaled == 0 && own.rows <= 8) {
    work(Blender<8, Poses>(own), never);
  } else {
    work(Blender<0, Poses>(own), [scaled](unsigned pose) { return (scaled >> pose & 1) != 0; });
  }
}

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

/// The poses of one group, a few at a time.
template <unsigned Poses, bool Aligned>
struct SkinGroup {
  const GroupLane<Poses>& own;
  float *stage, *positions, *normals;
  unsigned count;

  template <class Blend, class Scales>
  __device__ __forceinline__ void operator()(const Blend& blender, const Scales& scales) const {
    const unsigned numbers = 3 * ::min(32u, own.t.vertex_count - own.group * 32);
    const std::size_t pose_numbers = std::size_t{3} * own.t.vertex_count;
    float *to_positions = positions, *to_normals = normals;
    for (unsigned pose = 0; pose < count; pose += poses_at_once) {
      SixOfPoses six;
      own.morph(pose, six);
      __syncwarp();
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q) {
        const BatchVertex<float> at_rest{{six[q][0], six[q][1], six[q][2]}, {six[q][3], six[q][4], six[q][5]}};
        const BatchVertex<float> posed = pose_vertex(blender.blend(pose + q), scales(pose + q), at_rest);
        float* const to = stage + q * 192 + 3 * own.lane;
        to[0] = posed.position.x, to[1] = posed.position.y, to[2] = posed.position.z;
        to[96] = posed.normal.x, to[97] = posed.normal.y, to[98] = posed.normal.z;
      }
      __syncwarp();
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q) {
        if (pose + q < count) store_group<Aligned>(stage + q * 192, to_positions, to_normals, numbers, own.lane);
        if (positions != nullptr) to_positions += pose_numbers;
        if (normals != nullptr) to_normals += pose_numbers;
      }
    }
  }
};

template <unsigned Poses, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps, 3)
    skin_vertices(const __grid_constant__ VertexWork w, float* positions, float* normals) {
  extern __shared__ float4 shared_memory[];
  float* const shared = reinterpret_cast<float*>(shared_memory);
  const unsigned first_pose = blockIdx.y * PoseCache<Poses>::block_poses, warp = warp_number();
  const PoseCache<Poses> cache(w, shared + block_warps * skin_stage, first_pose);
  const unsigned group = blockIdx.x * block_warps + warp, count = cache.last + 1;
  if (group >= w.tables.group_count) return;
  const GroupLane<Poses> own(w.tables, cache, group);
  const std::size_t first = std::size_t{3} * w.tables.vertex_count * first_pose + std::size_t{96} * group;
  if (positions != nullptr) positions += first;
  if (normals != nullptr) normals += first;
  with_rows(own, scaled_poses(w, first_pose, count),
            SkinGroup<Poses, Aligned>{own, shared + warp * skin_stage, positions, normals, count});
}

/// d += a b by the tensor cores, a 16 x 8 and b 8 x 8 numbers of 11 bits each.
__device__ inline void multiply_add(float (&d)[4], const float (&a)[4], float b0, float b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}
/// The first 11 bits of a number; the next ones are what is left, so that products of both are exact to 22 bits.
__device__ inline float high_part(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }

/// Where a lane begins to read what load_tile() gives it, in bytes of shared memory: lanes 0 to 7 have rows 0 to 7 of
/// the first four vertices, 8 to 15 rows 8 to 15, the others the same of the next four. There are 12 rows; sums of the
/// others are not used, so they may be anything.
__device__ inline unsigned tile_address(const float* stage, unsigned lane) {
  const unsigned row = lane % 8 + (lane / 8 % 2 == 1 && lane % 8 < 4 ? 8 : 0), vertex = lane / 16 * 4;
  return static_cast<unsigned>(__cvta_generic_to_shared(stage + row * stage_stride + vertex));
}
/// 16 x 8 numbers as multiply_add() wants them.
__device__ inline void load_tile(unsigned address, float (&a)[4]) {
  unsigned bits[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(bits[0]), "=r"(bits[1]), "=r"(bits[2]), "=r"(bits[3])
               : "r"(address)
               : "memory");
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) a[i] = __uint_as_float(bits[i]);
}

/// Weights of 8 rows as the tensor cores want them: lane 4 g + k has those of row g, vertices 8 n + k and 8 n + k + 4.
/// And where the lane's four sums belong in the slopes by a palette: -1 for nowhere.
struct WeightTile {
  float high[4][2], low[4][2];
  int places[4];

  template <unsigned Poses>
  __device__ WeightTile(const GroupLane<Poses>& own, unsigned first) {
    const unsigned g = own.lane / 4, k = own.lane % 4;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n)
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned row = first + g, vertex = 8 * n + k + 4 * half;
        const float x = row < own.rows ? own.t.row_weights[std::size_t{own.first_row + row} * 32 + vertex] : 0.0f;
        high[n][half] = high_part(x);
        low[n][half] = x - high[n][half];
      }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = first + 2 * k + i % 2, number = g + 8 * (i / 2);
      places[i] = row < own.rows && number < 12 ? static_cast<int>(own.row_slot(row) * 12 + number) : -1;
    }
  }

  /// Adds to the slopes by the palette what the 32 lanes' slopes by their matrices, in `stage`, make with the weights:
  /// a product of 12 x 32 and 32 x 8 numbers, in three of half the bits each.
  __device__ __forceinline__ void add(unsigned stage, float* palette_slopes) const {
    float sums[4] = {}, rest[4] = {};
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) {
      float a[4], high_a[4], low_a[4];
      load_tile(stage + 32 * n, a);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        high_a[i] = high_part(a[i]);
        low_a[i] = a[i] - high_a[i];
      }
      multiply_add(sums, high_a, high[n][0], high[n][1]);
      multiply_add(rest, low_a, high[n][0], high[n][1]);
      multiply_add(rest, high_a, low[n][0], low[n][1]);
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (places[i] >= 0) atomicAdd(palette_slopes + places[i], sums[i] + rest[i]);
  }
};

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
template <unsigned Poses>
__device__ __forceinline__ void add_weight_slopes(const GroupLane<Poses>& own, const SixOfPoses& six, unsigned count,
                                                  float* weight_slopes) {
  static_assert(poses_at_once == 4);
  const unsigned number = own.lane / 4, pose = number % 4;  // which of the eight sums is this lane's
  const bool mine = own.lane % 4 == 0 && pose < count;
  weight_slopes += std::size_t{pose} * own.t.target_count;
  for (unsigned e = own.first_entry; e < own.last_entry; e += 2) {
    float products[8] = {};
#pragma unroll
    for (unsigned two = 0; two < 2; ++two) {
      const unsigned entry = ::min(e + two, own.last_entry - 1);  // the last one twice, where their number is odd
#pragma unroll
      for (unsigned pair = 0; pair < 3; ++pair) {
        const float2 offset = two_numbers(own.t.entry_offsets, entry, pair, own.lane);
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
          products[4 * two + q] += six[q][2 * pair] * offset.x + six[q][2 * pair + 1] * offset.y;
      }
    }
    const float sum = sums_of_eight(products, own.lane);
    const unsigned entry = e + number / 4;
    if (mine && entry < own.last_entry) atomicAdd(weight_slopes + own.t.entry_targets[entry], sum);
  }
}

/// Slopes of one group, a few poses at a time. Lanes beyond the last vertex read the last one's slopes; their weights
/// and offsets are 0.
template <unsigned Poses>
struct SlopesOfGroup {
  const GroupLane<Poses>& own;
  float* stage;
  const float *position_slopes, *normal_slopes;  // of this lane in the first pose, or null
  float *palette_slopes, *weight_slopes;         // of the first pose
  unsigned count;

  static __device__ Vec3<float> load(const float* at) {
    return at == nullptr ? Vec3<float>{} : Vec3<float>{__ldcs(at), __ldcs(at + 1), __ldcs(at + 2)};
  }

  template <class Blend, class Scales>
  __device__ __forceinline__ void operator()(const Blend& blender, const Scales& scales) const {
    const WeightTile tile(own, 0);
    const unsigned tile_at = tile_address(stage, own.lane);
    const std::size_t pose_numbers = std::size_t{3} * own.t.vertex_count;
    const float *from_positions = position_slopes, *from_normals = normal_slopes;
    float* to_palette = palette_slopes;
    for (unsigned pose = 0; pose < count; pose += poses_at_once) {
      SixOfPoses six;
      own.morph(pose, six);
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q) {
        if (pose + q >= count) break;
        const BatchVertex<float> given{load(from_positions), load(from_normals)};
        const BatchVertex<float> at_rest{{six[q][0], six[q][1], six[q][2]}, {six[q][3], six[q][4], six[q][5]}};
        const VertexSlopes<float> slopes = slopes_of_vertex(blender.blend(pose + q), scales(pose + q), at_rest, given);
        const Vec3<float>&p = slopes.rest.position, &n = slopes.rest.normal;
        six[q][0] = p.x, six[q][1] = p.y, six[q][2] = p.z, six[q][3] = n.x, six[q][4] = n.y, six[q][5] = n.z;
        float by_matrix[12];
        put_rows(slopes.matrix, by_matrix);
        __syncwarp();
#pragma unroll
        for (unsigned i = 0; i < 12; ++i) stage[i * stage_stride + own.lane] = by_matrix[i];
        __syncwarp();
        tile.add(tile_at, to_palette);
        if constexpr (Blend::any_rows)
          for (unsigned first = 8; first < own.rows; first += 8) WeightTile(own, first).add(tile_at, to_palette);
        if (position_slopes != nullptr) from_positions += pose_numbers;
        if (normal_slopes != nullptr) from_normals += pose_numbers;
        to_palette += own.t.palette_size * 12;
      }
      add_weight_slopes(own, six, ::min(poses_at_once, count - pose),
                        weight_slopes + std::size_t{pose} * own.t.target_count);
    }
  }
};

template <unsigned Poses>
__global__ void __launch_bounds__(32 * block_warps, 2)
    differentiate_vertices(const __grid_constant__ VertexWork w, const float* position_slopes,
                           const float* normal_slopes, float* palette_slopes, float* weight_slopes) {
  extern __shared__ float4 shared_memory[];
  float* const shared = reinterpret_cast<float*>(shared_memory);
  const unsigned first_pose = blockIdx.y * PoseCache<Poses>::block_poses, warp = warp_number();
  const PoseCache<Poses> cache(w, shared + block_warps * slope_stage, first_pose);
  const unsigned group = blockIdx.x * block_warps + warp, count = cache.last + 1;
  const BatchView& t = w.tables;
  if (group >= t.group_count) return;
  const GroupLane<Poses> own(t, cache, group);
  const unsigned vertex = ::min(group * 32 + own.lane, t.vertex_count - 1);
  const std::size_t first = (std::size_t{t.vertex_count} * first_pose + vertex) * 3;
  with_rows(own, scaled_poses(w, first_pose, count),
            SlopesOfGroup<Poses>{own, shared + warp * slope_stage,
                                 position_slopes == nullptr ? nullptr : position_slopes + first,
                                 normal_slopes == nullptr ? nullptr : normal_slopes + first,
                                 palette_slopes + std::size_t{first_pose} * t.palette_size * 12,
                                 weight_slopes + std::size_t{first_pose} * t.target_count, count});
}

}  // namespace supple::gpu
