#include "supple/rig/anatomy.h"

#include <algorithm>
#include <array>

#include "supple/rig/anatomy_by_place.h"
#include "supple/rig/joint_name.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

constexpr std::size_t fewest_names = 3;  // with fewer, names say nothing of a body
constexpr std::size_t most_legs = 2;     // on a side: spiders have no thighs

using Limb = std::array<JointKind, 5>;
constexpr Limb arm_chain{JointKind::clavicle, JointKind::upper_arm, JointKind::forearm, JointKind::hand,
                         JointKind::toe},
    leg_chain{JointKind::clavicle, JointKind::thigh, JointKind::shin, JointKind::foot, JointKind::toe};

std::size_t rank_in(const Limb& limb, JointKind kind) {
  return static_cast<std::size_t>(std::find(limb.begin(), limb.end(), kind) - limb.begin());
}

bool is_transparent(JointKind kind) {
  return kind == JointKind::unknown || kind == JointKind::twist || kind == JointKind::helper || kind == JointKind::end;
}

/// Decides ambiguous names by the joints above and below.
class Resolver {
 public:
  Resolver(const Skeleton& skeleton, const std::vector<bool>& no_joints) : skeleton_(skeleton) {
    for (JointIndex j = 0; j < skeleton.size(); ++j)
      names_.push_back(no_joints[j] ? NamedJoint{} : read_joint_name(skeleton.given_name(j)));
    read_finger_numbers();
    for (JointIndex j = 0; j < skeleton.size(); ++j) kinds_.push_back(resolved(j));
    find_hips();
    find_neck_and_head();
    leave_out_many_legs();
  }

  Anatomy anatomy() const {
    Anatomy result;
    for (JointIndex j = 0; j < skeleton_.size(); ++j) {
      JointAnatomy joint{kinds_[j], names_[j].side, no_joint, -1, 0};
      const bool in_hand = kinds_[j] == JointKind::finger || kinds_[j] == JointKind::palm;
      if (kinds_[j] == JointKind::thumb) joint.digit = 0;
      if (in_hand) joint.digit = names_[j].digit;
      result.joints.push_back(joint);
    }
    return result;
  }
  const std::vector<NamedJoint>& names() const { return names_; }

 private:
  /// "Finger0" is a thumb where fingers count from 0, "finger1" where they count from 1 to 5.
  void read_finger_numbers() {
    bool from_zero = false, up_to_five = false;
    for (const NamedJoint& n : names_) {
      if (n.numbers.empty()) continue;
      from_zero = from_zero || n.numbers[0] == 0;
      up_to_five = up_to_five || n.numbers[0] == 5;
    }
    for (NamedJoint& n : names_) {
      if (n.numbers.empty() || n.digit >= 0) continue;
      n.digit = std::clamp(n.numbers[0] - (up_to_five && !from_zero ? 1 : 0), 0, 4);
      if (n.digit == 0) n.kind = JointKind::thumb;
    }
  }

  JointKind nearest_above(JointIndex j) const {
    for (JointIndex up = skeleton_.parent(j); up != no_joint; up = skeleton_.parent(up))
      if (!is_transparent(kinds_[up])) return kinds_[up];
    return JointKind::unknown;
  }

  bool is_above(JointIndex j, std::initializer_list<JointKind> any) const {
    for (JointIndex up = skeleton_.parent(j); up != no_joint; up = skeleton_.parent(up))
      if (std::find(any.begin(), any.end(), kinds_[up]) != any.end()) return true;
    return false;
  }

  /// Returns whether an upper arm with a name of its own hangs below a shoulder.
  bool has_upper_arm_below(JointIndex j, bool& forearm) const {
    bool upper = false;
    for (JointIndex k = j + 1; k < skeleton_.size(); ++k) {
      if (!skeleton_.is_ancestor(j, k) || names_[k].side != names_[j].side) continue;
      upper = upper || names_[k].kind == JointKind::upper_arm;
      forearm = forearm || names_[k].kind == JointKind::forearm;
    }
    return upper;
  }

  /// Returns whether a sided hip joint carries a thigh with a name of its own.
  bool has_thigh_below(JointIndex j) const {
    for (JointIndex k = j + 1; k < skeleton_.size(); ++k) {
      const NamedJoint& below = names_[k];
      if (below.kind == JointKind::thigh && !below.leg && !below.hip && below.side == names_[j].side &&
          skeleton_.is_ancestor(j, k))
        return true;
    }
    return false;
  }

