// Dense kernels for x86 processors with AVX2; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx2
#define SUPPLE_KERNEL_WIDTH 4
#include "supple/author/simulate/sparse/front_kernel.inl"
#endif
