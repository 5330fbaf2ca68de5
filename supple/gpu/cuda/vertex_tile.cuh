// The part of a batch that is done for each vertex of each pose, and where all the time goes. A warp has a group of 64
// vertices in 16 poses, 8 vertices at a time. Morph targets and the blending of matrices are products: numbers of
// poses, which it keeps, times offsets or weights of vertices. The tensor cores leave both where they are needed: lane
// 4 g + t has vertices 2 t and 2 t + 1 of the eight in poses g and g + 8.
#pragma once

#include "supple/gpu/batch/joints.h"
#include "supple/gpu/batch/vertex.h"
#include "supple/gpu/cuda/pose_kernels.cuh"

namespace supple::gpu {

inline constexpr unsigned tile_entries = 8;  // morph targets of one product

/// What the kernels of vertices are given.
struct VertexWork {
  BatchView tables;
  unsigned poses = 0;
  const std::uint32_t* tiles = nullptr;  // see PoseTile
  const unsigned char* scaled = nullptr;
};

/// A number of a lane's vertices and poses: [i] is of vertex i % 2 in pose g + i / 2 * 8.
using PairNumber = float[4];

/// What a lane reads of eight vertices.
template <unsigned Terms>
struct EightVertices {
  float4 rest[3];        // numbers 2 c and 2 c + 1 of vertices 2 t and 2 t + 1
  uint4 offsets[3];      // of the first eight targets, likewise; see packed_place()
  float weights[Terms];  // of vertex g in rows t and t + 4
};

/// What a lane keeps of a tile of poses for the joints and morph targets of a group. `Columns` of the matrices are
/// wanted: three of rotations, and the translation. Products have the terms of `4 * Terms` rows of weights: four where
/// a group follows no more joints.
template <unsigned Columns, unsigned Terms>
struct TileLane {
  static constexpr unsigned tile_rows = 4 * Terms;
  const BatchView& t;
  PoseTile shape;
  const std::uint32_t* poses;
  unsigned g, lane_t, group;
  unsigned first_row, rows, first_entry, entries;
  std::uint32_t matrices[12][2 * Terms];  // of the first rows, the first factor of products
  std::uint32_t high[4], low[4];          // parts of the weights of the first eight targets, likewise

  __device__ TileLane(const VertexWork& w, unsigned of_group, unsigned tile)
      : t(w.tables),
        shape(t),
        poses(w.tiles + std::size_t{tile} * shape.words()),
        g(threadIdx.x % 32 / 4),
        lane_t(threadIdx.x % 4),
        group(of_group) {
    first_row = t.row_first[group];
    rows = t.row_first[group + 1] - first_row;
    first_entry = t.entry_first[group];
    entries = t.entry_first[group + 1] - first_entry;
    find_matrices(0, matrices);
    find_targets(0, high, low);
  }

