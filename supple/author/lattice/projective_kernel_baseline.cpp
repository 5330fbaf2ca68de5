// The kernel for every processor of an architecture.
#define SUPPLE_KERNEL baseline
#define SUPPLE_KERNEL_ROWS 1
#include "supple/author/lattice/projective_kernel.inl"
