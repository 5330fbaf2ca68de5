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

#define SUPPLE_INLINE static inline __attribute__((always_inline))

namespace supple::kernel {
namespace SUPPLE_KERNEL {
namespace {

// The vectors come first.
// clang-format off
#include "supple/deform/skinning/kernel_vectors.inl"
#include "supple/deform/skinning/kernel_linear.inl"
#include "supple/deform/skinning/kernel_dual.inl"
#include "supple/deform/skinning/kernel_morph.inl"
// clang-format on

}  // namespace

void linear(const Batch& b) {
  switch (b.influences) {
    case 1:
      return linear_outputs<1>(b);
    case 2:
      return linear_outputs<2>(b);
    case 3:
      return linear_outputs<3>(b);
    case 4:
      return linear_outputs<4>(b);
    case 5:
      return linear_outputs<5>(b);
    case 6:
      return linear_outputs<6>(b);
    case 7:
      return linear_outputs<7>(b);
    case 8:
      return linear_outputs<8>(b);
    default:
      return linear_outputs<0>(b);
  }
}

void dual_quaternion(const Batch& b) {
  switch (b.influences) {
    case 1:
      return dual_outputs<1>(b);
    case 2:
      return dual_outputs<2>(b);
    case 3:
      return dual_outputs<3>(b);
    case 4:
      return dual_outputs<4>(b);
    case 5:
      return dual_outputs<5>(b);
    case 6:
      return dual_outputs<6>(b);
    case 7:
      return dual_outputs<7>(b);
    case 8:
      return dual_outputs<8>(b);
    default:
      return dual_outputs<0>(b);
  }
}

void morph(const MorphBlocks& m) {
  const std::size_t whole = m.vertices / 16;
  for (std::size_t b = 0; b < whole; ++b) add_block(m, m.first_block + b, m.in + 48 * b, m.out + 48 * b);
  const std::size_t left = 3 * (m.vertices - 16 * whole);
  if (left == 0) return;
  float in[48] = {}, out[48];
  __builtin_memcpy(in, m.in + 48 * whole, left * sizeof(float));
  add_block(m, m.first_block + whole, in, out);
  __builtin_memcpy(m.out + 48 * whole, out, left * sizeof(float));
}

}  // namespace SUPPLE_KERNEL
}  // namespace supple::kernel
