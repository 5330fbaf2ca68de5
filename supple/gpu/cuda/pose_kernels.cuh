// The part of a batch that is done once for each pose: a warp or a block has a pose.
#pragma once

#include "supple/gpu/batch/batch.h"
#include "supple/gpu/batch/drivers.h"
#include "supple/gpu/batch/joints.h"

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
    static_assert(is_warp);
#if defined(__CUDA_ARCH__)
    for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
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

/// What lies on the device between the kernels of a batch, for `count` poses.
struct PoseScratch {
  float *world = nullptr, *world_slopes = nullptr;                                     // count * #joints * 12
  float *palette = nullptr, *palette_slopes = nullptr;                                 // count * #palette * 12
  float *weights = nullptr, *weight_slopes = nullptr;                                  // count * #targets
  unsigned char* scaled = nullptr;                                                     // count
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

/// Joints to palettes, drivers to weights, by `Threads` threads a pose.
template <unsigned Threads>
__global__ void __launch_bounds__(pose_threads)
    prepare_poses(const BatchView t, const BatchPoses poses, const PoseScratch s) {
  const std::size_t pose = (std::size_t{blockIdx.x} * pose_threads + threadIdx.x) / Threads;
  if (pose >= poses.count) return;
  const Team<Threads> team;
  const JointArrays<const float> joints = joints_of(t, poses, pose);
  float* world = s.world + pose * t.joint_count * 12;
  place_joints(t, team, joints, world);
  const bool scaled = make_batch_palette(t, team, world, s.palette + pose * t.palette_size * 12);
  if (team.rank() == 0) s.scaled[pose] = scaled;
  drive_weights(t, team, joints.rotations, offset_or_null(poses.morph_weights, pose * t.weight_count),
                s.drivers(t, pose), s.weights + pose * t.target_count);
}

/// Slopes by palettes and weights to slopes by joints and the character's weights.
__global__ void __launch_bounds__(pose_threads)
    finish_slopes(const BatchView t, const BatchPoses poses, const PoseScratch s, const BatchSlopes slopes) {
  const std::size_t pose = (std::size_t{blockIdx.x} * pose_threads + threadIdx.x) / 32;
  if (pose >= poses.count) return;
  const Team<32> team;
  const JointArrays<const float> joints = joints_of(t, poses, pose);
  const std::size_t j = pose * t.joint_count;
  const JointArrays<float> out{offset_or_null(slopes.rotations, 4 * j), offset_or_null(slopes.translations, 3 * j),
                               offset_or_null(slopes.scales, 3 * j)};
  const float* weight_slopes = s.weight_slopes + pose * t.target_count;
  slopes_by_joints(t, team, joints, s.world + j * 12, s.palette_slopes + pose * t.palette_size * 12,
                   s.world_slopes + j * 12, out);
  if (out.rotations != nullptr)
    slopes_by_drivers(t, team, joints.rotations, weight_slopes, s.drivers(t, pose), out.rotations);
  if (slopes.morph_weights != nullptr)
    spread_weight_slopes(t, team, weight_slopes, slopes.morph_weights + pose * t.weight_count);
}

}  // namespace supple::gpu
