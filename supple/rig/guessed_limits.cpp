#include "supple/rig/guessed_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "supple/rig/anatomical_limits.h"
#include "supple/rig/clip_sweeps.h"
#include "supple/rig/clip_turns.h"

namespace supple {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double least_range = 5 * degree;  // less about an axis is noise of the animation
constexpr double least_share = 0.2;   // of the joint's largest range: less comes with it, and is not gone by itself
constexpr double beyond_clips = 1.1;  // clips to come will go a little farther
constexpr double along_bone = 0.8;    // cosine: a turn about this axis would be twist
constexpr double bent_at_rest = 4 * degree;  // less says nothing about the way a joint bends
constexpr double bend = 60 * degree, back = 10 * degree, aside = 20 * degree, either_way = 40 * degree;
constexpr std::size_t fewest_known = 3, known_share = 3;  // joints; one in so many
constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};

/// Whether a joint moves some of the skin and another joint the rest of it.
std::vector<bool> bending_joints(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<bool> holds(skeleton.size(), false);
  for (const Part& part : character.parts) {
    if (!part.skin) continue;
    const std::vector<JointIndex>& joints = character.skins[*part.skin].joints;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v)
      for (const Influence& influence : part.weights.of(v))
        if (influence.weight > 0) holds[joints[influence.joint]] = true;
  }
  std::vector<std::size_t> below(skeleton.size(), 0);  // joints that hold skin, at this joint and below it
  std::size_t all = 0;
  for (JointIndex j = static_cast<JointIndex>(skeleton.size()); j-- > 0;) {
    below[j] += holds[j] ? 1 : 0;
    all += holds[j] ? 1 : 0;
    if (skeleton.parent(j) != no_joint) below[skeleton.parent(j)] += below[j];
  }
  std::vector<bool> bends(skeleton.size());
  for (JointIndex j = 0; j < skeleton.size(); ++j) bends[j] = below[j] > 0 && below[j] < all;
  return bends;
}

Dof about_axis(std::size_t axis, double min, double max) {
  Dof dof{axis_names[axis], {}, static_cast<float>(min), static_cast<float>(max)};
  dof.axis = Vec3f{};
  dof.axis[axis] = 1;
  return dof;
}

struct AngleRange {
  Vec3d min{}, max{};  // radians about x, y, z; rest is always within
};

std::vector<AngleRange> ranges_of_clips(const Character& character) {
  std::vector<AngleRange> ranges(character.skeleton.size());
  for_each_turn_in_clips(character, [&](JointIndex j, Quatd turn) {
    const Vec3d angles = own_angles(turn);
    for (std::size_t a = 0; a < 3; ++a) {
      ranges[j].min[a] = std::min(ranges[j].min[a], angles[a]);
      ranges[j].max[a] = std::max(ranges[j].max[a], angles[a]);
    }
  });
  return ranges;
}

std::vector<Dof> dofs_by_range(const AngleRange& range) {
  std::vector<Dof> dofs;
  const Vec3d extent = (range.max - range.min) * beyond_clips;
  const double least = std::max(least_range, least_share * std::max({extent.x, extent.y, extent.z}));
  for (std::size_t a = 0; a < 3; ++a) {
    const double min = std::max(range.min[a] * beyond_clips, -std::numbers::pi);
    const double max = std::min(range.max[a] * beyond_clips, std::numbers::pi);
    if (extent[a] >= least) dofs.push_back(about_axis(a, min, max));
  }
  return dofs;
}

Vec3d direction(Vec3d v) {
  const double size = length(v);
  return size > 0 ? v * (1 / size) : Vec3d{};
}

/// In the joint's own frame: where the bone before it comes from, and where its own goes to.
struct Chain {
  Vec3d in{}, out{};
};

Chain chain_at(const Skeleton& skeleton, JointIndex j) {
  Chain chain;
  chain.in = direction(rotate(conjugate(Quatd(skeleton.rest(j).rotation)), Vec3d(skeleton.rest(j).translation)));
  Vec3d out{};
  for (const JointIndex child : skeleton.children(j)) out = out + Vec3d(skeleton.rest(child).translation);
  chain.out = length(out) > 0 ? direction(out) : chain.in;
  return chain;
}

std::vector<Dof> dofs_by_shape(const Skeleton& skeleton, JointIndex j) {
  const Chain chain = chain_at(skeleton, j);
  const Vec3d bending = cross(chain.in, chain.out);  // about this the chain is bent at rest, by its sine
  const bool bent = length(bending) > std::sin(bent_at_rest) && dot(chain.in, chain.out) > 0;
  std::size_t hinge = 3;
  for (std::size_t a = 0; bent && a < 3; ++a)
    if (std::abs(chain.out[a]) < along_bone && (hinge == 3 || std::abs(bending[a]) > std::abs(bending[hinge])))
      hinge = a;
  // Fingers, elbows and knees: one limb after another, which bend one way.
  const JointIndex parent = skeleton.parent(j);
  const bool within_chain = parent != no_joint && skeleton.children(parent).size() == 1;
  std::vector<Dof> dofs;
  for (std::size_t a = 0; a < 3; ++a) {
    if (std::abs(chain.out[a]) >= along_bone) continue;
    if (!bent) {
      dofs.push_back(about_axis(a, -either_way, either_way));
    } else if (a != hinge) {
      if (within_chain) continue;
      dofs.push_back(about_axis(a, -aside, aside));
    } else {
      dofs.push_back(bending[a] > 0 ? about_axis(a, -back, bend) : about_axis(a, -bend, back));
    }
  }
  return dofs;
}

