// What a skinning kernel is given, and which kernels this processor can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supple::kernel {

/// One stream of vectors in and out; element i at data + i * stride floats. Absent where `in` is null.
struct Stream {
  const float* in = nullptr;
  float* out = nullptr;
  std::size_t in_stride = 3, out_stride = 3;
};

/// Vertices with the same number of influences. In place (out == in with equal strides) is allowed.
struct Batch {
  const float* palette = nullptr;  // 16 floats a joint: four columns, or dual quaternion (real, dual) and padding
  const std::uint16_t* joints = nullptr;  // vertices * influences
  const float* weights = nullptr;         // vertices * influences
  std::size_t vertices = 0;
  unsigned influences = 0;
  Stream positions, normals, tangents;
  bool inverse_transpose = false;  // linear only: normals by the cofactor matrix instead of the matrix itself
  bool one_hemisphere = false;     // dual only: joints of one vertex never differ in sign, so no vertex need check
};

/// Vertices, from the start of a block on, to which weighted morph targets are added: see BlockOffsets.
struct MorphBlocks {
  const std::uint32_t* first = nullptr;    // entries of each block
  const std::uint32_t* targets = nullptr;  // of each entry
  const float* scales = nullptr;           // of each entry
  const std::int16_t* values = nullptr;    // 48 of each entry
  const float* weights = nullptr;          // of each target
  std::size_t first_block = 0, vertices = 0;
  const float* in = nullptr;  // three floats a vertex, of the first vertex of first_block on
  float* out = nullptr;       // may be `in`
};

/// The same functions compiled for one instruction set.
struct Kernels {
  const char* name;
  void (*linear)(const Batch&);
  void (*dual_quaternion)(const Batch&);
  void (*morph)(const MorphBlocks&);
};

/// Every set of kernels this processor can run, slowest first; the first one runs everywhere.
std::span<const Kernels> available();
/// The fastest one.
const Kernels& best();

}  // namespace supple::kernel
