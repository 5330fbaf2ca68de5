#include "supple/deform/vortex/kernel.h"

#include "supple/deform/kernel_list.h"

namespace supple::vortex {

namespace baseline {
void flow(const Task&);
}
#if defined(__x86_64__)
namespace avx2 {
void flow(const Task&);
}
namespace avx512 {
void flow(const Task&);
}
#endif

namespace {

const KernelList<Kernel>& list() {
#if defined(__x86_64__)
  static const KernelList<Kernel> instance(Kernel{"baseline", baseline::flow}, Kernel{"avx2", avx2::flow},
                                           Kernel{"avx512", avx512::flow});
#else
  static const KernelList<Kernel> instance(Kernel{"baseline", baseline::flow});
#endif
  return instance;
}

}  // namespace

std::span<const Kernel> available() { return list().available(); }
const Kernel& best() { return list().best(); }

}  // namespace supple::vortex
