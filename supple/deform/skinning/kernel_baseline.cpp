// Kernels for every processor of the architecture: SSE2, NEON or wasm SIMD.
#define SUPPLE_KERNEL baseline
#define SUPPLE_KERNEL_WIDTH 4
#include "supple/deform/skinning/kernel.inl"