  JointKind resolved(JointIndex j) const {
    const NamedJoint& name = names_[j];
    const JointKind above = nearest_above(j);
    switch (name.kind) {
      case JointKind::finger:
      case JointKind::thumb:
      case JointKind::palm:
        if (is_above(j, {JointKind::foot})) return JointKind::toe;
        if (name.needs_hand && !is_above(j, {JointKind::hand, JointKind::palm})) return JointKind::unknown;
        return name.kind;
      case JointKind::clavicle: {
        bool forearm = false;
        const bool upper = has_upper_arm_below(j, forearm);
        return name.shoulder && !upper && forearm ? JointKind::upper_arm : JointKind::clavicle;
      }
      case JointKind::upper_arm:
      case JointKind::forearm:
      case JointKind::hand:
        return along(arm_chain, j, above);
      case JointKind::thigh:
        if (name.hip && has_thigh_below(j)) return JointKind::clavicle;
        return along(leg_chain, j, above);
      case JointKind::shin:
      case JointKind::foot:
        return along(leg_chain, j, above);
      default:
        return name.kind;
    }
  }

  /// Resolves names that count on from the joint above ("leg 1", "leg 2"), or that the joint above has taken.
  JointKind along(const Limb& limb, JointIndex j, JointKind above) const {
    const NamedJoint& name = names_[j];
    const std::size_t rank = rank_in(limb, name.kind), taken = rank_in(limb, above);
    const bool counts_on = name.arm || name.leg;
    if (taken == limb.size() || (!counts_on && taken < rank)) return name.kind;
    if (counts_on && taken == 0) return limb[1];
    const JointIndex parent = skeleton_.parent(j);
    const bool part_of_bone = !counts_on && parent != no_joint && names_[parent].stem == name.stem && rank < 3;
    if (part_of_bone) return JointKind::twist;
    if (limb == arm_chain && above == JointKind::hand && !name.front) return JointKind::palm;
    return limb[std::min(taken + 1, limb.size() - 1)];
  }

  /// If no joint is called hips, the root or the lowest joint of the spine that carries thighs is.
  void find_hips() {
    if (std::find(kinds_.begin(), kinds_.end(), JointKind::hips) != kinds_.end()) return;
    for (JointIndex j = 0; j < skeleton_.size(); ++j) {
      if (kinds_[j] != JointKind::thigh) continue;
      JointIndex up = skeleton_.parent(j);
      while (up != no_joint && (is_transparent(kinds_[up]) || kinds_[up] == JointKind::clavicle))
        up = skeleton_.parent(up);
      if (up == no_joint) continue;
      const bool lowest_of_spine = kinds_[up] == JointKind::spine && nearest_above(up) != JointKind::spine;
      if (lowest_of_spine || kinds_[up] == JointKind::root) kinds_[up] = JointKind::hips;
    }
  }

  /// If the whole trunk is called spine, its joints beyond the shoulders are the neck, and the last one is the head.
  void find_neck_and_head() {
    const auto named = [&](JointKind kind) { return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end(); };
    if (named(JointKind::head) || named(JointKind::neck)) return;
    JointIndex chest = no_joint;
    for (JointIndex j = 0; j < skeleton_.size(); ++j)
      if ((kinds_[j] == JointKind::clavicle || kinds_[j] == JointKind::upper_arm) && skeleton_.parent(j) != no_joint &&
          kinds_[skeleton_.parent(j)] == JointKind::spine)
        chest = skeleton_.parent(j);
    if (chest == no_joint) return;
    JointIndex last = no_joint;
    for (JointIndex j = chest + 1; j < skeleton_.size(); ++j) {
      if (kinds_[j] != JointKind::spine || !skeleton_.is_ancestor(chest, j)) continue;
      kinds_[j] = JointKind::neck;
      last = j;
    }
    if (last != no_joint) kinds_[last] = JointKind::head;
  }

  void leave_out_many_legs() {
    std::array<std::size_t, 4> thighs{};
    for (JointIndex j = 0; j < skeleton_.size(); ++j)
      if (kinds_[j] == JointKind::thigh) ++thighs[static_cast<std::size_t>(names_[j].side)];
    if (*std::max_element(thighs.begin(), thighs.end()) <= most_legs) return;
    for (JointIndex j = 0; j < skeleton_.size(); ++j)
      if (rank_in(leg_chain, kinds_[j]) < leg_chain.size()) kinds_[j] = JointKind::unknown;
  }

  const Skeleton& skeleton_;
  std::vector<NamedJoint> names_;
  std::vector<JointKind> kinds_;
};

bool is_limb_end(const Anatomy& anatomy, const Skeleton& skeleton, JointIndex j, JointKind kind) {
  if (anatomy.joints[j].kind != kind) return false;
  for (JointIndex k = j + 1; k < skeleton.size(); ++k)
    if (anatomy.joints[k].kind == kind && skeleton.is_ancestor(j, k)) return false;
  return true;
}

