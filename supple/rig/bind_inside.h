// How far skin is from bones along ways inside the body.
#pragma once

#include <span>
#include <vector>

#include "supple/geometry/mesh.h"

namespace supple {

struct Bone;

struct InnerBones {
  std::vector<double> distance;        // #points by #bones, metres; infinity where no way leads
  std::vector<double> radius;          // #bones: of the body around them, metres; infinity where that is not known
  std::vector<std::uint32_t> outside;  // bones that do not take part
  bool none_inside = false;
};

/// `points` are welded. A bone is its surface, or the lines from its head to its ends; it takes part with what lies
/// inside the body or close to it, relative to its length, if that is a good part of it: bones of ears are often drawn
/// beside the ear, while a root on the ground is in nobody's leg. Where no bone at all is near the body, all start at
/// the skin nearest to them.
InnerBones bones_inside(std::span<const Vec3f> points, std::span<const Triangle> triangles,
                        std::span<const Bone> bones);

}  // namespace supple
