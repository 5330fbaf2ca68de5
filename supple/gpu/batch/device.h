// What code needs that is compiled for the CPU and, by a CUDA compiler, for the GPU as well. All that a batch computes
// is written so; what differs between the two is how many threads work on a pose, and how memory is read.
#pragma once

#include <cmath>
#include <cstddef>

#if defined(__CUDACC__)
#define SUPPLE_ON_DEVICE __host__ __device__
#define SUPPLE_APART __noinline__  // what is rarely needed, lest it crowd out the registers of what is
#else
#define SUPPLE_ON_DEVICE
#define SUPPLE_APART
#endif

namespace supple::gpu {

/// Adds to what other threads may add to as well.
template <class Real>
SUPPLE_ON_DEVICE void add_to(Real* sum, Real x) {
#if defined(__CUDA_ARCH__)
  atomicAdd(sum, x);
#else
  *sum += x;
#endif
}

/// The threads that work on one pose together: on the CPU one alone. On the GPU a warp or a block, see Team of
/// cuda/pose_kernels.cuh.
struct OneThread {
  SUPPLE_ON_DEVICE unsigned rank() const { return 0; }
  SUPPLE_ON_DEVICE unsigned size() const { return 1; }
  /// Waits until all have come here.
  SUPPLE_ON_DEVICE void sync() const {}
  /// The sum over all threads, known to thread 0 at least.
  SUPPLE_ON_DEVICE double sum(double value) const { return value; }
  /// Whether it is so for any thread, known to all.
  SUPPLE_ON_DEVICE bool any(bool value) const { return value; }
};

}  // namespace supple::gpu
