// The part of a batch that is done once for each pose: before vertices and after them.
#pragma once

#include "supple/gpu/batch/batch.h"
#include "supple/gpu/batch/drivers.h"
#include "supple/gpu/batch/joints.h"
#include "supple/gpu/cuda/pose_tile.cuh"

namespace supple::gpu {

/// The threads of a warp, or of a block, as the source that CPU and GPU share sees them.
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
};

inline constexpr unsigned tile_threads = 512;  // of a block with a warp for each pose of a tile
inline constexpr unsigned driven_poses = 4;    // that a block of as many threads evaluates drivers for

/// As many poses as whole tiles have.
inline std::size_t tiles_of(std::size_t poses) { return (poses + tile_poses - 1) / tile_poses; }
__host__ __device__ inline std::size_t padded_poses(std::size_t poses) {
  return (poses + tile_poses - 1) / tile_poses * tile_poses;
}

/// What lies on the device between the kernels of a batch, for `count` poses, which are whole tiles.
struct PoseScratch {
  float *world = nullptr, *world_slopes = nullptr;  // count * #joints * 12
  float* palette_slopes = nullptr;                  // count * #palette * 12
  float* weight_slopes = nullptr;                   // count * #targets; follows the slopes by palettes
  unsigned char* scaled = nullptr;                  // count
  unsigned char* held = nullptr;                    // count * #targets where is_limited: weights held by their limits
  std::uint32_t* tiles = nullptr;                   // see PoseTile
  float* unwanted = nullptr;                        // #joints * 4: what comes of poses beyond the last
  // See DriverRoom, of each pose.
  double *settings = nullptr, *rows = nullptr, *row_slopes = nullptr, *sums = nullptr, *kernels = nullptr;

  SUPPLE_ON_DEVICE DriverRoom drivers(const BatchView& t, std::size_t first_pose) const {
    return {settings + first_pose * 4 * t.driver_joint_count, rows + first_pose * t.row_count,
            row_slopes + first_pose * slope_stride * t.row_count, sums + first_pose * 4 * t.max_driver_joints,
            kernels + first_pose * (tile_threads / driven_poses) * t.max_driver_joints};
  }
};

/// What of the drivers' room of a block lies in shared memory, if that has room for it: settings, then rows or their
/// slopes, which are `of_row` numbers.
__host__ __device__ inline std::size_t shared_driver_bytes(const BatchView& t, unsigned of_row) {
  return driven_poses * (4 * std::size_t{t.driver_joint_count} + std::size_t{of_row} * t.row_count) * sizeof(double);
}
inline constexpr std::size_t most_shared_bytes = 96 * 1024;  // so that a multiprocessor has two blocks
// Words of an entry of the palette where a tile is put together: so far apart that lanes write into different banks.
inline constexpr unsigned slot_stage = 12 * tile_poses + 1;

template <class Number>
__device__ Number* offset_or_null(Number* first, std::size_t offset) {
  return first == nullptr ? nullptr : first + offset;
}

__device__ inline JointArrays<const float> joints_of(const BatchView& t, const BatchPoses& poses, std::size_t pose) {
  const std::size_t j = pose * t.joint_count;
  return {offset_or_null(poses.rotations, 4 * j), offset_or_null(poses.translations, 3 * j),
          offset_or_null(poses.scales, 3 * j)};
}

