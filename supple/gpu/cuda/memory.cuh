// Memory of a GPU that belongs to an object, and errors of CUDA's calls as ours.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <utility>
#include <vector>

#include "supple/base/result.h"

namespace supple::gpu {

inline Result<void> check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return {};
  return Error{"GPU", std::string(what) + ": " + cudaGetErrorString(status),
               status == cudaErrorMemoryAllocation ? "evaluate fewer poses at once" : ""};
}

/// Grows and never shrinks. Contents are lost when it grows.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceMemory() { cudaFree(first_); }

  Result<void> reserve(std::size_t bytes) {
    if (bytes <= size_) return {};
    cudaFree(first_);  // waits for whatever still uses it
    first_ = nullptr;
    size_ = 0;
    if (auto ok = check(cudaMalloc(&first_, bytes), "memory for a batch"); !ok) return ok;
    size_ = bytes;
    return {};
  }
  char* data() const { return static_cast<char*>(first_); }

 private:
  void* first_ = nullptr;
  std::size_t size_ = 0;
};

/// Several arrays in one piece of memory: ask for each, make the memory, ask again in the same order.
class Carver {
 public:
  explicit Carver(char* first = nullptr) : first_(first) {}
  template <class T>
  T* take(std::size_t count) {
    T* const array = first_ == nullptr ? nullptr : reinterpret_cast<T*>(first_ + used_);
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return array;
  }
  std::size_t used() const { return used_; }

 private:
  char* first_;
  std::size_t used_ = 0;
};

}  // namespace supple::gpu
