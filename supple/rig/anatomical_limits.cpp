#include "supple/rig/anatomical_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "supple/base/twist.h"
#include "supple/rig/anatomical_frame.h"
#include "supple/rig/clip_sweeps.h"
#include "supple/rig/clip_turns.h"

namespace supple {
namespace {

constexpr double one_degree = std::numbers::pi / 180;
constexpr double hinge_bent_at_rest = 4 * one_degree;  // less says nothing about the way a joint bends
constexpr double surely_bent = 15 * one_degree;        // more of it than this outweighs what bodies usually do
constexpr double turned_by_clips = 15 * one_degree;    // less says nothing either
constexpr double surely_turned = 45 * one_degree;      // likewise
constexpr double beyond_what_clips_do = 1.1;           // clips to come will go a little farther
constexpr double noise_of_clips = 5 * one_degree;
constexpr double least_share_of_clips = 0.2;  // of the joint's largest turn: less comes with it
constexpr double own_axis = 0.995;            // cosine: such an axis is the joint's own
constexpr double nearly_along = 0.9;          // cosine

/// Degrees from rest, towards where the bone bends and back; to the two sides of that; about the bone.
struct Everyday {
  double bend = 0, back = 0;
  double side = 0, other_side = 0;
  double twist = 0;
};

/// One joint's axes (columns: bend, side, along the bone; right-handed, in its own frame) and ranges about them.
struct JointRange {
  Mat3d axes;
  Vec3d min{}, max{};  // radians
  bool known_way = true;
};

Vec3d perpendicular(Vec3d v, Vec3d to) { return v - to * dot(v, to); }

class LimitFinder {
 public:
  LimitFinder(const Character& character, const Anatomy& anatomy)
      : character_(character), skeleton_(character.skeleton), anatomy_(anatomy), body_(skeleton_, anatomy) {
    for (const JointAnatomy& joint : anatomy.joints) {
      auto& count = counts_[static_cast<std::size_t>(joint.kind)];
      count = std::max(count, joint.order + 1);
    }
    largest_turn_.resize(skeleton_.size());
    for_each_turn_in_clips(character, [&](JointIndex j, Quatd turn) {
      if (!is_posed(anatomy_.joints[j].kind)) return;
      const Vec3d by = log_rotation(turn);
      if (squared_length(by) > squared_length(largest_turn_[j])) largest_turn_[j] = by;
    });
  }

  std::vector<std::vector<Dof>> find() const {
    std::vector<JointRange> ranges;
    for (JointIndex j = 0; j < skeleton_.size(); ++j) ranges.push_back(range_of(j));
    std::vector<Vec3d> low(skeleton_.size()), high(skeleton_.size());
    for_each_turn_in_clips(character_, [&](JointIndex j, Quatd turn) {
      if (!is_posed(anatomy_.joints[j].kind)) return;
      const Quatd axes = from_matrix(ranges[j].axes);
      const Vec3d angles = own_angles(conjugate(axes) * turn * axes);
      for (std::size_t a = 0; a < 3; ++a) {
        low[j][a] = std::min(low[j][a], angles[a]);
        high[j][a] = std::max(high[j][a], angles[a]);
      }
    });
    std::vector<std::vector<Dof>> dofs(skeleton_.size());
    for (JointIndex j = 0; j < skeleton_.size(); ++j)
      if (is_posed(anatomy_.joints[j].kind)) dofs[j] = dofs_of(ranges[j], low[j], high[j]);
    return dofs;
  }

 private:
  bool quadruped() const { return anatomy_.plan == BodyPlan::quadruped; }
  double shared(JointKind kind, double degrees) const {
    return degrees / std::max(1, counts_[static_cast<std::size_t>(kind)]);
  }
  bool above_thigh(JointIndex j) const {
    for (const JointIndex k : skeleton_.children(j))
      if (anatomy_.joints[k].kind == JointKind::thigh) return true;
    return false;
  }

