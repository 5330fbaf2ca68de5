// Chooses the dense kernels for the processor the program runs on.
#include "supple/author/simulate/sparse/front_kernel.h"

namespace supple::simulate {

namespace baseline {
extern const FrontKernel kernel;
}
#if defined(__x86_64__)
namespace avx2 {
extern const FrontKernel kernel;
}
namespace avx512 {
extern const FrontKernel kernel;
}
#endif

std::vector<const FrontKernel*> front_kernels() {
  std::vector<const FrontKernel*> kernels{&baseline::kernel};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) kernels.push_back(&avx2::kernel);
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(&avx512::kernel);
#endif
  return kernels;
}

const FrontKernel& front_kernel() {
  static const FrontKernel& widest = *front_kernels().back();
  return widest;
}

}  // namespace supple::simulate
