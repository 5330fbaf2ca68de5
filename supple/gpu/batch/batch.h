// Many poses of one part at once, and the slopes of a loss: on a GPU where there is one, otherwise on the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "supple/deform/pipeline.h"
#include "supple/rig/character.h"

namespace supple::gpu {

/// Poses as arrays in the memory of the batch's device; null: as at rest in all poses.
struct BatchPoses {
  std::size_t count = 0;
  const float* rotations = nullptr;      // count * #joints * 4, local, unit quaternions x, y, z, w
  const float* translations = nullptr;   // count * #joints * 3, local
  const float* scales = nullptr;         // count * #joints * 3, local
  const float* morph_weights = nullptr;  // count * #weights, of the character; those that drivers move do not count
  /// What Batch::last_call() said after these poses were evaluated, if they are the same still: what was made of them
  /// is then used again, where the batch has it. 0: they may be any.
  std::uint64_t call = 0;
};

/// Slopes of a loss by the numbers of BatchPoses, in the same shapes; null: not wanted.
struct BatchSlopes {
  float* rotations = nullptr;  // also through drivers, except where their limits hold a weight
  float* translations = nullptr;
  float* scales = nullptr;
  float* morph_weights = nullptr;  // 0 for weights that drivers move, and for those of other parts
};

/// Linear blend of one part with its morph targets and drivers. What a device needs is made once. One call at a time.
class Batch {
 public:
  virtual ~Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Writes count * #V * 3 positions and as many normals; either may be null. `stream` is the CUDA stream that the work
  /// is queued in (null: the default one): arrays are complete when that has come so far. Without a GPU they are so at
  /// once.
  virtual Result<void> evaluate(const BatchPoses& poses, float* positions, float* normals, void* stream = nullptr) = 0;
  /// From slopes of a loss by positions and normals (null: none) to those by the poses. On a GPU sums are added in any
  /// order: they differ between runs in the last bits.
  virtual Result<void> differentiate(const BatchPoses& poses, const float* position_slopes, const float* normal_slopes,
                                     const BatchSlopes& slopes, void* stream = nullptr) = 0;
  /// The number of the last call whose poses it still knows; 0: none.
  virtual std::uint64_t last_call() const { return 0; }

 protected:
  Batch() = default;
};

/// The character must outlive it and keep its shape. The error names the layer that batches do not have.
Result<std::unique_ptr<Batch>> make_cpu_batch(const Character& character, std::size_t part, const Layers& layers = {},
                                              unsigned threads = 0);

}  // namespace supple::gpu
