// The skinning kernels, written once with the compiler's portable vector types and compiled once per instruction set:
// SUPPLE_KERNEL names the namespace, SUPPLE_KERNEL_WIDTH the floats per register (4, 8 or 16).
//
// Nothing here may call an inline function from another header: the linker keeps one copy of such a function, and if
// that copy were the one compiled for a newer processor, older ones would fault.

#include "supple/deform/skinning/kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(__SANITIZE_ADDRESS__)  // checked code is large, and its speed does not matter
#define SUPPLE_FLATTEN
#else
#define SUPPLE_FLATTEN __attribute__((always_inline))
#endif
#define SUPPLE_INLINE static inline SUPPLE_FLATTEN

namespace supple::kernel {
namespace SUPPLE_KERNEL {
namespace {

// The vectors come first.
// clang-format off
#include "supple/deform/skinning/kernel_vectors.inl"
#include "supple/deform/skinning/kernel_lanes.inl"
#include "supple/deform/skinning/kernel_transpose.inl"
#include "supple/deform/skinning/kernel_morph.inl"
#include "supple/deform/skinning/kernel_motion.inl"
#include "supple/deform/skinning/kernel_blocks.inl"
#include "supple/deform/skinning/kernel_linear_blocks.inl"
#include "supple/deform/skinning/kernel_dual_blocks.inl"
#include "supple/deform/skinning/kernel_loop.inl"
#include "supple/deform/skinning/kernel_linear.inl"
#include "supple/deform/skinning/kernel_dual.inl"
// clang-format on

}  // namespace

void linear(const Batch& b) {
  switch (b.influences) {
    case 0:
      return linear_blocks(b);
    case 1:
      return linear_outputs<1>(b);
    case 2:
      return linear_outputs<2>(b);
    case 3:
      return linear_outputs<3>(b);
    case 4:
      return linear_outputs<4>(b);
    case 8:
      return linear_outputs<8>(b);
    default:
      return linear_outputs<0>(b);
  }
}

void dual_quaternion(const Batch& b) {
  if (b.influences == 0) return dual_blocks(b);
  return b.one_hemisphere ? dual_outputs<false>(b) : dual_outputs<true>(b);
}

void morph(const MorphBlocks& m) { return m.normals == nullptr ? morph_blocks<false>(m) : morph_blocks<true>(m); }

}  // namespace SUPPLE_KERNEL
}  // namespace supple::kernel
