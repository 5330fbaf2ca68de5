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

/// Two of the six numbers of eight vertices, as a lane reads them: 2 c and 2 c + 1.
struct TwoNumbers {
  float4 rest;    // of vertices 2 t and 2 t + 1
  uint4 offsets;  // of the first eight targets, see packed_place()
};
/// All that a lane reads of eight vertices.
template <unsigned Terms>
struct EightVertices {
  TwoNumbers numbers[3];
  float weights[Terms];  // of vertex g in rows t and t + 4
};

/// Matrices of a few rows in 16 poses, the first factor of products: of rows t and t + 4.
template <unsigned Terms>
struct TileMatrices {
  std::uint32_t words[12][2 * Terms];

  __device__ __forceinline__ void get(unsigned k, std::uint32_t (&to)[2 * Terms]) const {
#pragma unroll
    for (unsigned i = 0; i < 2 * Terms; ++i) to[i] = words[k][i];
  }
};
/// Weights of eight morph targets, likewise.
struct TileTargets {
  std::uint32_t high[4], low[4];
};

/// Where a group's vertices are read: its first rows and morph targets. In global or in shared memory, as laid out in
/// the tables.
struct GroupTables {
  const float *rest, *row_weights;
  const uint4* offsets;

  __device__ GroupTables(const BatchView& t, unsigned group)
      : rest(t.rest + offset_place(group, 0, 0)),
        row_weights(t.row_weights + std::size_t{t.row_first[group]} * group_vertices),
        offsets(reinterpret_cast<const uint4*>(t.packed_offsets) + packed_place(t.packed_first[group], 0, 0)) {}
  __device__ GroupTables(const float* of_rest, const float* of_weights, const uint4* of_offsets)
      : rest(of_rest), row_weights(of_weights), offsets(of_offsets) {}
};

/// What a lane reads of a tile of poses for the joints and morph targets of a group. `Columns` of the matrices are
/// wanted: three of rotations, and the translation. Products have the terms of `4 * Terms` rows of weights: four where
/// a group follows no more joints. `Staged`: first rows and targets are in shared memory.
template <unsigned Columns, unsigned Terms, bool Staged>
struct TileLane {
  static constexpr unsigned tile_rows = 4 * Terms;
  const BatchView& t;
  PoseTile shape;
  const std::uint32_t* poses;
  GroupTables tables;
  unsigned g, lane_t, group;
  unsigned first_row, rows, first_entry, entries;

  __device__ TileLane(const VertexWork& w, const GroupTables& of_tables, unsigned of_group, unsigned tile)
      : t(w.tables),
        shape(t),
        poses(w.tiles + std::size_t{tile} * shape.words()),
        tables(of_tables),
        g(threadIdx.x % 32 / 4),
        lane_t(threadIdx.x % 4),
        group(of_group) {
    first_row = t.row_first[group];
    rows = t.row_first[group + 1] - first_row;
    first_entry = t.entry_first[group];
    entries = t.entry_first[group + 1] - first_entry;
  }

