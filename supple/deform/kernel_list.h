// Which of the kernels that were compiled for several instruction sets this processor can run.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace supple {

/// Slowest first; the first runs everywhere.
template <class Kernels>
class KernelList {
 public:
  explicit KernelList(const Kernels& baseline) { kernels_[count_++] = baseline; }
#if defined(__x86_64__)
  KernelList(const Kernels& baseline, const Kernels& avx2, const Kernels& avx512) : KernelList(baseline) {
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2) kernels_[count_++] = avx2;
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      kernels_[count_++] = avx512;
  }
#endif
  std::span<const Kernels> available() const { return {kernels_.data(), count_}; }
  const Kernels& best() const { return kernels_[count_ - 1]; }

 private:
  std::array<Kernels, 3> kernels_{};
  std::size_t count_ = 0;
};

}  // namespace supple
