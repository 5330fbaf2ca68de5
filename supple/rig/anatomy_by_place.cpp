#include "supple/rig/anatomy_by_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "supple/geometry/mesh.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

constexpr double same_place = 0.02;      // of the skeleton's size
constexpr std::size_t fewest_pairs = 2;  // that make a plane believable where no name does

struct MirrorPlane {
  Vec3d normal{1, 0, 0};  // to the left
  double offset = 0;
  double of(Vec3d p) const { return dot(normal, p) - offset; }
  Vec3d mirrored(Vec3d p) const { return p - normal * (2 * of(p)); }
};

std::vector<Vec3d> places_at_rest(const Skeleton& skeleton) {
  std::vector<Vec3d> places;
  for (const Affinef& world : to_world(skeleton, rest_pose(skeleton))) places.emplace_back(world.translation);
  return places;
}

double size_of_places(std::span<const Vec3d> places) {
  std::vector<Vec3f> points;
  for (const Vec3d& p : places) points.emplace_back(p);
  return double{bounds(points).diagonal()};
}

std::optional<MirrorPlane> plane_of_pairs(std::span<const Vec3d> places, const Anatomy& anatomy) {
  Vec3d across{}, middle{};
  std::size_t pairs = 0;
  for (std::size_t j = 0; j < places.size(); ++j) {
    const JointAnatomy& joint = anatomy.joints[j];
    if (joint.mirror == no_joint || joint.side != BodySide::left) continue;
    across += places[j] - places[joint.mirror];
    middle += (places[j] + places[joint.mirror]) * 0.5;
    ++pairs;
  }
  if (pairs == 0 || !(length(across) > 0)) return std::nullopt;
  const Vec3d normal = normalized(across);
  return MirrorPlane{normal, dot(normal, middle * (1 / static_cast<double>(pairs)))};
}

/// Pairs joints that lie mirrored if they have one parent, or parents that mirror each other.
void pair_by_place(const Skeleton& skeleton, std::span<const Vec3d> places, const MirrorPlane& plane, double near,
                   std::span<const JointKind> kinds, std::vector<JointIndex>& mirror) {
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (mirror[j] != no_joint || std::abs(plane.of(places[j])) < near) continue;
    const JointIndex parent = skeleton.parent(j);
    JointIndex best = no_joint;
    for (JointIndex k = j + 1; k < skeleton.size(); ++k) {
      if (mirror[k] != no_joint || kinds[k] != kinds[j]) continue;
      const JointIndex other = skeleton.parent(k);
      const bool parents = other == parent || (parent != no_joint && mirror[parent] == other && other != no_joint);
      if (!parents || length(plane.mirrored(places[j]) - places[k]) > near) continue;
      if (best == no_joint ||
          length(plane.mirrored(places[j]) - places[k]) < length(plane.mirrored(places[j]) - places[best]))
        best = k;
    }
    if (best == no_joint) continue;
    mirror[j] = best;
    mirror[best] = j;
  }
}

}  // namespace

void find_mirrors(const Skeleton& skeleton, std::span<const std::string> names, std::span<const std::string> mirrored,
                  Anatomy& anatomy) {
  std::map<std::string, std::vector<JointIndex>> by_name;  // several joints may have one
  for (JointIndex j = 0; j < skeleton.size(); ++j) by_name[names[j]].push_back(j);
  std::vector<JointIndex> mirror(skeleton.size(), no_joint);
  for (const auto& [name, joints] : by_name) {
    const auto others = by_name.find(mirrored[joints[0]]);
    if (mirrored[joints[0]].empty() || others == by_name.end() || others->first == name ||
        others->second.size() != joints.size())
      continue;
    for (std::size_t i = 0; i < joints.size(); ++i)
      if (anatomy.joints[joints[i]].kind == anatomy.joints[others->second[i]].kind)
        mirror[joints[i]] = others->second[i];
  }
  for (JointIndex j = 0; j < skeleton.size(); ++j) anatomy.joints[j].mirror = mirror[j];
  const std::vector<Vec3d> places = places_at_rest(skeleton);
  const double near = same_place * size_of_places(places);
  if (!(near > 0)) return;
  std::optional<MirrorPlane> plane = plane_of_pairs(places, anatomy);
  const bool named = plane.has_value();
  if (!plane) plane = MirrorPlane{};
  std::vector<JointIndex> paired = mirror;
  std::vector<JointKind> kinds;
  for (const JointAnatomy& joint : anatomy.joints) kinds.push_back(joint.kind);
  pair_by_place(skeleton, places, *plane, near, kinds, paired);
  const auto pairs = static_cast<std::size_t>(
      std::count_if(paired.begin(), paired.end(), [](JointIndex other) { return other != no_joint; }) / 2);
  if (!named && pairs < fewest_pairs) return;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    JointAnatomy& joint = anatomy.joints[j];
    joint.mirror = paired[j];
    if (joint.side != BodySide::unknown) continue;
    const double aside = plane->of(places[j]);
    if (std::abs(aside) < near && paired[j] == no_joint) {
      joint.side = BodySide::middle;
    } else if (paired[j] != no_joint) {
      joint.side = aside > 0 ? BodySide::left : BodySide::right;
    }
  }
}

