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

/// Offsets and the weights of their targets: see MorphTable.
struct WeightedOffsets {
  const std::uint32_t* first = nullptr;    // of each block: its entries
  const std::uint32_t* plain = nullptr;    // of each block: where the entries that are not large begin
  const float* units = nullptr;            // of each block: of positions, of normals
  const std::uint32_t* targets = nullptr;  // of each entry
  const std::int32_t* pairs = nullptr;     // 48 of each entry: 16 of x, of y, of z
  const float* weights = nullptr;          // of each target
};

/// Vertices, from the start of a block on, that are skinned alike. In place (out == in with equal strides) is allowed.
struct Batch {
  const float* palette = nullptr;  // 16 floats a joint: four columns, or dual quaternion (real, dual) and padding
  // Vertex by vertex:
  const std::uint16_t* joints = nullptr;  // vertices * influences
  const float* weights = nullptr;         // vertices * influences
  unsigned influences = 0;                // 0: in blocks
  // In blocks of the whole mesh, see SkinTable:
  const std::uint32_t* block_rows = nullptr;
  const std::uint16_t* block_joints = nullptr;
  const std::uint8_t* block_quarters = nullptr;
  const float* block_weights = nullptr;

  std::size_t first_vertex = 0, vertices = 0;  // of the batch; fewer than 16 make a block only where the mesh ends
  Stream positions, normals, tangents;
  bool inverse_transpose = false;  // linear only: normals by the cofactor matrix instead of the matrix itself
  bool one_hemisphere = false;     // dual only: joints of one vertex never differ in sign, so no vertex need check
  const WeightedOffsets* offsets = nullptr;  // added before skinning; null: none. Input strides are then 3
};

/// Vertices, from the start of a block on, to which weighted morph targets are added.
struct MorphBlocks {
  const WeightedOffsets* offsets = nullptr;
  std::size_t first_block = 0, vertices = 0;
  // Three floats a vertex, of the first vertex of first_block on; normals may be null. Outputs may be the inputs.
  const float *positions = nullptr, *normals = nullptr;
  float *out_positions = nullptr, *out_normals = nullptr;
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