  /// Matrices of a few rows: this lane has those of rows t and t + 4.
  __device__ __forceinline__ void find_matrices(unsigned row, std::uint32_t (&words)[12][2 * Terms]) const {
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const unsigned r = row + lane_t + 4 * k;
      const std::uint32_t* const at = poses + shape.matrix(t.row_slots[first_row + (r < rows ? r : 0)]) + 2 * g;
#pragma unroll
      for (unsigned n = 0; n < 12; ++n) {
        if (n % 4 >= Columns) continue;
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(at + n * tile_poses));
        words[n][2 * k] = two.x, words[n][2 * k + 1] = two.y;
      }
    }
  }
  /// Weights of eight targets, likewise.
  __device__ __forceinline__ void find_targets(unsigned entry, std::uint32_t (&to_high)[4],
                                               std::uint32_t (&to_low)[4]) const {
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) {
      const unsigned e = entry + lane_t + 4 * k;
      uint2 two{0, 0};
      if (e < entries)
        two = __ldg(reinterpret_cast<const uint2*>(poses + shape.weight(t.entry_targets[first_entry + e]) + 2 * g));
      to_high[2 * k] = high_twice(two.x), to_high[2 * k + 1] = high_twice(two.y);
      to_low[2 * k] = low_twice(two.x), to_low[2 * k + 1] = low_twice(two.y);
    }
  }

  /// Vertices `first` to first + 7 of the group.
  __device__ __forceinline__ EightVertices<Terms> read(unsigned first) const {
    EightVertices<Terms> made;
#pragma unroll
    for (unsigned c = 0; c < 3; ++c) {
      made.rest[c] = __ldg(reinterpret_cast<const float4*>(t.rest + offset_place(group, 2 * c, first + 2 * lane_t)));
      made.offsets[c] = {0, 0, 0, 0};
      if (entries > 0) made.offsets[c] = offsets(first, 0, c);
    }
    find_weights(first, 0, made.weights);
    return made;
  }
  __device__ __forceinline__ uint4 offsets(unsigned first, unsigned entry, unsigned c) const {
    const unsigned eight = t.packed_first[group] + entry / tile_entries;
    return __ldg(reinterpret_cast<const uint4*>(t.packed_offsets) + packed_place(eight, first / 8, 4 * g + lane_t) +
                 32 * c);
  }
  __device__ __forceinline__ void find_weights(unsigned first, unsigned row, float (&weights)[Terms]) const {
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const unsigned r = row + lane_t + 4 * k;
      weights[k] = r < rows ? __ldg(t.row_weights + std::size_t{first_row + r} * group_vertices + first + g) : 0.0f;
    }
  }

  /// At rest, with their morph targets added.
  __device__ __forceinline__ void morph(unsigned first, const EightVertices<Terms>& eight, PairNumber (&six)[6]) const {
#pragma unroll
    for (unsigned c = 0; c < 6; ++c)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) six[c][i] = 0;
    if (entries > 0) {
#pragma unroll
      for (unsigned c = 0; c < 3; ++c) add_targets(eight.offsets[c], high, low, six[2 * c], six[2 * c + 1]);
    }
    for (unsigned entry = tile_entries; entry < entries; entry += tile_entries) {
      std::uint32_t more_high[4], more_low[4];
      find_targets(entry, more_high, more_low);
#pragma unroll
      for (unsigned c = 0; c < 3; ++c)
        add_targets(offsets(first, entry, c), more_high, more_low, six[2 * c], six[2 * c + 1]);
    }
#pragma unroll
    for (unsigned c = 0; c < 6; c += 2) {
      const float4& two = eight.rest[c / 2];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {  // positions move in units of the size, normals as they are
        const float x = i % 2 == 0 ? two.x : two.z, y = i % 2 == 0 ? two.y : two.w;
        six[c][i] = c < 3 ? x + t.size * six[c][i] : x + six[c][i];
        six[c + 1][i] = c + 1 < 3 ? y + t.size * six[c + 1][i] : y + six[c + 1][i];
      }
    }
  }
  static __device__ __forceinline__ void add_targets(const uint4& offsets, const std::uint32_t (&of_high)[4],
                                                     const std::uint32_t (&of_low)[4], PairNumber& x, PairNumber& y) {
    multiply_add(x, of_low, {offsets.x, offsets.z});
    multiply_add(y, of_low, {offsets.y, offsets.w});
    multiply_add(x, of_high, {offsets.x, offsets.z});
    multiply_add(y, of_high, {offsets.y, offsets.w});
  }

  /// Their blended matrices.
  __device__ __forceinline__ void blend(unsigned first, const EightVertices<Terms>& eight, PairNumber (&m)[12]) const {
#pragma unroll
    for (unsigned k = 0; k < 12; ++k)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) m[k][i] = 0;
    add_rows(eight.weights, matrices, m);
    for (unsigned row = tile_rows; row < rows; row += tile_rows) {
      std::uint32_t more[12][2 * Terms];
      float weights[Terms];
      find_matrices(row, more);
      find_weights(first, row, weights);
      add_rows(weights, more, m);
    }
  }
  static __device__ __forceinline__ void add_rows(const float (&weights)[Terms],
                                                  const std::uint32_t (&of_poses)[12][2 * Terms], PairNumber (&m)[12]) {
    std::uint32_t of_high[Terms], of_low[Terms];
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const std::uint32_t parts = two_parts(weights[k]);
      of_high[k] = high_twice(parts), of_low[k] = low_twice(parts);
    }