namespace {

constexpr std::size_t shortest_leg = 3;   // joints
constexpr double lowest_share = 0.15;     // of the height: where legs end
constexpr double least_leg_share = 0.25;  // of the height: how long they are

struct Leg {
  JointIndex trunk = no_joint;     // that it hangs on
  std::vector<JointIndex> joints;  // from the trunk outwards
};

/// Walks from an end upwards to the joint where the tree branches.
Leg leg_to(const Skeleton& skeleton, JointIndex end, std::span<const std::size_t> children) {
  Leg leg;
  JointIndex j = end;
  while (j != no_joint && (j == end || children[j] == 1)) {
    leg.joints.insert(leg.joints.begin(), j);
    j = skeleton.parent(j);
  }
  leg.trunk = j;
  return leg;
}

double highest_below(const Skeleton& skeleton, std::span<const Vec3d> places, JointIndex from) {
  double high = places[from].y;
  for (JointIndex k = from + 1; k < skeleton.size(); ++k)
    if (skeleton.is_ancestor(from, k)) high = std::max(high, places[k].y);
  return high;
}

void name_leg(const Leg& leg, bool front, Anatomy& anatomy) {
  const std::array<JointKind, 3> kinds = front ? std::array{JointKind::upper_arm, JointKind::forearm, JointKind::hand}
                                               : std::array{JointKind::thigh, JointKind::shin, JointKind::foot};
  const std::size_t first = front && leg.joints.size() > kinds.size() + 1 ? 1 : 0;
  if (first == 1) anatomy.joints[leg.joints[0]].kind = JointKind::clavicle;
  for (std::size_t i = first; i < leg.joints.size(); ++i)
    anatomy.joints[leg.joints[i]].kind = i - first < kinds.size() ? kinds[i - first] : JointKind::toe;
}

/// Follows a chain outwards until it ends or branches.
std::vector<JointIndex> chain_below(const Skeleton& skeleton, JointIndex from) {
  std::vector<JointIndex> chain;
  for (JointIndex j = from;;) {
    chain.push_back(j);
    const std::vector<JointIndex> next = skeleton.children(j);
    if (next.size() != 1) return chain;
    j = next[0];
  }
}

}  // namespace

void find_quadruped_by_shape(const Skeleton& skeleton, Anatomy& anatomy) {
  const std::vector<Vec3d> places = places_at_rest(skeleton);
  std::vector<std::size_t> children(skeleton.size(), 0);
  for (JointIndex j = 0; j < skeleton.size(); ++j)
    if (skeleton.parent(j) != no_joint) ++children[skeleton.parent(j)];
  double low = 1e30, high = -1e30;
  for (JointIndex j = 0; j < skeleton.size(); ++j)
    if (skeleton.parent(j) != no_joint) low = std::min(low, places[j].y), high = std::max(high, places[j].y);
  const double height = high - low;
  if (!(height > 0)) return;
  std::vector<Leg> legs;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    if (children[j] != 0 || places[j].y > low + lowest_share * height) continue;
    Leg leg = leg_to(skeleton, j, children);
    if (leg.trunk == no_joint || leg.joints.size() < shortest_leg) return;  // something else lies on the ground
    if (places[leg.joints[0]].y - places[j].y < least_leg_share * height) return;
    legs.push_back(std::move(leg));
  }
  if (legs.size() != 4) return;
  std::sort(legs.begin(), legs.end(), [](const Leg& a, const Leg& b) { return a.trunk < b.trunk; });
  const JointIndex one = legs[0].trunk, other = legs[2].trunk;
  if (legs[1].trunk != one || legs[3].trunk != other || one == other || !skeleton.is_ancestor(one, other)) return;
  if (legs[0].joints.size() != legs[1].joints.size() || legs[2].joints.size() != legs[3].joints.size()) return;
  // The trunk goes on beyond either pair: to the head on the side that reaches higher, to the tail on the other.
  const auto beyond = [&](JointIndex trunk, const Leg& a, const Leg& b) {
    std::vector<JointIndex> result;
    for (const JointIndex k : skeleton.children(trunk))
      if (k != a.joints[0] && k != b.joints[0] && k != other && !skeleton.is_ancestor(k, other)) result.push_back(k);
    return result;
  };
  const std::vector<JointIndex> past_one = beyond(one, legs[0], legs[1]), past_other = beyond(other, legs[2], legs[3]);
  const auto reach = [&](std::span<const JointIndex> chains) {
    double top = -1e30;
    for (const JointIndex k : chains) top = std::max(top, highest_below(skeleton, places, k));
    return top;
  };
  const bool other_is_front = reach(past_other) > reach(past_one);
  const std::vector<JointIndex>&to_head = other_is_front ? past_other : past_one,
        &to_tail = other_is_front ? past_one : past_other;
  if (to_head.size() != 1 || to_tail.size() > 1) return;
  anatomy.plan = BodyPlan::quadruped;
  for (std::size_t l = 0; l < 4; ++l) name_leg(legs[l], (l >= 2) == other_is_front, anatomy);
  for (JointIndex j = other; j != one; j = skeleton.parent(j)) anatomy.joints[j].kind = JointKind::spine;
  anatomy.joints[one].kind = other_is_front ? JointKind::hips : JointKind::spine;
  if (!other_is_front) anatomy.joints[other].kind = JointKind::hips;
  const std::vector<JointIndex> neck = chain_below(skeleton, to_head[0]);
  for (const JointIndex j : neck) anatomy.joints[j].kind = JointKind::neck;
  const bool end_only = neck.size() > 1 && children[neck.back()] == 0;  // the head, and where it ends
  anatomy.joints[end_only ? neck[neck.size() - 2] : neck.back()].kind = JointKind::head;
  if (end_only) anatomy.joints[neck.back()].kind = JointKind::end;
  if (!to_tail.empty())
    for (const JointIndex j : chain_below(skeleton, to_tail[0])) anatomy.joints[j].kind = JointKind::tail;
}

}  // namespace supple
