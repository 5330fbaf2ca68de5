#include "supple/gpu/cuda/batch.h"

#include <algorithm>

#include "supple/gpu/cuda/memory.cuh"
#include "supple/gpu/cuda/packed_tables.cuh"
#include "supple/gpu/cuda/skin_kernel.cuh"
#include "supple/gpu/cuda/slope_kernel.cuh"

namespace supple::gpu {
namespace {

/// Poses that are worked on at once: room on the device is made for so many at most, fewer where a pose needs much.
constexpr std::size_t max_poses = 16384, max_scratch_bytes = std::size_t{1} << 30;

/// Makes a device the current one as long as it lives.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    cudaGetDevice(&before_);
    if (before_ != device) cudaSetDevice(device);
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

bool is_aligned(const float* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

class CudaBatch final : public Batch {
 public:
  explicit CudaBatch(int device) : device_(device) {}
  ~CudaBatch() override {
    const CurrentDevice current(device_);
    tables_ = {};
    scratch_ = {};
  }

  Result<void> upload(const BatchTables& tables) {
    const CurrentDevice current(device_);
    cudaDeviceGetAttribute(&generation_, cudaDevAttrComputeCapabilityMajor, device_);
    Carver sizes;
    for_arrays(tables, tables, [&](const auto& array, const auto&) { sizes.take<char>(bytes_of(array)); });
    if (auto ok = tables_.reserve(sizes.used()); !ok) return ok;
    view_ = view_without_arrays(tables);
    Carver places(tables_.data());
    cudaError_t status = cudaSuccess;
    for_arrays(tables, view_, [&](const auto& array, auto& pointer) {
      char* const to = places.take<char>(bytes_of(array));
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(to);
      if (status == cudaSuccess && !array.empty())
        status = cudaMemcpy(to, array.data(), bytes_of(array), cudaMemcpyHostToDevice);
    });
    return check(status, "copying tables");
  }

  Result<void> evaluate(const BatchPoses& poses, float* positions, float* normals, void* stream) override {
    return in_chunks(poses, static_cast<cudaStream_t>(stream), [&](const BatchPoses& part, std::size_t first) {
      const std::size_t offset = first * view_.vertex_count * 3;
      return skin(part, at(positions, offset), at(normals, offset), static_cast<cudaStream_t>(stream));
    });
  }

  std::uint64_t last_call() const override { return prepared_; }

  Result<void> differentiate(const BatchPoses& poses, const float* position_slopes, const float* normal_slopes,
                             const BatchSlopes& slopes, void* stream) override {
    return in_chunks(poses, static_cast<cudaStream_t>(stream), [&](const BatchPoses& part, std::size_t first) {
      const std::size_t offset = first * view_.vertex_count * 3, joints = first * view_.joint_count;
      const BatchSlopes out{at(slopes.rotations, 4 * joints), at(slopes.translations, 3 * joints),
                            at(slopes.scales, 3 * joints), at(slopes.morph_weights, first * view_.weight_count)};
      return slopes_of(part, at(position_slopes, offset), at(normal_slopes, offset), out,
                       static_cast<cudaStream_t>(stream));
    });
  }

 private:
  template <class T>
  static std::size_t bytes_of(const std::vector<T>& array) {
    return array.size() * sizeof(T);
  }
  /// More than 48 KiB of shared memory are to be asked for.
  template <class Kernel>
  static void allow_shared(Kernel* kernel, std::size_t bytes) {
    if (bytes > 48 * 1024)
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  }
  /// For kernels that wait for what was launched before by themselves: see wait_for_earlier_kernel(). Where GPUs can do
  /// that, their blocks are there when the last of those end.
  template <class... Formal, class... Actual>
  void launch_early(void (*kernel)(Formal...), dim3 blocks, unsigned threads, std::size_t bytes, cudaStream_t stream,
                    const Actual&... arguments) const {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = generation_ >= 9 ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, arguments...);
  }
  template <class Number>
  static Number* at(Number* first, std::size_t offset) {
    return first == nullptr ? nullptr : first + offset;
  }

  PoseScratch carve(Carver& carver, std::size_t count) const {
    const BatchView& t = view_;
    const std::size_t poses = padded_poses(count);
    PoseScratch s;
    s.world = carver.take<float>(poses * t.joint_count * 12);
    s.world_slopes = carver.take<float>(poses * t.joint_count * 12);
    s.palette_slopes = carver.take<float>(poses * t.palette_size * 12);
    s.weight_slopes = carver.take<float>(poses * t.target_count);
    s.scaled = carver.take<unsigned char>(poses);
    s.held = carver.take<unsigned char>(t.is_limited ? poses * t.target_count : 0);
    s.tiles = carver.take<std::uint32_t>(tiles_of(poses) * PoseTile(t).words());
    s.settings = carver.take<double>(poses * 4 * t.driver_joint_count);
    s.rows = carver.take<double>(poses * t.row_count);
    s.row_slopes = carver.take<double>(poses * slope_stride * t.row_count);
    s.sums = carver.take<double>(poses * 4 * t.max_driver_joints);
    s.kernels = carver.take<double>(poses * (tile_threads / driven_poses) * t.max_driver_joints);
    s.unwanted = carver.take<float>(4 * std::size_t{t.joint_count});
    return s;
  }

  /// Calls work(poses, number of the first one) for as many poses at a time as there is room for, palettes made.
  template <class Work>
  Result<void> in_chunks(const BatchPoses& poses, cudaStream_t stream, const Work& work) {
    const CurrentDevice current(device_);
    Carver of_tile, sizes;
    carve(of_tile, tile_poses);
    const std::size_t tiles =
        std::min({tiles_of(poses.count), max_poses / tile_poses, max_scratch_bytes / of_tile.used()});
    const std::size_t room = std::max<std::size_t>(1, tiles) * tile_poses;
    carve(sizes, room);
    const bool known =
        poses.call != 0 && poses.call == prepared_ && poses.count == prepared_count_ && stream == prepared_in_;
    if (!known) prepared_ = 0;  // also where there is no memory for these
    if (auto ok = scratch_.reserve(sizes.used()); !ok) return ok;
    Carver places(scratch_.data());
    room_ = carve(places, room);
    if (!known && poses.count <= room) prepared_ = ++calls_, prepared_count_ = poses.count, prepared_in_ = stream;
    for (std::size_t first = 0; first < poses.count; first += room) {
      const std::size_t count = std::min(room, poses.count - first), joints = first * view_.joint_count;
      const BatchPoses part{count, at(poses.rotations, 4 * joints), at(poses.translations, 3 * joints),
                            at(poses.scales, 3 * joints), at(poses.morph_weights, first * view_.weight_count)};
      if (!known) prepare(part, stream);
      if (auto ok = work(part, first); !ok) return ok;
    }
    return check(cudaGetLastError(), "a batch");
  }
  void prepare(const BatchPoses& poses, cudaStream_t stream) const {
    const auto tiles = static_cast<unsigned>(tiles_of(poses.count));
    const unsigned weight_blocks = view_.target_count > 0 ? tiles * (tile_poses / driven_poses) : 0;
    const std::size_t driver_bytes = shared_driver_bytes(view_, 1);
    const bool shared = driver_bytes <= most_shared_bytes;
    const auto kernel = shared ? prepare_poses<true> : prepare_poses<false>;
    const std::size_t bytes = shared ? std::max(shared_matrix_bytes, driver_bytes) : shared_matrix_bytes;
    allow_shared(kernel, bytes);
    kernel<<<weight_blocks + tiles, tile_threads, bytes, stream>>>(view_, poses, room_, tiles);
  }
  VertexWork work_of(std::size_t poses) const {
    return {view_, static_cast<unsigned>(poses), room_.tiles, room_.scaled};
  }
  /// A block has a group of vertices, each of its warps a tile of poses.
  dim3 grid_of(std::size_t poses, unsigned warps) const {
    return {view_.group_count, static_cast<unsigned>((tiles_of(poses) + warps - 1) / warps)};
  }

  Result<void> skin(const BatchPoses& poses, float* positions, float* normals, cudaStream_t stream) {
    if (view_.group_count == 0) return {};
    const bool aligned = view_.vertex_count % 4 == 0 && is_aligned(positions) && is_aligned(normals);
    const auto kernel = aligned ? skin_vertices<true> : skin_vertices<false>;
    launch_early(kernel, grid_of(poses.count, skin_warps), 32 * skin_warps, 0, stream, work_of(poses.count), positions,
                 normals);
    return check(cudaGetLastError(), "skinning a batch");
  }

  Result<void> slopes_of(const BatchPoses& poses, const float* position_slopes, const float* normal_slopes,
                         const BatchSlopes& slopes, cudaStream_t stream) {
    // Slopes by weights follow those by palettes.
    const float* const end = room_.weight_slopes + poses.count * view_.target_count;
    cudaMemsetAsync(room_.palette_slopes, 0, static_cast<std::size_t>(end - room_.palette_slopes) * sizeof(float),
                    stream);
    if (slopes.rotations != nullptr)
      cudaMemsetAsync(slopes.rotations, 0, poses.count * view_.joint_count * 4 * sizeof(float), stream);
    if (view_.group_count > 0) {
      const bool aligned = view_.vertex_count % 4 == 0 && is_aligned(position_slopes) && is_aligned(normal_slopes);
      const auto kernel = aligned ? differentiate_vertices<true> : differentiate_vertices<false>;
      allow_shared(kernel, slope_shared_bytes);
      kernel<<<grid_of(poses.count, slope_warps), 32 * slope_warps, slope_shared_bytes, stream>>>(
          work_of(poses.count), position_slopes, normal_slopes, room_.palette_slopes, room_.weight_slopes);
    }
    const auto tiles = static_cast<unsigned>(tiles_of(poses.count));
    const bool driven = view_.row_count > 0 && slopes.rotations != nullptr;
    const std::size_t bytes =
        shared_driver_bytes(view_, slope_stride) + driven_poses * view_.target_count * sizeof(float);
    const bool shared = driven && bytes <= most_shared_bytes;
    const auto kernel = shared ? finish_poses<true> : finish_poses<false>;
    if (shared) allow_shared(kernel, bytes);
    const unsigned driver_blocks = driven ? static_cast<unsigned>((poses.count + driven_poses - 1) / driven_poses) : 0;
    launch_early(kernel, tiles + driver_blocks, tile_threads, shared ? bytes : 0, stream, view_, poses, room_, slopes,
                 tiles);
    return check(cudaGetLastError(), "differentiating a batch");
  }

  int device_, generation_ = 0;  // the first number of its compute capability
  DeviceMemory tables_, scratch_;
  BatchView view_;    // of tables_
  PoseScratch room_;  // in scratch_
  // The call whose poses are in room_, all of them; 0: none.
  std::uint64_t calls_ = 0, prepared_ = 0;
  std::size_t prepared_count_ = 0;
  cudaStream_t prepared_in_ = nullptr;
};

}  // namespace

bool has_cuda() { return true; }

int cuda_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();  // a machine without a GPU is no error of the next call
    return 0;
  }
  return count;
}

Result<std::unique_ptr<Batch>> make_cuda_batch(const Character& character, std::size_t part, const Layers& layers,
                                               int device) {
  if (auto ok = validate(character); !ok) return ok.error();
  if (device < 0 || device >= cuda_device_count())
    return Error{"GPU " + std::to_string(device), "is not there", "use the CPU, or the number of a GPU"};
  auto tables = build_batch_tables(character, part, layers);
  if (!tables) return tables.error();
  pack_tables(*tables);
  auto batch = std::make_unique<CudaBatch>(device);
  if (auto ok = batch->upload(*tables); !ok) return ok.error();
  return std::unique_ptr<Batch>(std::move(batch));
}

}  // namespace supple::gpu