  __device__ __forceinline__ unsigned slot_of(unsigned row) const {
    return shape.matrix(t.row_slots[first_row + (row < rows ? row : 0)]) + 2 * g;
  }
  __device__ __forceinline__ TileMatrices<Terms> matrices_at(const unsigned (&slots)[Terms]) const {
    TileMatrices<Terms> made;
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k)
#pragma unroll
      for (unsigned n = 0; n < 12; ++n) {
        if (n % 4 >= Columns) continue;
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(poses + slots[k] + n * tile_poses));
        made.words[n][2 * k] = two.x, made.words[n][2 * k + 1] = two.y;
      }
    return made;
  }
  __device__ __forceinline__ TileMatrices<Terms> first_matrices() const {
    unsigned slots[Terms];
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) slots[k] = slot_of(lane_t + 4 * k);
    return matrices_at(slots);
  }
  __device__ __forceinline__ TileTargets find_targets(unsigned entry) const {
    TileTargets made;
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) {
      const unsigned e = entry + lane_t + 4 * k;
      uint2 two{0, 0};
      if (e < entries)
        two = __ldg(reinterpret_cast<const uint2*>(poses + shape.weight(t.entry_targets[first_entry + e]) + 2 * g));
      made.high[2 * k] = high_twice(two.x), made.high[2 * k + 1] = high_twice(two.y);
      made.low[2 * k] = low_twice(two.x), made.low[2 * k + 1] = low_twice(two.y);
    }
    return made;
  }

  template <class T>
  static __device__ __forceinline__ T load(const T* from) {
    if constexpr (Staged) return *from;
    return __ldg(from);
  }
  /// Vertices `first` to first + 7 of the group.
  __device__ __forceinline__ EightVertices<Terms> read(unsigned first) const {
    EightVertices<Terms> made;
#pragma unroll
    for (unsigned c = 0; c < 3; ++c) made.numbers[c] = read_numbers(first, c);
    read_weights(first, made.weights);
    return made;
  }
  __device__ __forceinline__ TwoNumbers read_numbers(unsigned first, unsigned c) const {
    TwoNumbers made{load(reinterpret_cast<const float4*>(tables.rest + offset_place(0, 2 * c, first + 2 * lane_t))),
                    {0, 0, 0, 0}};
    if (entries > 0) made.offsets = load(tables.offsets + packed_place(0, first / 8, 4 * g + lane_t) + 32 * c);
    return made;
  }
  __device__ __forceinline__ void read_weights(unsigned first, float (&weights)[Terms]) const {
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const unsigned r = lane_t + 4 * k;
      weights[k] = r < rows ? load(tables.row_weights + r * group_vertices + first + g) : 0.0f;
    }
  }
  /// The same of later targets and rows, which are not in shared memory.
  __device__ __forceinline__ uint4 later_offsets(unsigned first, unsigned entry, unsigned c) const {
    const unsigned eight = t.packed_first[group] + entry / tile_entries;
    return __ldg(reinterpret_cast<const uint4*>(t.packed_offsets) + packed_place(eight, first / 8, 4 * g + lane_t) +
                 32 * c);
  }
  __device__ __forceinline__ void later_weights(unsigned first, unsigned row, float (&weights)[Terms]) const {
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const unsigned r = row + lane_t + 4 * k;
      weights[k] = r < rows ? __ldg(t.row_weights + std::size_t{first_row + r} * group_vertices + first + g) : 0.0f;
    }
  }

  /// At rest, with their morph targets added; `targets` are the first eight.
  __device__ __forceinline__ void morph(unsigned first, const EightVertices<Terms>& eight, const TileTargets& targets,
                                        PairNumber (&six)[6]) const {
#pragma unroll
    for (unsigned c = 0; c < 6; ++c)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) six[c][i] = 0;
    if (entries > 0) {
#pragma unroll
      for (unsigned c = 0; c < 3; ++c) add_targets(eight.numbers[c].offsets, targets, six[2 * c], six[2 * c + 1]);
    }
    for (unsigned entry = tile_entries; entry < entries; entry += tile_entries) {
      const TileTargets more = find_targets(entry);
#pragma unroll
      for (unsigned c = 0; c < 3; ++c) add_targets(later_offsets(first, entry, c), more, six[2 * c], six[2 * c + 1]);
    }
#pragma unroll
    for (unsigned c = 0; c < 6; c += 2) {
      const float4& two = eight.numbers[c / 2].rest;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {  // positions move in units of the size, normals as they are
        const float x = i % 2 == 0 ? two.x : two.z, y = i % 2 == 0 ? two.y : two.w;
        six[c][i] = c < 3 ? x + t.size * six[c][i] : x + six[c][i];
        six[c + 1][i] = c + 1 < 3 ? y + t.size * six[c + 1][i] : y + six[c + 1][i];
      }
    }
  }
  static __device__ __forceinline__ void add_targets(const uint4& offsets, const TileTargets& targets, PairNumber& x,
                                                     PairNumber& y) {
    multiply_add(x, targets.low, {offsets.x, offsets.z});
    multiply_add(y, targets.low, {offsets.y, offsets.w});
    multiply_add(x, targets.high, {offsets.x, offsets.z});
    multiply_add(y, targets.high, {offsets.y, offsets.w});
  }

  /// Their blended matrices, from the weights and `matrices` (see TileMatrices) of the first rows.
  template <class Matrices>
  __device__ __forceinline__ void blend(unsigned first, const float (&first_weights)[Terms], const Matrices& matrices,
                                        PairNumber (&m)[12]) const {
#pragma unroll
    for (unsigned k = 0; k < 12; ++k)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) m[k][i] = 0;
    add_rows(first_weights, matrices, m);
    for (unsigned row = tile_rows; row < rows; row += tile_rows) {
      unsigned slots[Terms];
      float weights[Terms];
#pragma unroll
      for (unsigned k = 0; k < Terms; ++k) slots[k] = slot_of(row + lane_t + 4 * k);
      later_weights(first, row, weights);
      add_rows(weights, matrices_at(slots), m);
    }
  }
  template <class Matrices>
  static __device__ __forceinline__ void add_rows(const float (&weights)[Terms], const Matrices& of_poses,
                                                  PairNumber (&m)[12]) {
    std::uint32_t of_high[Terms], of_low[Terms];
#pragma unroll
    for (unsigned k = 0; k < Terms; ++k) {
      const std::uint32_t parts = two_parts(weights[k]);
      of_high[k] = high_twice(parts), of_low[k] = low_twice(parts);
    }
#pragma unroll
    for (unsigned k = 0; k < 12; ++k) {
      if (k % 4 >= Columns) continue;
      std::uint32_t words[2 * Terms];
      of_poses.get(k, words);
      multiply_add(m[k], words, of_low);
      multiply_add(m[k], words, of_high);
    }
  }
};

