// Kernels for x86 processors with AVX-512 and dot products of 16-bit numbers, which morph targets are added by; chosen
// at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx512vnni
#define SUPPLE_KERNEL_WIDTH 16
#include "supple/deform/skinning/kernel.inl"
#endif
