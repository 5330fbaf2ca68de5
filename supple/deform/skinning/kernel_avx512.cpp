// Kernels for x86 processors with AVX-512: a joint's matrix is one register; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx512
#define SUPPLE_KERNEL_WIDTH 16
#include "supple/deform/skinning/kernel.inl"
#endif
