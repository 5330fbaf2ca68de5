// Weights of limbs in space, ready for evaluation: what build_field() makes of a rig, immutable.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "supple/base/mat.h"
#include "supple/rig/kinodynamics.h"

namespace supple {

/// Weights on a grid, interpolated by quadratic B-splines: a C1 field wherever the numbers came from.
struct WeightGrid {
  Vec3d origin{};  // of the first number
  double spacing = 1;
  std::array<std::uint32_t, 3> size{};  // numbers along x, y, z; x runs fastest
  std::vector<float> values;
  /// For each cube of cube_size numbers, x fastest: whether the field can be other than zero nearest to one of them.
  std::vector<std::uint8_t> felt;

  static constexpr std::uint32_t cube_size = 4;
  std::array<std::uint32_t, 3> cubes() const {
    return {size[0] / cube_size + 1, size[1] / cube_size + 1, size[2] / cube_size + 1};
  }
};

/// One summand of a limb's weight. In rest space: the skin's world coordinates in the rest pose, which each limb
/// carries along.
struct FieldShape {
  enum class Kind : std::uint8_t {
    segment,    // weight * exp(-falloff d^2), d metres from the segment ab
    ellipsoid,  // weight * (1 - d^2)^2, d = |to_unit (p - a)| (equation 8)
    star,       // as an ellipsoid, the unit sphere dented
    grid        // painted
  };
  Kind kind = Kind::segment;
  bool bone = false;  // of ellipsoids and stars: full weight inside, falling fast beyond; the gradient counts as zero
  JointIndex joint = no_joint;
  double weight = 1;
  Vec3d a{}, b{};
  double falloff = 0;  // 1/m^2
  /// Of a segment: the whole bone, and how much of it is cut off at either end, metres. ab is what is left.
  Vec3d bone_a{}, bone_b{};
  double cut_a = 0, cut_b = 0;
  Mat3d to_unit{};           // 1/m
  std::uint32_t number = 0;  // of the star or grid
};

inline constexpr std::uint32_t no_limb = 0xffffffffu;

/// Where a limb is solid to skin that does not hang on it: its painted weight inside the body, fading close outside.
struct LimbContact {
  JointIndex joint = no_joint;
  std::uint32_t grid = 0;
};

/// Bones' weight has vanished at this many radii.
inline constexpr double bone_fade = 1.25;

struct FieldTable {
  // ---- the skeleton ----
  std::vector<JointIndex> parents;       // #joints
  std::vector<Affined> rest;             // #joints: world in the rest pose, scale taken out
  std::vector<Vec3d> bones;              // #joints: direction from the joint along what it moves, unit or zero
  std::vector<std::uint32_t> rank, end;  // #joints: a joint's subtree are those with rank <= their rank < end
  std::vector<bool> carries;             // #joints: whether a limb hangs on it; others move nothing
  /// The lowest joint that all limbs hang on, or none: what it does moves the skin as a whole.
  JointIndex common = no_joint;

  // ---- the weights ----
  std::vector<FieldShape> shapes;  // by joint
  std::vector<WeightGrid> grids;
  std::vector<std::vector<float>> stars;
  bool relative = false;  // segments alone: exponents are taken relative to the nearest, so that weights never vanish
  /// #V of the body: how much thinner skin is than what else follows its limb, 0 to 1; weights are so much sharper for
  /// it. Empty: nowhere. See thinness_of_skin().
  std::vector<float> thinness;

  // ---- who touches whom ----
  std::vector<JointIndex> limbs;                       // by number
  std::vector<std::vector<std::uint32_t>> neighbours;  // #limbs: limbs that it hangs on or that hang on it, and itself
  /// #limbs, metres: how deep flesh lies over the bone. A limb weighs as widely as the thickest of its neighbours:
  /// beside a thigh the field of a slender shin would be so sharp that flesh behind the knee is squeezed into a fin.
  std::vector<double> depths;
  bool pushes = false;                // limbs that are not kin push where they touch
  std::vector<LimbContact> contacts;  // #limbs, or none: then all limbs are kin everywhere

  // ---- the flow ----
  std::vector<std::vector<VolumeKey>> volume;  // #joints: the animator's curve, or empty
  FlowIntegrator integrator = FlowIntegrator::rk4_limb;
  double step = 0;  // radians
  /// Metres, the size of the body: a point that the flow would throw farther in a step stays with its limb instead.
  /// Where tissue ends all at once weights have slopes without end; what they say there is no motion of skin.
  double farthest = std::numeric_limits<double>::infinity();

  /// The limb of a joint, or no_limb.
  std::uint32_t limb_of(JointIndex joint) const {
    const auto place = std::lower_bound(limbs.begin(), limbs.end(), joint);
    return place != limbs.end() && *place == joint ? static_cast<std::uint32_t>(place - limbs.begin()) : no_limb;
  }
  bool in_subtree(JointIndex top, JointIndex j) const { return rank[top] <= rank[j] && rank[j] < end[top]; }
};

}  // namespace supple
