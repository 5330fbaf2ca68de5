// Weighted PSD for x86 processors with AVX2 and fused multiply-add; chosen at run time.
#if defined(__x86_64__)
#define SUPPLE_KERNEL avx2
#define SUPPLE_KERNEL_WIDTH 8
#include "supple/deform/pose_space/kernel.inl"
#endif
