#include "supple/deform/field/kernel.h"

#include <array>

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

struct List {
  std::array<Kernels, 3> kernels{};
  std::size_t count = 0;

  List() {
    kernels[count++] = {"baseline", baseline::rk4_limb, baseline::blended};
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2) kernels[count++] = {"avx2", avx2::rk4_limb, avx2::blended};
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      kernels[count++] = {"avx512", avx512::rk4_limb, avx512::blended};
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

}  // namespace supple::field_kernel