/// An animal stands on its hands: they are nearly as low as its feet.
bool stands_on_hands(const Anatomy& anatomy, const Skeleton& skeleton) {
  const std::vector<Affinef> world = to_world(skeleton, rest_pose(skeleton));
  double low = 1e30, high = -1e30, feet = 0, hands = 0;
  std::size_t foot_count = 0, hand_count = 0;
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointKind kind = anatomy.joints[j].kind;
    if (kind == JointKind::unknown || kind == JointKind::root || kind == JointKind::helper) continue;
    const double y = double{world[j].translation.y};
    low = std::min(low, y);
    high = std::max(high, y);
    if (is_limb_end(anatomy, skeleton, j, JointKind::foot)) feet += y, ++foot_count;
    if (is_limb_end(anatomy, skeleton, j, JointKind::hand)) hands += y, ++hand_count;
  }
  if (foot_count == 0 || hand_count == 0) return false;
  constexpr double nearly_as_low = 0.2;  // of the height
  return hands / static_cast<double>(hand_count) - feet / static_cast<double>(foot_count) <
         nearly_as_low * (high - low);
}

BodyPlan plan_of(const Anatomy& anatomy, const Skeleton& skeleton, std::span<const NamedJoint> names) {
  std::array<std::size_t, 24> count{};
  for (const JointAnatomy& joint : anatomy.joints) ++count[static_cast<std::size_t>(joint.kind)];
  const auto of = [&](JointKind kind) { return count[static_cast<std::size_t>(kind)]; };
  const std::size_t legs = of(JointKind::thigh) + of(JointKind::shin),
                    arms = of(JointKind::upper_arm) + of(JointKind::forearm),
                    trunk = of(JointKind::hips) + of(JointKind::spine);
  if (legs >= 2 && arms >= 2 && trunk >= 1) {
    const bool named = std::any_of(names.begin(), names.end(), [](const NamedJoint& n) { return n.front; });
    const bool held = of(JointKind::thumb) > 0;  // a dinosaur's front legs end in hands
    return (named && !held) || stands_on_hands(anatomy, skeleton) ? BodyPlan::quadruped : BodyPlan::humanoid;
  }
  if (legs == 0 && trunk == 0 && of(JointKind::finger) >= 3) return BodyPlan::hand;
  return BodyPlan::unknown;
}

void count_orders(const Skeleton& skeleton, Anatomy& anatomy) {
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    JointAnatomy& joint = anatomy.joints[j];
    for (JointIndex up = skeleton.parent(j); up != no_joint; up = skeleton.parent(up)) {
      const JointAnatomy& above = anatomy.joints[up];
      if (above.kind == joint.kind && above.side == joint.side && above.digit == joint.digit) ++joint.order;
    }
  }
}

Anatomy anatomy_without(const Skeleton& skeleton, const std::vector<bool>& no_joints) {
  const Resolver resolver(skeleton, no_joints);
  Anatomy anatomy = resolver.anatomy();
  const auto known = std::count_if(anatomy.joints.begin(), anatomy.joints.end(),
                                   [](const JointAnatomy& joint) { return is_posed(joint.kind); });
  anatomy.plan = plan_of(anatomy, skeleton, resolver.names());
  if (static_cast<std::size_t>(known) < fewest_names) find_quadruped_by_shape(skeleton, anatomy);
  std::vector<std::string> names, mirrored;
  for (const NamedJoint& name : resolver.names()) {
    names.push_back(name.plain);
    mirrored.push_back(name.mirrored);
  }
  find_mirrors(skeleton, names, mirrored, anatomy);
  count_orders(skeleton, anatomy);
  return anatomy;
}

}  // namespace

Anatomy anatomy_of(const Skeleton& skeleton) {
  return anatomy_without(skeleton, std::vector<bool>(skeleton.size(), false));
}

Anatomy anatomy_of(const Character& character) {
  const std::vector<bool> skinned = skinned_joints(character);
  std::vector<bool> no_joints(character.skeleton.size(), false);
  for (const Part& part : character.parts)
    if (part.node != no_joint && !skinned[part.node]) no_joints[part.node] = true;
  return anatomy_without(character.skeleton, no_joints);
}

bool is_posed(JointKind kind) {
  switch (kind) {
    case JointKind::unknown:
    case JointKind::root:
    case JointKind::palm:
    case JointKind::twist:
    case JointKind::end:
    case JointKind::helper:
      return false;
    default:
      return true;
  }
}

const char* name_of(JointKind kind) {
  constexpr std::array names{"unknown", "root",     "hips",      "spine",   "neck", "head",  "jaw",   "eye",
                             "ear",     "clavicle", "upper arm", "forearm", "hand", "palm",  "thumb", "finger",
                             "thigh",   "shin",     "foot",      "toe",     "tail", "twist", "end",   "helper"};
  return names[static_cast<std::size_t>(kind)];
}

const char* name_of(BodyPlan plan) {
  constexpr std::array names{"unknown", "humanoid", "quadruped", "hand"};
  return names[static_cast<std::size_t>(plan)];
}

const char* name_of(BodySide side) {
  constexpr std::array names{"unknown", "left", "right", "middle"};
  return names[static_cast<std::size_t>(side)];
}

}  // namespace supple
