// The part of a batch that is done once for each pose: a warp or a block has a pose.
#pragma once

#include "supple/gpu/batch/batch.h"
#include "supple/gpu/batch/drivers.h"
#include "supple/gpu/batch/joints.h"
#include "supple/gpu/cuda/pose_tile.cuh"

namespace supple::gpu {

/// The threads of a warp, or of a block of several, as the source that CPU and GPU share sees them.
template <unsigned Threads>
struct Team {
  static constexpr bool is_warp = Threads == 32;
  SUPPLE_ON_DEVICE unsigned rank() const {
#if defined(__CUDA_ARCH__)
    return threadIdx.x % Threads;
#else
    return 0;
#endif
  }
  SUPPLE_ON_DEVICE unsigned size() const { return Threads; }
  SUPPLE_ON_DEVICE void sync() const {
#if defined(__CUDA_ARCH__)
    if constexpr (is_warp)
      __syncwarp();
    else
      __syncthreads();
#endif
  }
  SUPPLE_ON_DEVICE double sum(double value) const {
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
    if constexpr (!is_warp) {
      __shared__ double of_warps[Threads / 32];
      if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
      __syncthreads();
      value = 0;
      for (double of_warp : of_warps) value += of_warp;
      __syncthreads();
    }
#endif
    return value;
  }
  SUPPLE_ON_DEVICE bool any(bool value) const {
#if defined(__CUDA_ARCH__)
    if constexpr (is_warp) return __any_sync(~0u, value) != 0;
    return __syncthreads_or(value) != 0;
#else
    return value;
#endif
  }
};

inline constexpr unsigned pose_threads = 128;  // of a block: of one pose, or of four with a warp each
inline constexpr unsigned many_blocks = 8;     // on a multiprocessor

/// What lies on the device between the kernels of a batch, for `count` poses.
struct PoseScratch {
  float *world = nullptr, *world_slopes = nullptr;                                     // count * #joints * 12
  float *palette = nullptr, *palette_slopes = nullptr;                                 // count * #palette * 12
  float *weights = nullptr, *weight_slopes = nullptr;                                  // count * #targets
  unsigned char* scaled = nullptr;                                                     // count
  std::uint32_t* tiles = nullptr;                                                      // see PoseTile
  double *rows = nullptr, *row_slopes = nullptr, *sums = nullptr, *kernels = nullptr;  // see DriverRoom, of each pose

