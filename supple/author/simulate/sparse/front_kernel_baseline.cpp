// Dense kernels for every processor of an architecture.
#define SUPPLE_KERNEL baseline
#define SUPPLE_KERNEL_WIDTH 2
#include "supple/author/simulate/sparse/front_kernel.inl"