#pragma unroll
    for (unsigned k = 0; k < 12; ++k) {
      if (k % 4 >= Columns) continue;
      multiply_add(m[k], of_poses[k], of_low);
      multiply_add(m[k], of_poses[k], of_high);
    }
  }
};

/// The blended matrix of one vertex in one pose.
__device__ inline Affine<float> matrix_of(const PairNumber (&m)[12], unsigned i) {
  float rows[12];
#pragma unroll
  for (unsigned k = 0; k < 12; ++k) rows[k] = m[k][i];
  return affine_of_rows(rows);
}
__device__ inline BatchVertex<float> vertex_of(const PairNumber (&six)[6], unsigned i) {
  return {{six[0][i], six[1][i], six[2][i]}, {six[3][i], six[4][i], six[5][i]}};
}

/// Which poses of a tile scale: a bit of each.
__device__ inline unsigned scaled_poses(const VertexWork& w, unsigned tile) {
  const unsigned lane = threadIdx.x % 32, pose = tile * tile_poses + lane;
  return __ballot_sync(~0u, lane < tile_poses && pose < w.poses && w.scaled[pose] != 0);
}
/// The number of a warp in its block, known to the compiler to be the same for all its lanes: branches by it, and by
/// what is read by it, cost nothing.
__device__ inline unsigned warp_number() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

// Positions or normals of 16 vertices in shared memory: 16 poses of 48 numbers, so far apart that the lanes of half a
// warp put two numbers each into different banks. Between it and a batch's arrays go whole poses.
inline constexpr unsigned stage_vertices = 16, stage_stride = 56, stage_size = tile_poses * stage_stride;

/// Where a lane's vertices of eight, from number `first` of the 16 on, begin in the stage, in pose `p` of the tile.
__device__ inline unsigned stage_place(unsigned p, unsigned lane_t, unsigned first) {
  return p * stage_stride + 6 * lane_t + 3 * first;
}

/// Calls visit(place in the stage, place in the array) for what a lane carries of `poses` poses of `numbers` numbers
/// each, four numbers at a time where arrays are aligned to them, else one.
template <bool Aligned, class Visit>
__device__ __forceinline__ void for_numbers(unsigned poses, unsigned numbers, unsigned pose_stride,
                                            const Visit& visit) {
  constexpr unsigned width = Aligned ? 4 : 1, of_pose = 3 * stage_vertices / width;  // 12 or 48: 96 are whole poses
  constexpr unsigned period = 96 / of_pose;
  const unsigned lane = threadIdx.x % 32;
  const auto go = [&](unsigned number, unsigned more) {
    const unsigned pose = number / of_pose, at = width * (number % of_pose);
    visit(pose * stage_stride + at + more * stage_stride,
          std::size_t{pose} * pose_stride + at + std::size_t{more} * pose_stride);
  };
  if (poses == tile_poses && numbers == 3 * stage_vertices) {
#pragma unroll
    for (unsigned part = 0; part < 3; ++part)
#pragma unroll
      for (unsigned more = 0; more < tile_poses; more += period) go(lane + 32 * part, more);
  } else {
#pragma unroll 1
    for (unsigned number = lane; number / of_pose < poses; number += 32)
      if (width * (number % of_pose) < numbers) go(number, 0);
  }
}

}  // namespace supple::gpu