/// Three numbers of one vertex in one pose, from number `first` on.
template <unsigned Count>
__device__ inline Vec3<float> three_of(const PairNumber (&numbers)[Count], unsigned first, unsigned i) {
  return {numbers[first][i], numbers[first + 1][i], numbers[first + 2][i]};
}
template <unsigned Count>
__device__ inline void put_three_of(PairNumber (&numbers)[Count], unsigned first, unsigned i, const Vec3<float>& v) {
  numbers[first][i] = v.x, numbers[first + 1][i] = v.y, numbers[first + 2][i] = v.z;
}
/// Its blended matrix.
__device__ inline Affine<float> matrix_of(const PairNumber (&m)[12], unsigned i) {
  float rows[12];
#pragma unroll
  for (unsigned k = 0; k < 12; ++k) rows[k] = m[k][i];
  return affine_of_rows(rows);
}

/// Which poses of a tile scale: a bit of each.
__device__ inline unsigned scaled_poses(const VertexWork& w, unsigned tile) {
  const unsigned lane = threadIdx.x % 32, pose = tile * tile_poses + lane;
  return __ballot_sync(~0u, lane < tile_poses && pose < w.poses && w.scaled[pose] != 0);
}
/// The number of a warp in its block, known to the compiler to be the same for all its lanes: branches by it, and by
/// what is read by it, cost nothing.
__device__ inline unsigned warp_number() { return __shfl_sync(~0u, threadIdx.x / 32, 0); }

// Positions or normals of 8 or 16 vertices in shared memory: 16 poses, so far apart that the lanes of half a warp have
// two numbers each in different banks. Between it and a batch's arrays go whole poses.
template <unsigned Vertices>
struct Stage {
  static constexpr unsigned vertices = Vertices, stride = Vertices == 16 ? 56 : 24, size = tile_poses * stride;

  /// Where a lane's vertices of eight, from number `first` on, begin in pose `p` of the tile.
  static __device__ unsigned place(unsigned p, unsigned lane_t, unsigned first) {
    return p * stride + 6 * lane_t + 3 * first;
  }

  /// Calls visit(place in the stage, place in the array) for what a lane carries of `poses` poses of `numbers` numbers
  /// each, four numbers at a time where arrays are aligned to them, else one.
  template <bool Aligned, class Visit>
  static __device__ __forceinline__ void for_numbers(unsigned poses, unsigned numbers, unsigned pose_stride,
                                                     const Visit& visit) {
    constexpr unsigned width = Aligned ? 4 : 1, of_pose = 3 * Vertices / width;
    constexpr unsigned period = 96 / of_pose;  // poses of which three times 32 lanes carry all
    const unsigned lane = threadIdx.x % 32;
    const auto go = [&](unsigned number, unsigned more) {
      const unsigned pose = number / of_pose, at = width * (number % of_pose);
      visit(pose * stride + at + more * stride, std::size_t{pose} * pose_stride + at + std::size_t{more} * pose_stride);
    };
    if (poses == tile_poses && numbers == 3 * Vertices) {
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
};

}  // namespace supple::gpu
