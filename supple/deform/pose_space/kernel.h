// What the kernel of weighted PSD is given, and which instruction sets this processor can run it with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supple::pose_space {

inline constexpr std::size_t lanes = 16;  // vertices of a block
inline constexpr std::size_t max_examples = 64;

/// Blocks of vertices: see PoseSpaceTable, whose arrays these are.
struct Task {
  std::size_t examples = 0;
  const float* angles = nullptr;                   // of each joint: squared, to every example, in units of the radius
  const float* base = nullptr;                     // #examples: what the floor of the influences adds up to
  const std::uint32_t* first = nullptr;            // of each block: its influences
  const std::uint32_t* joints = nullptr;           // of each influence
  const float* influences = nullptr;               // lanes each
  const std::uint32_t* coefficients_of = nullptr;  // of each block: lanes each
  const float* coefficients = nullptr;
  const float *position_offsets = nullptr, *normal_offsets = nullptr;  // 3 * lanes a target, the targets of a block
  std::size_t first_block = 0, vertices = 0;                           // from the start of that block on
  // Three floats a vertex, of the first vertex of first_block on; normals may be null. Outputs may be the inputs.
  const float *positions = nullptr, *normals = nullptr;
  float *out_positions = nullptr, *out_normals = nullptr;
  float least_sum = 0;  // of f, see PoseSpace
};

struct Kernel {
  const char* name;
  void (*add_examples)(const Task&);
};

/// Every one this processor can run, slowest first; the first one runs everywhere.
std::span<const Kernel> available();
/// The fastest one.
const Kernel& best();

}  // namespace supple::pose_space
