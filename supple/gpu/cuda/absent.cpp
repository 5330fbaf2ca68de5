// What stands in for CUDA where the library was built without it.
#include "supple/gpu/cuda/batch.h"

#if !defined(SUPPLE_CUDA)

namespace supple::gpu {

bool has_cuda() { return false; }
int cuda_device_count() { return 0; }

Result<std::unique_ptr<Batch>> make_cuda_batch(const Character&, std::size_t, const Layers&, int) {
  return Error{"CUDA", "is not part of this build", "build with -DSUPPLE_CUDA=ON, or use the CPU"};
}

}  // namespace supple::gpu

#endif
