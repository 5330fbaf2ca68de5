// The flow for x86 processors with AVX-512; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx512
#define SUPPLE_KERNEL_WIDTH 16
#include "supple/deform/vortex/kernel.inl"
#endif
