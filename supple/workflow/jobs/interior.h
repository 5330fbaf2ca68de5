// What a pose does to the inside of a part: by the deformer's own map of space where it has one.
#pragma once

#include "supple/deform/skin.h"
#include "supple/measure/jacobian.h"

namespace supple::workflow {

struct Interior {
  measure::JacobianSummary jacobian;
  /// "flow": of the flow that moves the skin, without muscles. "mean value coordinates": of the skin's motion,
  /// continued to the inside.
  std::string map;
};

/// det J at about `count` points inside a part for the pose that the skin was evaluated in last; `rest` is the part's
/// surface at rest, `posed` its positions in that pose.
Result<Interior> measure_interior(const Skin& skin, std::size_t part, const Mesh& rest, std::span<const Vec3f> posed,
                                  std::size_t count);

}  // namespace supple::workflow
