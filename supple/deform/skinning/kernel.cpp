#include "supple/deform/skinning/kernel.h"

#include "supple/deform/kernel_list.h"

namespace supple::kernel {

#define SUPPLE_DECLARE_KERNEL(name)   \
  namespace name {                    \
  void linear(const Batch&);          \
  void dual_quaternion(const Batch&); \
  void morph(const MorphBlocks&);     \
  }
SUPPLE_DECLARE_KERNEL(baseline)
#if defined(__x86_64__)
SUPPLE_DECLARE_KERNEL(avx2)
SUPPLE_DECLARE_KERNEL(avx512)
#endif
#undef SUPPLE_DECLARE_KERNEL

namespace {

const KernelList<Kernels>& list() {
#if defined(__x86_64__)
  static const KernelList<Kernels> instance(
      Kernels{"baseline", baseline::linear, baseline::dual_quaternion, baseline::morph},
      Kernels{"avx2", avx2::linear, avx2::dual_quaternion, avx2::morph},
      Kernels{"avx512", avx512::linear, avx512::dual_quaternion, avx512::morph});
#else
  static const KernelList<Kernels> instance(
      Kernels{"baseline", baseline::linear, baseline::dual_quaternion, baseline::morph});
#endif
  return instance;
}

}  // namespace

std::span<const Kernels> available() { return list().available(); }
const Kernels& best() { return list().best(); }

}  // namespace supple::kernel
