// Loops over independent lanes, compiled for several widths of vectors and chosen when a program starts. For functions
// whose result does not depend on the width: no sum over lanes is reordered, nothing is fused (-ffp-contract=off).
#pragma once

// Under sanitizers the choice would run before their own start.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SUPPLE_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SUPPLE_WIDE
#endif