/// Drivers to weights: of four poses of a tile, whose numbers lie together. `Shared`: see shared_driver_bytes().
template <bool Shared>
__device__ __forceinline__ void prepare_weights(const BatchView& t, const BatchPoses& poses, const PoseScratch& s,
                                                unsigned block, double* shared) {
  constexpr unsigned in_tile = tile_poses / driven_poses;
  const Team<tile_threads> team;
  const unsigned tile = block / in_tile, first_place = block % in_tile * driven_poses;
  const auto pose_of = [&](unsigned k) {
    return ::min(std::size_t{tile} * tile_poses + PoseTile::pose_at(first_place + k), poses.count - 1);
  };
  DriverRoom room = s.drivers(t, std::size_t{block} * driven_poses);
  if constexpr (Shared) room.settings = shared, room.rows = shared + driven_poses * 4 * t.driver_joint_count;
  drive_rows<driven_poses>(
      t, team, [&](unsigned k) { return joints_of(t, poses, pose_of(k)).rotations; }, room);
  const PoseTile shape(t);
  std::uint32_t* const to = s.tiles + std::size_t{tile} * shape.words() + first_place;
  static_assert(driven_poses == 4);
  for (unsigned m = team.rank(); m < t.target_count; m += team.size()) {
    float weights[driven_poses];
    bool held[driven_poses];
    find_weights<driven_poses>(
        t, m, [&](unsigned k) { return offset_or_null(poses.morph_weights, pose_of(k) * t.weight_count); }, room.rows,
        weights, held);
    if (t.is_limited)  // of whole tiles: those beyond the last pose are read as well
      for (unsigned k = 0; k < driven_poses; ++k)
        s.held[(std::size_t{tile} * tile_poses + PoseTile::pose_at(first_place + k)) * t.target_count + m] = held[k];
    const float size = t.target_sizes[m];
    *reinterpret_cast<uint4*>(to + shape.weight(m)) = {two_parts(weights[0] * size), two_parts(weights[1] * size),
                                                       two_parts(weights[2] * size), two_parts(weights[3] * size)};
  }
}

/// Joints to matrices of the skin: a tile, with a warp for each pose. Translations are those from the first entry of
/// the palette in units of the part's size, so that they are exact to as many bits of it wherever the character stands;
/// but where weights do not sum up to 1, from the world's origin.
__device__ __forceinline__ void prepare_matrices(const BatchView& t, const BatchPoses& poses, const PoseScratch& s,
                                                 unsigned tile, std::uint32_t* stage) {
  const Team<32> team;
  const unsigned in_tile = threadIdx.x / 32;
  const std::size_t place = std::size_t{tile} * tile_poses + in_tile;
  float* const world = s.world + place * t.joint_count * 12;
  place_joints(t, team, joints_of(t, poses, ::min(place, poses.count - 1)), world);
  Vec3<float> origin;
  if (t.is_affine) origin = motion_of(t, world, 0).translation;
  const PoseTile shape(t);
  std::uint32_t* const to = s.tiles + std::size_t{tile} * shape.words();
  const unsigned lane = team.rank();
  if (lane < 4)
    to[shape.origin(in_tile) + lane] = __float_as_uint(lane == 0   ? origin.x
                                                       : lane == 1 ? origin.y
                                                       : lane == 2 ? origin.z
                                                                   : 0.0f);
  const float over_size = 1 / t.size, over_matrix_size = 1 / t.matrix_size;
  bool scaled = false;
  for (unsigned first = 0; first < t.palette_size; first += 32) {
    const unsigned slots = ::min(32u, t.palette_size - first);
    if (lane < slots) {
      Affine<float> motion = motion_of(t, world, first + lane);
      scaled = scaled || is_scaled(motion.linear);
      motion.translation = (motion.translation - origin) * over_size;
      float m[12];
      put_rows(motion, m);
#pragma unroll
      for (unsigned n = 0; n < 12; ++n)
        stage[lane * slot_stage + n * tile_poses + PoseTile::place_of(in_tile)] = two_parts(m[n] * over_matrix_size);
    }
    __syncthreads();
    constexpr unsigned words = 12 * tile_poses;
    for (unsigned i = threadIdx.x; i < slots * words; i += tile_threads)
      to[shape.matrix(first + i / words) + i % words] = stage[i / words * slot_stage + i % words];
    __syncthreads();
  }
  scaled = __any_sync(~0u, scaled) != 0;
  if (lane == 0) s.scaled[place] = scaled;
}

