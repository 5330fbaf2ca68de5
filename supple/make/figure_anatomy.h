// Measurements of the procedural body: where the joints are, and the bones between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/mat.h"

namespace supple::make {

/// Points of the left side, metres, standing; the right side is its mirror image. Seen from the front hip, knee and
/// ankle lie on one line, so that the knee is a hinge that moves the leg in a plane.
namespace landmark {
inline constexpr Vec3d hips = {0, 0.955, -0.010}, spine = {0, 1.060, -0.014}, chest = {0, 1.190, -0.020};
inline constexpr Vec3d neck = {0, 1.430, -0.022}, head = {0, 1.530, 0.000}, crown = {0, 1.700, 0.005};
inline constexpr Vec3d shoulder = {0.025, 1.395, -0.012}, arm = {0.158, 1.372, -0.022};
inline constexpr Vec3d elbow = {0.310, 1.145, -0.026}, wrist = {0.447, 0.942, 0.006}, fingers = {0.548, 0.792, 0.030};
inline constexpr Vec3d hip = {0.090, 0.905, 0.000}, knee = {0.106, 0.489, 0.010}, ankle = {0.122, 0.073, -0.030};
inline constexpr Vec3d toes = {0.134, 0.018, 0.165};
}  // namespace landmark

inline Vec3d mirrored(Vec3d p) { return {-p.x, p.y, p.z}; }

enum class BodySide { middle, left, right };

struct FigureBone {
  std::string name;  // of its joint
  std::string part;  // the name without the side
  BodySide side;
  std::optional<std::size_t> parent;  // place in the same list
  Vec3d head, tail;                   // metres, rest pose
  Mat3d axes;  // of the joint, columns: x across, y along the bone, z to the front (of a foot: up)
};

/// All bones, parents first; "root" stands on the ground and points up.
std::vector<FigureBone> figure_bones();

}  // namespace supple::make
