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
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels_[count_++] = avx2;
    if (has_avx512()) kernels_[count_++] = avx512;
  }
  /// With kernels for dot products of 16-bit numbers, of AVX-512 too.
  KernelList(const Kernels& baseline, const Kernels& avx2, const Kernels& avx512, const Kernels& avx512vnni)
      : KernelList(baseline, avx2, avx512) {
    if (has_avx512() && __builtin_cpu_supports("avx512vnni")) kernels_[count_++] = avx512vnni;
  }
#endif
  std::span<const Kernels> available() const { return {kernels_.data(), count_}; }
  const Kernels& best() const { return kernels_[count_ - 1]; }

 private:
#if defined(__x86_64__)
  /// Every processor that has one of vl, dq and bw has all three of them.
  static bool has_avx512() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw");
  }
#endif
  std::array<Kernels, 4> kernels_{};
  std::size_t count_ = 0;
};

}  // namespace supple