  Everyday everyday(JointIndex j) const {
    const JointAnatomy& joint = anatomy_.joints[j];
    const auto each = [&](double all) { return std::clamp(shared(joint.kind, all), 5.0, 25.0); };
    switch (joint.kind) {
      case JointKind::hips:
      case JointKind::spine:
        if (quadruped()) return {each(40), each(30), each(40), each(40), each(20)};
        return {each(60), each(25), each(35), each(35), each(40)};
      case JointKind::neck:
        if (quadruped()) return {each(70), each(60), each(70), each(70), each(30)};
        return {each(35), each(35), each(25), each(25), each(40)};
      case JointKind::head:
        return quadruped() ? Everyday{25, 25, 25, 25, 15} : Everyday{25, 25, 20, 20, 40};
      case JointKind::jaw:
        return {25, 0, 0, 0, 0};
      case JointKind::eye:
        return {25, 25, 25, 25, 0};
      case JointKind::ear:
        return {15, 15, 15, 15, 0};
      case JointKind::clavicle:
        if (above_thigh(j)) return {10, 10, 5, 5, 0};
        return quadruped() ? Everyday{15, 15, 5, 5, 0} : Everyday{25, 8, 12, 12, 0};
      case JointKind::upper_arm: {
        if (quadruped()) return {35, 30, 12, 12, 0};
        const double raised = std::acos(std::clamp(-dot(body_.out(j), body_.up()), -1.0, 1.0)) / one_degree;
        return {90, 30, std::clamp(150 - raised, 20.0, 90.0), std::clamp(raised - 15, 10.0, 75.0), 45};
      }
      case JointKind::forearm:
        return quadruped() ? Everyday{60, 10, 0, 0, 0} : Everyday{130, 0, 0, 0, 0};
      case JointKind::hand:
        return quadruped() ? Everyday{50, 20, 0, 0, 0} : Everyday{60, 50, 20, 20, 0};
      case JointKind::thumb:
        if (joint.order == 0) return {30, 15, 15, 15, 0};
        return joint.order == 1 ? Everyday{50, 5, 0, 0, 0} : Everyday{65, 10, 0, 0, 0};
      case JointKind::finger:
        if (joint.order == 0) return {80, 10, 12, 12, 0};
        return joint.order == 1 ? Everyday{95, 5, 0, 0, 0} : Everyday{65, 5, 0, 0, 0};
      case JointKind::thigh:
        return quadruped() ? Everyday{35, 35, 10, 10, 0} : Everyday{90, 20, 35, 15, 25};
      case JointKind::shin:
        return quadruped() ? Everyday{60, 15, 0, 0, 0} : Everyday{130, 0, 0, 0, 0};
      case JointKind::foot:
        return quadruped() ? Everyday{40, 40, 0, 0, 0} : Everyday{20, 40, 12, 12, 0};
      case JointKind::toe:
        return {35, 10, 0, 0, 0};
      case JointKind::tail: {
        const double one = std::clamp(shared(joint.kind, 120), 8.0, 25.0);
        return {one, one, one, one, 0};
      }
      default:
        return {};
    }
  }

  /// Returns the direction in which the far end of a bone goes as it bends, in world space; 0: not known.
  Vec3d bending_way(JointIndex j) const {
    const JointAnatomy& joint = anatomy_.joints[j];
    const Vec3d forward = body_.forward(), up = body_.up();
    switch (joint.kind) {
      case JointKind::shin:
        return -forward;
      case JointKind::hand:
        if (quadruped()) return -forward;
        return body_.palm(joint.side);
      case JointKind::finger:
        return body_.palm(joint.side);
      case JointKind::thumb:
        return normalized(body_.palm(joint.side) + body_.across(joint.side));
      case JointKind::foot:
      case JointKind::toe:
        return up;
      case JointKind::clavicle:
        return quadruped() || above_thigh(j) ? forward : up;
      case JointKind::jaw:
        return -up;
      case JointKind::hips:
      case JointKind::spine:
      case JointKind::neck:
      case JointKind::head:
        return quadruped() ? -up : forward;
      case JointKind::forearm:
      case JointKind::upper_arm:
      case JointKind::thigh:
        // Arms that are held forwards bend and swing upwards.
        return std::abs(dot(forward, body_.out(j))) < nearly_along ? forward : up;
      default:
        return {};
    }
  }

  static bool is_hinge(JointKind kind) {
    return kind == JointKind::forearm || kind == JointKind::shin || kind == JointKind::finger ||
           kind == JointKind::thumb;
  }

  /// Returns the unit axis of a hinge in world space; 0: neither rest nor clips show it.
  Vec3d hinge_axis(JointIndex j, Vec3d out, Vec3d way) const {
    const JointAnatomy& joint = anatomy_.joints[j];
    const bool digit = joint.kind == JointKind::finger || joint.kind == JointKind::thumb;
    const Vec3d at_rest = perpendicular(digit ? body_.finger_bend(j) : cross(body_.in(j), out), out);
    const double bent = length(at_rest);
    const bool usual = length(way) == 0 || dot(cross(at_rest, out), way) > 0;
    if (bent > std::sin(hinge_bent_at_rest) && (usual || bent > std::sin(surely_bent)) &&
        (digit || dot(body_.in(j), out) > 0))
      return normalized(at_rest);
    const Vec3d turn = perpendicular(rotate(body_.rotation(j), largest_turn_[j]), out);
    if (length(turn) <= turned_by_clips) return {};
    const bool against = length(way) > 0 && dot(cross(turn, out), way) < 0;
    return normalized(against && length(turn) < surely_turned ? -turn : turn);
  }

