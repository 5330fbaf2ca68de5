#include "supple/deform/pose_space/kernel.h"

#include "supple/deform/kernel_list.h"

namespace supple::pose_space {

namespace baseline {
void add_examples(const Task&);
}
#if defined(__x86_64__)
namespace avx2 {
void add_examples(const Task&);
}
namespace avx512 {
void add_examples(const Task&);
}
#endif

namespace {

const KernelList<Kernel>& list() {
#if defined(__x86_64__)
  static const KernelList<Kernel> instance(Kernel{"baseline", baseline::add_examples},
                                           Kernel{"avx2", avx2::add_examples}, Kernel{"avx512", avx512::add_examples});
#else
  static const KernelList<Kernel> instance(Kernel{"baseline", baseline::add_examples});
#endif
  return instance;
}

}  // namespace

std::span<const Kernel> available() { return list().available(); }
const Kernel& best() { return list().best(); }

}  // namespace supple::pose_space
