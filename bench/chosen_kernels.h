// The kernels that a benchmark of skinning is asked for: its first argument may name them.
#pragma once

#include <string_view>

#include "supple/deform/skinning/kernel.h"

/// Those of the first argument, which is taken away if it is the name of some; else the fastest.
inline const supple::kernel::Kernels* chosen_kernels(int& argc, char**& argv) {
  for (const supple::kernel::Kernels& k : supple::kernel::available()) {
    if (argc < 2 || std::string_view(argv[1]) != k.name) continue;
    argv[1] = argv[0];
    ++argv, --argc;
    return &k;
  }
  return &supple::kernel::best();
}
