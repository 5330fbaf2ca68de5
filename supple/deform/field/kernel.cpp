#include "supple/deform/field/kernel.h"

#include "supple/deform/kernel_list.h"

namespace supple::field_kernel {

#define SUPPLE_DECLARE_KERNEL(name)               \
  namespace name {                                \
  void rk4_limb(const Path&, Block&);             \
  void blended(const Path&, Block&, bool volume); \
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
  static const KernelList<Kernels> instance(Kernels{"baseline", baseline::rk4_limb, baseline::blended},
                                            Kernels{"avx2", avx2::rk4_limb, avx2::blended},
                                            Kernels{"avx512", avx512::rk4_limb, avx512::blended});
#else
  static const KernelList<Kernels> instance(Kernels{"baseline", baseline::rk4_limb, baseline::blended});
#endif
  return instance;
}

}  // namespace

std::span<const Kernels> available() { return list().available(); }
const Kernels& best() { return list().best(); }

}  // namespace supple::field_kernel
