// The kernel for x86 processors with AVX2; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx2
#define SUPPLE_KERNEL_ROWS 1
#include "supple/author/lattice/projective_kernel.inl"
#endif
