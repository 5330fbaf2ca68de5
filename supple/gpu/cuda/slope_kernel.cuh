// Slopes of a loss by posed vertices to slopes by palettes and weights.
#pragma once

#include "supple/gpu/cuda/vertex_lanes.cuh"

namespace supple::gpu {

inline constexpr unsigned stage_stride = 36;                // of 12 numbers of 32 lanes: rows lie in different banks
inline constexpr unsigned slope_stage = 12 * stage_stride;  // floats of a warp

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
  __device__ WeightTile(const GroupLane<Poses, 1>& own, unsigned first) {
    const unsigned g = own.lane / 4, k = own.lane % 4;
#pragma unroll
    for (unsigned n = 0; n < 4; ++n)
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned row = first + g, vertex = own.vertex - own.lane + 8 * n + k + 4 * half;
        const float x =
            row < own.rows ? own.t.row_weights[std::size_t{own.first_row + row} * group_vertices + vertex] : 0.0f;
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
__device__ __forceinline__ void add_weight_slopes(const GroupLane<Poses, 1>& own, const SixOfPoses<1>& six,
                                                  unsigned count, float* weight_slopes) {
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
        const float2 offset = two_numbers(own.t.entry_offsets, entry, pair, own.vertex);
#pragma unroll
        for (unsigned q = 0; q < 4; ++q)
          products[4 * two + q] += six[0][q][2 * pair] * offset.x + six[0][q][2 * pair + 1] * offset.y;
      }
    }
    const float sum = sums_of_eight(products, own.lane);
    const unsigned entry = e + number / 4;
    if (mine && entry < own.last_entry) atomicAdd(weight_slopes + own.t.entry_targets[entry], sum);
  }
}

/// Slopes of half a group, a few poses at a time. Lanes beyond the last vertex read the last one's slopes; their
/// weights and offsets are 0.
template <unsigned Poses>
struct SlopesOfGroup {
  const GroupLane<Poses, 1>& own;
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
      SixOfPoses<1> six;
      own.morph(pose, six);
#pragma unroll
      for (unsigned q = 0; q < poses_at_once; ++q) {
        if (pose + q >= count) break;
        float(&s)[6] = six[0][q];
        float rows[1][12];
        blender.blend(pose + q, rows);
        const BatchVertex<float> given{load(from_positions), load(from_normals)};
        const BatchVertex<float> at_rest{{s[0], s[1], s[2]}, {s[3], s[4], s[5]}};
        const VertexSlopes<float> slopes = slopes_of_vertex(affine_of_rows(rows[0]), scales(pose + q), at_rest, given);
        const Vec3<float>&p = slopes.rest.position, &n = slopes.rest.normal;
        s[0] = p.x, s[1] = p.y, s[2] = p.z, s[3] = n.x, s[4] = n.y, s[5] = n.z;
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
  const unsigned half = blockIdx.x * block_warps + warp, group = half / 2, count = cache.last + 1;
  const BatchView& t = w.tables;
  if (32 * half >= t.vertex_count) return;
  const GroupLane<Poses, 1> own(t, cache, group, 32 * (half % 2) + threadIdx.x % 32);
  const unsigned vertex = ::min(group * group_vertices + own.vertex, t.vertex_count - 1);
  const std::size_t first = (std::size_t{t.vertex_count} * first_pose + vertex) * 3;
  with_rows(own, scaled_poses(w, first_pose, count),
            SlopesOfGroup<Poses>{own, shared + warp * slope_stage,
                                 position_slopes == nullptr ? nullptr : position_slopes + first,
                                 normal_slopes == nullptr ? nullptr : normal_slopes + first,
                                 palette_slopes + std::size_t{first_pose} * t.palette_size * 12,
                                 weight_slopes + std::size_t{first_pose} * t.target_count, count});
}

}  // namespace supple::gpu
