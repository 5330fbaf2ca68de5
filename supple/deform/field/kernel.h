// What a flow kernel is given, and which kernels this processor can run. Plain numbers in single precision: what the
// path and the table say, moment by moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supple::field_kernel {

/// Vertices that go together: of one limb, close to each other.
inline constexpr std::size_t block_size = 32;
/// Shapes, limbs that touch, and joints that move that a block can feel at a time; the first of more.
inline constexpr std::size_t most_active = 64, most_touching = 16;

struct Grid {
  float origin[3];
  float inverse_spacing;
  std::uint32_t size[3], cubes[3];
  const float* values;
  const std::uint8_t* felt;  // see WeightGrid
};

enum ShapeKind : std::uint32_t { segment, ellipsoid, star, grid };

/// A shape where it is at a moment.
struct Shape {
  std::uint32_t kind, bone;
  std::uint32_t rank, end, joint;  // of the limb
  float weight;
  float a[3];                    // beginning of the segment; centre of others
  float ab[3], inverse_length2;  // of the segment; 0: a point
  float falloff;                 // 1/m^2
  float whole[3], along[3];      // the whole bone of a segment: where it begins, and its direction, a unit vector
  float bone_length, cut[2];     // metres: what is cut off at its beginning and its end
  float radius;                  // of the ball that a shape other than a segment fills
  float to_unit[9];              // rows; of a grid: to rest space, without the shift
  float shift[3];                // of a grid: rest = to_unit p + shift
  const float* numbers;          // of the star, direction by direction: x, y, z, number
  const Grid* painted;
};

/// A limb as it is solid to skin that is not kin, at a moment: see LimbContact.
struct Touch {
  std::uint32_t rank, joint;
  float to_rest[9], shift[3];  // rest = to_rest p + shift
  float center[3], half[3];    // of the box of its grid, in rest space
  const Grid* painted;
};

/// A joint that moves, at a moment: see JointMotion.
struct Motion {
  std::uint32_t rank, end;  // of its subtree
  float axis[3], rate, center[3], shift[3], alpha, beta;
};

/// Rotation by rows, and shift.
struct Frame {
  float linear[9], shift[3];
};

struct Moment {
  const Shape* shapes;
  const Motion* motions;
  const Touch* touches;
  const Frame* joints;  // from rest space to the world
  bool all_kin;         // volume is kept between all limbs, not only those that hang on each other
  std::uint32_t motion_count;
  bool relative;  // see FieldTable
};

struct Path {
  const Moment* moments;  // 2 * steps + 1
  const float* sizes;     // of the steps
  std::uint32_t steps;
  float farthest;  // metres, see FieldTable
  Frame after;
};

/// A shape that a block can feel, or a limb that it can touch, and how far each vertex does.
struct Pick {
  static constexpr std::uint16_t all = 0xffff;
  std::uint16_t item;
  std::uint16_t shares;  // row of Block::shares; all: every vertex fully
};

/// Positions of one block by coordinates, in rest space; moved to the world of the pose in place.
struct Block {
  float x[3][block_size];
  std::uint32_t owner, owner_rank;  // joint
  const Pick *shapes, *touches;     // shapes in the order of the table
  std::uint32_t shape_count, touch_count;
  const float (*shares)[block_size];
  const float* thinness;  // block_size, see FieldTable; null: 1 everywhere
};

struct Kernels {
  const char* name;
  void (*rk4_limb)(const Path&, Block&);
  /// Equation 7, or without `volume` equation 5.
  void (*blended)(const Path&, Block&, bool volume);
};

/// Every set of kernels this processor can run, slowest first; the first one runs everywhere.
std::span<const Kernels> available();
const Kernels& best();

}  // namespace supple::field_kernel