  JointRange range_of(JointIndex j) const {
    JointRange range;
    const JointAnatomy& joint = anatomy_.joints[j];
    const Vec3d out = body_.out(j);
    if (!is_posed(joint.kind) || length(out) == 0) return range;
    Vec3d way = perpendicular(bending_way(j), out);
    way = length(way) > 1 - nearly_along ? normalized(way) : Vec3d{};
    Vec3d axis{};
    if (is_hinge(joint.kind)) axis = hinge_axis(j, out, way);
    if (length(axis) == 0) axis = cross(out, way);
    const Quatd to_own = conjugate(body_.rotation(j));
    const Vec3d along = rotate(to_own, out);
    range.known_way = length(axis) > 0;
    Vec3d bend = rotate(to_own, axis);
    if (!range.known_way) {  // the own axis that is most across the bone
      std::size_t across = 0;
      for (std::size_t a = 1; a < 3; ++a)
        if (std::abs(along[a]) < std::abs(along[across]) - 1e-6) across = a;
      bend[across] = 1;
      bend = normalized(perpendicular(bend, along));
    }
    range.axes = {bend, cross(along, bend), along};
    put_range(j, out, rotate(body_.rotation(j), bend), range);
    return range;
  }

  void put_range(JointIndex j, Vec3d out, Vec3d bend, JointRange& range) const {
    Everyday e = everyday(j);
    if (!range.known_way) e.bend = e.back = (e.bend + e.back) / 2;
    // About the second axis the bone's end goes towards the first: for arms and legs that is out from the body or in.
    const JointAnatomy& joint = anatomy_.joints[j];
    const bool limb = joint.kind == JointKind::upper_arm || joint.kind == JointKind::thigh;
    if (limb && length(body_.forward()) > 0) {
      const Vec3d away = joint.side == BodySide::right ? cross(out, body_.forward()) : cross(body_.forward(), out);
      if (dot(bend, away) < 0) std::swap(e.side, e.other_side);
    } else {
      e.side = e.other_side = (e.side + e.other_side) / 2;
    }
    range.min = (Vec3d{} - Vec3d{e.back, e.other_side, e.twist}) * one_degree;  // 0, not -0
    range.max = Vec3d{e.bend, e.side, e.twist} * one_degree;
  }

  static std::vector<Dof> dofs_of(const JointRange& range, Vec3d low, Vec3d high) {
    constexpr std::array<const char*, 3> names{"bend", "side", "twist"}, own{"x", "y", "z"};
    const Vec3d extent = (high - low) * beyond_what_clips_do;
    const double worth = std::max(noise_of_clips, least_share_of_clips * std::max({extent.x, extent.y, extent.z}));
    std::vector<Dof> dofs;
    bool all_own = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const bool usual = range.max[a] > range.min[a];
      if (!usual && !(extent[a] >= worth)) continue;
      const double min = std::max(std::min(range.min[a], low[a] * beyond_what_clips_do), -std::numbers::pi);
      const double max = std::min(std::max(range.max[a], high[a] * beyond_what_clips_do), std::numbers::pi);
      dofs.push_back({names[a], Vec3f(range.axes[a]), static_cast<float>(min), static_cast<float>(max)});
      const Vec3d axis = range.axes[a];
      all_own = all_own && std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)}) > own_axis;
    }
    for (std::size_t d = 0; all_own && d < dofs.size(); ++d) {
      Dof& dof = dofs[d];
      for (std::size_t a = 0; a < 3; ++a) {
        if (!(std::abs(double{dof.axis[a]}) > own_axis)) continue;
        if (dof.axis[a] < 0) dof = {own[a], {}, 0 - dof.max, 0 - dof.min};
        dof.name = own[a];
        dof.axis = {};
        dof.axis[a] = 1;
        break;
      }
    }
    return dofs;
  }

  const Character& character_;
  const Skeleton& skeleton_;
  const Anatomy& anatomy_;
  BodyFrame body_;
  std::array<int, 24> counts_{};
  std::vector<Vec3d> largest_turn_;  // of all clips, in the joint's frame, radians
};

}  // namespace

std::vector<std::vector<Dof>> anatomical_limits(const Character& character, const Anatomy& anatomy) {
  return LimitFinder(character, anatomy).find();
}

}  // namespace supple
