// The flow of a block of vertices, written once with the compiler's portable vector types and compiled once per
// instruction set: SUPPLE_KERNEL names the namespace, SUPPLE_KERNEL_WIDTH the floats per register (4, 8 or 16).
//
// Nothing here may call an inline function from another header: the linker keeps one copy of such a function, and if
// that copy were the one compiled for a newer processor, older ones would fault.

#include "supple/deform/field/kernel.h"

#if defined(__SANITIZE_ADDRESS__)  // checked code is large, and its speed does not matter
#define SUPPLE_FLATTEN
#else
#define SUPPLE_FLATTEN __attribute__((always_inline))
#endif
#define SUPPLE_INLINE static inline SUPPLE_FLATTEN

namespace supple::field_kernel {
namespace SUPPLE_KERNEL {
namespace {

// The vectors come first.
// clang-format off
#include "supple/deform/field/kernel_lanes.inl"
#include "supple/deform/field/kernel_shapes.inl"
#include "supple/deform/field/kernel_reach.inl"
#include "supple/deform/field/kernel_velocity.inl"
// clang-format on

void finish(const Frame& frame, Block& block) {
  for (std::size_t i = 0; i < block_size; i += width) store(block.x, i, moved(frame, load(block.x, i)));
}

}  // namespace

/// Classical fourth order in the frame of the owner: exactly rigid where that limb rules alone.
void rk4_limb(const Path& path, Block& block) {
  float at[3][block_size], slope[3][block_size], sum[3][block_size];
  Contacts contacts;
  const auto stage = [&](const Moment& moment, float from_slope, float weight, float h) {
    for (std::size_t i = 0; i < block_size; i += width)
      store(at, i, load(block.x, i) + load(slope, i) * (from_slope * h));
    limb_slope(moment, block, contacts, at, slope);
    for (std::size_t i = 0; i < block_size; i += width) store(sum, i, load(sum, i) + load(slope, i) * (weight * h));
  };
  for (std::uint32_t k = 0; k < path.steps; ++k) {
    const float h = path.sizes[k];
    for (std::size_t i = 0; i < block_size; i += width) {
      store(slope, i, zero3());
      store(sum, i, load(block.x, i));
      store(at, i, moved(path.moments[2 * k].joints[block.owner], load(block.x, i)));
    }
    find_contacts(path.moments[2 * k], block, at, contacts);
    stage(path.moments[2 * k], 0, 1.0f / 6, h);
    stage(path.moments[2 * k + 1], 0.5f, 1.0f / 3, h);
    stage(path.moments[2 * k + 1], 0.5f, 1.0f / 3, h);
    stage(path.moments[2 * k + 2], 1, 1.0f / 6, h);
    for (std::size_t i = 0; i < block_size; i += width) {
      const Lanes3 from = load(block.x, i), to = load(sum, i);
      store(block.x, i, kept_near(to, from, path.farthest));
    }
  }
  finish(path.moments[2 * path.steps].joints[block.owner], block);
  finish(path.after, block);
}

void blended(const Path& path, Block& block, bool volume) {
  for (std::uint32_t k = 0; k < path.steps; ++k)
    blended_step(path.moments[2 * k], path.moments[2 * k + 2], path.sizes[k], path.farthest, volume, block);
  finish(path.after, block);
}

}  // namespace SUPPLE_KERNEL
}  // namespace supple::field_kernel
