// Where a joint's correction acts: the vertices it moves noticeably (EigenSkin 2002, section 4.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/geometry/topology.h"

namespace supple::learn {

struct SupportOptions {
  /// Displacements below this share of the joint's own largest are left out. The paper's threshold is hard, 0.04; a
  /// mask that rises from `threshold` to twice that leaves no step at the border.
  double threshold = 0.015;
  bool hard = false;
};

struct Support {
  std::vector<std::uint32_t> vertices;  // increasing
  std::vector<float> mask;              // #vertices, in (0, 1]
};

/// `size` is the largest displacement of each vertex over the joint's examples; `largest` what it is measured against,
/// mostly its maximum. `neighbours` are of the welded surface, so that both sides of a seam are masked alike.
Support support_of(std::span<const float> size, double largest, const Adjacency& neighbours,
                   std::span<const std::uint32_t> to_point, const SupportOptions& options);

}  // namespace supple::learn
