// How far the numbers of each accessor are rounded before they are compressed.
#pragma once

#include <map>

#include "supple/files/gltf/accessor.h"

namespace supple::gltf {

struct Rounding {
  enum class Kind {
    exact,
    steps,       // to whole multiples of 2^exponent
    directions,  // unit vectors, to 12 bits of an octahedron; a fourth number is kept
    rotations,   // unit quaternions, to 16 bits, and perhaps the opposite sign
  };
  Kind kind = Kind::exact;
  int exponent = 0;  // of two
  friend bool operator==(const Rounding&, const Rounding&) = default;
};

struct RoundingPlan {
  std::vector<Rounding> accessors;                    // #accessors
  std::map<std::size_t, std::vector<float>> weights;  // skin weights, rounded together so that they still sum to one
};

/// What is seen is rounded, by far less than can be seen; whatever is no float, or means nothing known, stays exact:
///   positions and their morph targets    to 2^-16 of the mesh's size (rounded up to a power of two)
///   normals, tangents                    to 12 bits; their morph targets to 2^-11
///   texture coordinates                  to 2^-14
///   colours                              to 2^-10
///   skin weights                         to 2^-15
///   clips                                rotations to 16 bits, the rest to 2^-18 of the largest value; times are exact
/// Joints keep their bind matrices and meshes their place, so that offsets of other deformers go on fitting.
RoundingPlan plan_rounding(const Document& document);

/// Rounded half away from zero to whole multiples of 2^exponent.
float to_step(float value, int exponent);

}  // namespace supple::gltf
