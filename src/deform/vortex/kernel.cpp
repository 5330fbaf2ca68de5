#include "supple/deform/vortex/kernel.h"

#include <array>

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

struct List {
  std::array<Kernel, 3> kernels{};
  std::size_t count = 0;

  List() {
    kernels[count++] = {"baseline", baseline::flow};
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2) kernels[count++] = {"avx2", avx2::flow};
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
      kernels[count++] = {"avx512", avx512::flow};
    }
#endif
  }
};

const List& list() {
  static const List instance;
  return instance;
}

}  // namespace

std::span<const Kernel> available() { return {list().kernels.data(), list().count}; }
const Kernel& best() { return list().kernels[list().count - 1]; }

}  // namespace supple::vortex
