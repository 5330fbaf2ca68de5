#include "supple/deform/skinning/kernel.h"

#include <array>

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

struct List {
  std::array<Kernels, 3> kernels{};
  std::size_t count = 0;

  List() {
    kernels[count++] = {"baseline", baseline::linear, baseline::dual_quaternion, baseline::morph};
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2) kernels[count++] = {"avx2", avx2::linear, avx2::dual_quaternion, avx2::morph};
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
      kernels[count++] = {"avx512", avx512::linear, avx512::dual_quaternion, avx512::morph};
    }
#endif
  }
};

const List& list() {
  static const List instance;
  return instance;
}

}  // namespace

std::span<const Kernels> available() { return {list().kernels.data(), list().count}; }
const Kernels& best() { return list().kernels[list().count - 1]; }

}  // namespace supple::kernel
