#include "supple/rig/anatomical_frame.h"

#include <algorithm>

#include "supple/rig/pose.h"

namespace supple {

BodyFrame::BodyFrame(const Skeleton& skeleton, const Anatomy& anatomy) : skeleton_(skeleton), anatomy_(anatomy) {
  find_places();
  find_directions();
  find_palms();
}

/// Returns the child that continues a limb: the next joint of a finger, the hand of a forearm.
JointIndex BodyFrame::next_of(JointIndex j) const {
  const JointAnatomy& joint = anatomy_.joints[j];
  JointIndex next = no_joint;
  int best = 0;
  for (const JointIndex k : skeleton_.children(j)) {
    const JointAnatomy& child = anatomy_.joints[k];
    int score = 1;
    if (child.kind == JointKind::end) score = 2;
    if (is_posed(child.kind) && child.side == joint.side) score = 3;
    if (child.kind == joint.kind && child.digit == joint.digit && child.side == joint.side) score = 4;
    const bool trunk = joint.kind == JointKind::hips || joint.kind == JointKind::spine || joint.kind == JointKind::neck;
    if (trunk && (child.kind == JointKind::spine || child.kind == JointKind::neck || child.kind == JointKind::head))
      score = 5;
    const bool of_head = joint.kind == JointKind::head && child.kind != JointKind::end;  // eyes, ears, hair
    if (of_head || child.kind == JointKind::helper || length(places_[k] - places_[j]) == 0) score = 0;
    if (child.kind == JointKind::twist && score > 0) score = 1;
    if (score > best) best = score, next = k;
  }
  return next;
}

void BodyFrame::find_places() {
  const std::size_t count = skeleton_.size();
  for (const Affinef& world : to_world(skeleton_, rest_pose(skeleton_))) places_.emplace_back(world.translation);
  in_.resize(count);
  out_.resize(count);
  for (JointIndex j = 0; j < count; ++j) {
    const JointIndex parent = skeleton_.parent(j);
    const Quatd own(skeleton_.rest(j).rotation);
    rotation_.push_back(parent == no_joint ? own : normalized(rotation_[parent] * own));
    JointIndex before = parent;  // twist joints may lie in the same place
    while (before != no_joint && length(places_[j] - places_[before]) == 0) before = skeleton_.parent(before);
    if (before != no_joint) in_[j] = normalized(places_[j] - places_[before]);
    const JointIndex next = next_of(j);
    out_[j] = next == no_joint ? in_[j] : normalized(places_[next] - places_[j]);
    const bool hand = anatomy_.joints[j].kind == JointKind::hand;
    if (!hand) continue;
    Vec3d fingers{};  // of a hand, the middle of its fingers
    std::size_t found = 0;
    for (JointIndex k = j + 1; k < count; ++k)
      if (anatomy_.joints[k].kind == JointKind::finger && anatomy_.joints[k].order == 0 && skeleton_.is_ancestor(j, k))
        fingers += places_[k] - places_[j], ++found;
    if (found > 1) out_[j] = normalized(fingers, out_[j]);
  }
}

void BodyFrame::find_directions() {
  Vec3d across{}, trunk{};
  JointIndex hips = no_joint, head = no_joint;
  for (JointIndex j = 0; j < skeleton_.size(); ++j) {
    const JointAnatomy& joint = anatomy_.joints[j];
    if (joint.side == BodySide::left && joint.mirror != no_joint) across += places_[j] - places_[joint.mirror];
    if (joint.kind == JointKind::hips && hips == no_joint) hips = j;
    const bool found_head = head != no_joint && anatomy_.joints[head].kind == JointKind::head;
    if (joint.kind == JointKind::head ? !found_head : joint.kind == JointKind::neck && head == no_joint) head = j;
  }
  if (hips != no_joint && head != no_joint) trunk = normalized(places_[head] - places_[hips]);
  if (anatomy_.plan == BodyPlan::humanoid && length(trunk) > 0) up_ = trunk;
  left_ = normalized(across - up_ * dot(across, up_));
  forward_ = cross(left_, up_);
}

void BodyFrame::find_palms() {
  for (const BodySide side : {BodySide::left, BodySide::right}) {
    Vec3d first{}, last{}, along{};
    int lowest = 5, highest = -1;
    for (JointIndex j = 0; j < skeleton_.size(); ++j) {
      const JointAnatomy& joint = anatomy_.joints[j];
      if (joint.kind != JointKind::finger || joint.side != side || joint.order > 0 || joint.digit < 1) continue;
      along += out_[j];
      if (joint.digit < lowest) lowest = joint.digit, first = places_[j];
      if (joint.digit > highest) highest = joint.digit, last = places_[j];
    }
    if (highest <= lowest) continue;
    const auto s = static_cast<std::size_t>(side);
    const Vec3d fingers = normalized(along);
    across_[s] = normalized(last - first);
    palm_[s] = normalized(side == BodySide::right ? cross(fingers, across_[s]) : cross(across_[s], fingers));
  }
}

Vec3d BodyFrame::finger_bend(JointIndex j) const {
  const JointAnatomy& joint = anatomy_.joints[j];
  Vec3d sum{};
  for (JointIndex k = 0; k < skeleton_.size(); ++k) {
    const JointAnatomy& other = anatomy_.joints[k];
    const bool same = other.kind == joint.kind && other.side == joint.side && other.digit == joint.digit;
    if (same && other.order > 0 && (j == k || skeleton_.is_ancestor(j, k) || skeleton_.is_ancestor(k, j)))
      sum += cross(in_[k], out_[k]);
  }
  return sum;
}

}  // namespace supple
