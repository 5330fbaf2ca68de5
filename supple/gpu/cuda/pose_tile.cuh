// How 16 poses lie in memory for the tensor cores: of every entry of the palette 12 numbers, of every morph target its
// weight, each of 16 poses, and where translations are from. Numbers are in two parts. Poses p and p + 8 lie together,
// as one lane needs both; strides put what the lanes of a warp read at a time into different banks of shared memory,
// where joints or targets follow each other.
#pragma once

#include "supple/gpu/batch/tables.h"
#include "supple/gpu/cuda/tensor.cuh"

namespace supple::gpu {

inline constexpr unsigned tile_poses = 16;

/// Lets the next kernel's blocks come while the last ones of this one work.
__device__ inline void let_next_kernel_come() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Of a kernel that may have come early: before it reads or writes what an earlier one writes or reads.
__device__ inline void wait_for_earlier_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

struct PoseTile {
  static constexpr unsigned slot_words = 12 * tile_poses + 8, target_words = tile_poses + 8;
  unsigned palette_size, target_count;

  __host__ __device__ explicit PoseTile(const BatchView& t)
      : palette_size(t.palette_size), target_count(t.target_count) {}
  __host__ __device__ unsigned words() const { return origin(0) + 4 * tile_poses; }
  /// Of the first of the 12 numbers; those of the others follow, tile_poses words apart.
  __host__ __device__ unsigned matrix(unsigned slot) const { return slot * slot_words; }
  __host__ __device__ unsigned weight(unsigned target) const {
    return palette_size * slot_words + target * target_words;
  }
  /// Three numbers of pose `p`: plain ones.
  __host__ __device__ unsigned origin(unsigned p) const { return weight(target_count) + 4 * p; }
  /// Where pose `p` is among the 16 words of a number, and back.
  static __host__ __device__ unsigned place_of(unsigned p) { return p % 8 * 2 + p / 8; }
  static __host__ __device__ unsigned pose_at(unsigned place) { return place / 2 + place % 2 * 8; }
};

/// Packed offsets are eight entries of a group's 64 vertices together, 8 vertices and 2 numbers at a time: lane 4 g + t
/// has of vertex g entries t and t + 4, four words in a row. Where those begin, of the first two numbers, in four
/// words; those of the next two are 32 lanes further.
__host__ __device__ constexpr std::size_t packed_place(std::size_t eight_entries, unsigned eight_vertices,
                                                       unsigned lane) {
  return (eight_entries * (group_vertices / 8) + eight_vertices) * 3 * 32 + lane;
}
inline constexpr unsigned packed_words = group_vertices / 8 * 3 * 32 * 4;  // of eight entries

}  // namespace supple::gpu