  SUPPLE_ON_DEVICE DriverRoom drivers(const BatchView& t, std::size_t pose) const {
    return {rows + pose * t.row_count, row_slopes + pose * 4 * t.row_count, sums + pose * 4 * t.max_driver_joints,
            kernels + pose * pose_threads * t.max_driver_joints};
  }
};

template <class Number>
__device__ Number* offset_or_null(Number* first, std::size_t offset) {
  return first == nullptr ? nullptr : first + offset;
}

__device__ inline JointArrays<const float> joints_of(const BatchView& t, const BatchPoses& poses, std::size_t pose) {
  const std::size_t j = pose * t.joint_count;
  return {offset_or_null(poses.rotations, 4 * j), offset_or_null(poses.translations, 3 * j),
          offset_or_null(poses.scales, 3 * j)};
}

/// Drivers to weights, a block for each pose; then joints to palettes, a warp for each pose: both wait for other
/// things, and do not wait for each other. Rows of drivers lie in shared memory if it has room for them.
template <bool SharedRows>
__global__ void __launch_bounds__(pose_threads, many_blocks)
    prepare_poses(const BatchView t, const BatchPoses poses, const PoseScratch s, unsigned driver_blocks) {
  extern __shared__ double rows[];
  if (blockIdx.x < driver_blocks) {
    const std::size_t pose = blockIdx.x;
    const Team<pose_threads> team;
    DriverRoom room = s.drivers(t, pose);
    if (SharedRows) room.rows = rows;
    drive_rows(t, team, joints_of(t, poses, pose).rotations, room);
    team.sync();
    for (unsigned m = team.rank(); m < t.target_count; m += team.size())
      s.weights[pose * t.target_count + m] =
          weight_of(t, m, offset_or_null(poses.morph_weights, pose * t.weight_count), room.rows);
    return;
  }
  const std::size_t pose = (std::size_t{blockIdx.x - driver_blocks} * pose_threads + threadIdx.x) / 32;
  if (pose >= poses.count) return;
  const Team<32> team;
  float* world = s.world + pose * t.joint_count * 12;
  place_joints(t, team, joints_of(t, poses, pose), world);
  const bool scaled = make_batch_palette(t, team, world, s.palette + pose * t.palette_size * 12);
  if (team.rank() == 0) s.scaled[pose] = scaled;
}

/// Packs the poses of a batch, a thread for every word of their tiles. Translations are those from the first entry of
/// the palette in units of the part's size, so that they are exact to as many bits of it wherever the character stands;
/// but where weights do not sum up to 1, from the world's origin.
__global__ void __launch_bounds__(256) pack_poses(const BatchView t, const BatchPoses poses, const PoseScratch s) {
  const PoseTile shape(t);
  const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
  if (word >= shape.words()) return;
  std::uint32_t* const to = s.tiles + std::size_t{blockIdx.y} * shape.words() + word;
  const auto pose_of = [&](unsigned place) {  // the last one again, where a tile has more
    return ::min(std::size_t{blockIdx.y} * tile_poses + place, poses.count - 1);
  };
  const auto palette_of = [&](std::size_t pose) { return s.palette + pose * t.palette_size * 12; };
  if (word < shape.weight(0)) {
    const unsigned slot = word / PoseTile::slot_words, rest = word % PoseTile::slot_words, number = rest / tile_poses;
    if (number >= 12) return;
    const float* const palette = palette_of(pose_of(PoseTile::pose_at(rest % tile_poses)));
    float x = palette[slot * 12 + number];
    if (number % 4 == 3) x = (x - (t.is_affine ? palette[number] : 0)) / t.size;
    x /= t.matrix_size;
    *to = two_parts(x);
  } else if (word < shape.origin(0)) {
    const unsigned target = (word - shape.weight(0)) / PoseTile::target_words;
    const unsigned place = (word - shape.weight(0)) % PoseTile::target_words;
    if (place >= tile_poses) return;
    const std::size_t pose = pose_of(PoseTile::pose_at(place));
    *to = two_parts(s.weights[pose * t.target_count + target] * t.target_sizes[target]);
  } else {
    const unsigned pose = (word - shape.origin(0)) / 4, i = (word - shape.origin(0)) % 4;
    *to = __float_as_uint(i < 3 && t.is_affine ? palette_of(pose_of(pose))[4 * i + 3] : 0);
  }
}

/// Slopes by palettes to slopes by joints, and those by weights that no driver moves: a warp for each pose.
__global__ void __launch_bounds__(pose_threads)
    finish_joints(const BatchView t, const BatchPoses poses, const PoseScratch s, const BatchSlopes slopes) {
  const std::size_t pose = (std::size_t{blockIdx.x} * pose_threads + threadIdx.x) / 32;
  if (pose >= poses.count) return;
  const Team<32> team;
  const std::size_t j = pose * t.joint_count;
  const JointArrays<float> out{offset_or_null(slopes.rotations, 4 * j), offset_or_null(slopes.translations, 3 * j),
                               offset_or_null(slopes.scales, 3 * j)};
  slopes_by_joints(t, team, joints_of(t, poses, pose), s.world + j * 12, s.palette_slopes + pose * t.palette_size * 12,
                   s.world_slopes + j * 12, out);
  if (slopes.morph_weights != nullptr)
    spread_weight_slopes(t, team, s.weight_slopes + pose * t.target_count,
                         slopes.morph_weights + pose * t.weight_count);
}

/// What drivers add to the slopes by rotations: a block for each pose. They wait for one step after the other of their
/// arithmetic in double precision, so that many of them are wanted at once.
__global__ void __launch_bounds__(pose_threads, many_blocks)
    finish_drivers(const BatchView t, const BatchPoses poses, const PoseScratch s, float* rotation_slopes) {
  const std::size_t pose = blockIdx.x;
  slopes_by_drivers(t, Team<pose_threads>(), joints_of(t, poses, pose).rotations,
                    s.weight_slopes + pose * t.target_count, s.drivers(t, pose),
                    rotation_slopes + pose * t.joint_count * 4);
}

}  // namespace supple::gpu