/// All that vertices need of poses: both wait for other things, and do not wait for each other. Tiles that have fewer
/// poses get the last one again.
template <bool Shared>
__global__ void __launch_bounds__(tile_threads, 2)
    prepare_poses(const __grid_constant__ BatchView t, const __grid_constant__ BatchPoses poses,
                  const __grid_constant__ PoseScratch s, unsigned tiles) {
  extern __shared__ double prepare_stage[];
  let_next_kernel_come();
  if (blockIdx.x < tiles)
    prepare_matrices(t, poses, s, blockIdx.x, reinterpret_cast<std::uint32_t*>(prepare_stage));
  else
    prepare_weights<Shared>(t, poses, s, blockIdx.x - tiles, prepare_stage);
}
/// Bytes of shared memory that it needs for matrices.
inline constexpr std::size_t shared_matrix_bytes = std::size_t{32} * slot_stage * sizeof(std::uint32_t);

/// Slopes by palettes to slopes by joints, and those by weights that no driver moves: a warp for each pose.
__device__ __forceinline__ void finish_joints(const BatchView& t, const BatchPoses& poses, const PoseScratch& s,
                                              const BatchSlopes& slopes, std::size_t pose) {
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

/// What drivers add to the slopes by rotations, of four poses. `Shared`: see shared_driver_bytes().
template <bool Shared>
__device__ __forceinline__ void finish_drivers(const BatchView& t, const BatchPoses& poses, const PoseScratch& s,
                                               float* rotation_slopes, std::size_t first, double* shared) {
  DriverRoom room = s.drivers(t, first);
  float* weight_slopes = s.weight_slopes + first * t.target_count;
  const unsigned slope_count = driven_poses * t.target_count;
  const unsigned char* const held = t.is_limited ? s.held + first * t.target_count : nullptr;
  if constexpr (Shared) {
    room.settings = shared, room.slopes = shared + driven_poses * 4 * t.driver_joint_count;
    float* const staged = reinterpret_cast<float*>(shared + shared_driver_bytes(t, slope_stride) / sizeof(double));
    for (unsigned i = threadIdx.x; i < slope_count; i += tile_threads)
      staged[i] = held != nullptr && held[i] != 0 ? 0.0f : weight_slopes[i];
    weight_slopes = staged;
  } else if (held != nullptr) {  // in place: nobody else reads the slopes by driven weights
    for (unsigned i = threadIdx.x; i < slope_count; i += tile_threads)
      if (held[i] != 0) weight_slopes[i] = 0;
  }
  const auto pose_of = [&](unsigned k) {  // those beyond the last are worked on as well, to no end
    const std::size_t pose = ::min(first + k, poses.count - 1);
    return DrivenPose<float>{joints_of(t, poses, pose).rotations, weight_slopes + k * t.target_count,
                             first + k < poses.count ? rotation_slopes + pose * t.joint_count * 4 : s.unwanted};
  };
  slopes_by_drivers<driven_poses>(t, Team<tile_threads>(), pose_of, room);
}

/// All that comes after vertices, as prepare_poses() is all before. Slopes by rotations are 0 before.
template <bool Shared>
__global__ void __launch_bounds__(tile_threads, 2)
    finish_poses(const __grid_constant__ BatchView t, const __grid_constant__ BatchPoses poses,
                 const __grid_constant__ PoseScratch s, const __grid_constant__ BatchSlopes slopes, unsigned tiles) {
  extern __shared__ double finish_stage[];
  wait_for_earlier_kernel();
  if (blockIdx.x < tiles)
    finish_joints(t, poses, s, slopes, std::size_t{blockIdx.x} * tile_poses + threadIdx.x / 32);
  else
    finish_drivers<Shared>(t, poses, s, slopes.rotations, std::size_t{blockIdx.x - tiles} * driven_poses, finish_stage);
}

}  // namespace supple::gpu