std::size_t joints_with_limits(const Skeleton& skeleton) {
  std::size_t count = 0;
  for (JointIndex j = 0; j < skeleton.size(); ++j) count += skeleton.dofs(j).empty() ? 0 : 1;
  return count;
}

/// Lips, brows and hair move little: their shape would suggest far too much.
bool is_of_head(const Skeleton& skeleton, const Anatomy& anatomy, JointIndex j) {
  while (j != no_joint && anatomy.joints[j].kind != JointKind::head) j = skeleton.parent(j);
  return j != no_joint;
}

/// Puts limits of anatomy if enough joints are recognised; returns whether it did.
bool put_anatomical(const Character& character, const std::vector<bool>& bends, LimitsInUse& limits) {
  const Anatomy anatomy = anatomy_of(character);
  std::size_t known = 0, other = 0;
  for (JointIndex j = 0; j < bends.size(); ++j) {
    if (!bends[j]) continue;
    known += is_posed(anatomy.joints[j].kind) ? 1 : 0;
    other += anatomy.joints[j].kind == JointKind::unknown ? 1 : 0;
  }
  if (known < fewest_known || known_share * known < known + other) return false;
  limits.source = LimitSource::anatomy;
  limits.plan = anatomy.plan;
  std::vector<std::vector<Dof>> dofs = anatomical_limits(character, anatomy);
  const std::vector<AngleRange> ranges = ranges_of_clips(character);
  for (JointIndex j = 0; j < bends.size(); ++j) {
    if (!bends[j]) continue;
    if (anatomy.joints[j].kind == JointKind::unknown) {
      const bool by_clips = !character.clips.empty() || is_of_head(character.skeleton, anatomy, j);
      dofs[j] = by_clips ? dofs_by_range(ranges[j]) : dofs_by_shape(character.skeleton, j);
    }
    limits.skeleton.set_dofs(j, std::move(dofs[j]));
  }
  limits.joints = joints_with_limits(limits.skeleton);
  return limits.joints > 0;
}

}  // namespace

LimitsInUse limits_in_use(const Character& character) {
  LimitsInUse limits{LimitSource::rig, character.skeleton, 0};
  const std::vector<bool> bends = bending_joints(character);
  for (JointIndex j = 0; j < bends.size(); ++j)
    if (!bends[j]) limits.skeleton.set_dofs(j, {});
  limits.joints = joints_with_limits(limits.skeleton);
  if (limits.joints > 0) return limits;
  if (put_anatomical(character, bends, limits)) return limits;
  const std::vector<AngleRange> ranges = ranges_of_clips(character);
  limits.source = LimitSource::clips;
  for (JointIndex j = 0; j < bends.size(); ++j)
    if (bends[j]) limits.skeleton.set_dofs(j, dofs_by_range(ranges[j]));
  limits.joints = joints_with_limits(limits.skeleton);
  if (limits.joints > 0) return limits;
  limits.source = LimitSource::shape;
  for (JointIndex j = 0; j < bends.size(); ++j)
    if (bends[j]) limits.skeleton.set_dofs(j, dofs_by_shape(character.skeleton, j));
  limits.joints = joints_with_limits(limits.skeleton);
  return limits;
}

void narrow_limits(Skeleton& skeleton, float most) {
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    std::vector<Dof> dofs(skeleton.dofs(j).begin(), skeleton.dofs(j).end());
    for (Dof& dof : dofs) {
      dof.min = std::max(dof.min, -most);
      dof.max = std::min(dof.max, most);
    }
    skeleton.set_dofs(j, std::move(dofs));
  }
}

PosePlan in_own_axes(PosePlan plan, const Skeleton& limits) {
  const auto is_own = [](const JointAngles& turn) {
    return std::find(axis_names.begin(), axis_names.end(), turn.dof) != axis_names.end();
  };
  for (Sweep& sweep : plan.sweeps) {
    for (PlannedPose& planned : sweep.poses) {
      std::vector<JointIndex> joints;  // that turn about other axes
      for (const JointAngles& turn : planned.angles)
        if (const auto j = limits.find(turn.joint);
            j && !is_own(turn) && std::find(joints.begin(), joints.end(), *j) == joints.end())
          joints.push_back(*j);
      if (joints.empty()) continue;
      const PlannedPose own = planned_pose(limits, pose_of(planned, limits), joints);
      std::erase_if(planned.angles, [&](const JointAngles& turn) {
        return std::find(joints.begin(), joints.end(), limits.find(turn.joint).value_or(no_joint)) != joints.end();
      });
      planned.angles.insert(planned.angles.end(), own.angles.begin(), own.angles.end());
    }
  }
  return plan;
}

}  // namespace supple
