// The kernel for x86 processors with AVX-512; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx512
#define SUPPLE_KERNEL_ROWS 4
#include "supple/author/lattice/projective_kernel.inl"
#endif
