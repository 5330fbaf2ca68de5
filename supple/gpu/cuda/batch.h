// Batches on an NVIDIA GPU. Where the library was built without CUDA (SUPPLE_CUDA), there are no devices.
#pragma once

#include "supple/gpu/batch/batch.h"

namespace supple::gpu {

/// Whether the library was built with CUDA.
bool has_cuda();
/// GPUs that can be used: 0 without CUDA, without a driver or without a GPU.
int cuda_device_count();

/// Copies the tables to the device. The error names the layer that batches do not have, or says why the device cannot
/// be used.
Result<std::unique_ptr<Batch>> make_cuda_batch(const Character& character, std::size_t part, const Layers& layers = {},
                                               int device = 0);

}  // namespace supple::gpu
