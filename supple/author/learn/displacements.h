// Examples seen from the rest pose: by how much the rest shape must be changed so that skinning gives the example
// (EigenSkin 2002, eq. 3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/rig/example_set.h"

namespace supple::learn {

/// u = (sum_k w_k T_k)^-1 v - v0 of every chosen example and vertex, and the same for unit normals.
struct RestDisplacements {
  std::size_t examples = 0, vertices = 0;
  std::vector<Vec3f> positions, normals;  // #examples * #V
  /// Where the blended matrix is singular, or nearly so (two joints half a turn apart): left at 0.
  struct Singular {
    std::uint32_t example = 0, vertex = 0;  // place in the chosen examples
  };
  std::vector<Singular> singular;

  std::span<const Vec3f> positions_of(std::size_t e) const { return {&positions[e * vertices], vertices}; }
  std::span<const Vec3f> normals_of(std::size_t e) const { return {&normals[e * vertices], vertices}; }
};

/// The set must match the part (check_matches). `chosen` are places in the set.
Result<RestDisplacements> rest_displacements(const ExampleSet& set, const Character& character, std::size_t part,
                                             std::span<const std::size_t> chosen);

}  // namespace supple::learn
