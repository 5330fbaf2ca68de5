// Chooses the kernel for the processor the program runs on.
#include "supple/author/lattice/projective_kernel.h"

namespace supple::lattice {

namespace baseline {
extern const ProjectiveKernel kernel;
}
#if defined(__x86_64__)
namespace avx2 {
extern const ProjectiveKernel kernel;
}
namespace avx512 {
extern const ProjectiveKernel kernel;
}
#endif

std::vector<const ProjectiveKernel*> projective_kernels() {
  std::vector<const ProjectiveKernel*> kernels{&baseline::kernel};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(&avx2::kernel);
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(&avx512::kernel);
#endif
  return kernels;
}

const ProjectiveKernel& projective_kernel() {
  static const ProjectiveKernel& widest = *projective_kernels().back();
  return widest;
}

}  // namespace supple::lattice
