#include "supple/rig/crowding.h"

#include <algorithm>

#include "supple/rig/bind.h"
#include "supple/rig/bind_pose.h"

namespace supple {
namespace {

struct Axis {
  Vec3d head, tail;
};

double part_along(const Axis& axis, const Vec3d& p) {
  const Vec3d along = axis.tail - axis.head;
  const double squared = squared_length(along);
  return squared > 0 ? std::clamp(dot(p - axis.head, along) / squared, 0.0, 1.0) : 0.0;
}

Vec3d at(const Axis& axis, double t) { return axis.head + (axis.tail - axis.head) * t; }

double distance(const Axis& axis, const Vec3d& p) { return length(p - at(axis, part_along(axis, p))); }

/// Between two segments. Their nearest points are an end of one, or where the lines come nearest.
double distance(const Axis& a, const Axis& b) {
  double least = std::min({distance(a, b.head), distance(a, b.tail), distance(b, a.head), distance(b, a.tail)});
  const Vec3d u = a.tail - a.head, v = b.tail - b.head, between = b.head - a.head;
  const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), determinant = uu * vv - uv * uv;
  if (determinant > 1e-12 * uu * vv) {
    const double s = (dot(between, u) * vv - dot(between, v) * uv) / determinant;
    const double t = (dot(between, u) * uv - dot(between, v) * uu) / determinant;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) least = std::min(least, length(at(a, s) - at(b, t)));
  }
  return least;
}

/// Which joint of its skin a vertex follows most.
std::uint32_t strongest(std::span<const Influence> influences) {
  const auto found = std::max_element(influences.begin(), influences.end(),
                                      [](const Influence& a, const Influence& b) { return a.weight < b.weight; });
  return found == influences.end() ? 0 : found->joint;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Crowding::Crowding(const Character& character) : skeleton_(&character.skeleton) {
  std::vector<Limb> by_joint(character.skeleton.size());
  for (const Part& part : character.parts) {
    if (!part.skin) continue;
    const SkinBinding& skin = character.skins[*part.skin];
    const double scale = mesh_to_world(character, part);
    std::vector<Axis> axes(skin.joints.size());
    for (const Bone& bone : bones_of(character.skeleton, skin))
      for (std::size_t k = 0; k < skin.joints.size(); ++k)
        if (skin.joints[k] == bone.joint) axes[k] = {Vec3d(bone.head), Vec3d(bone.tail)};
    std::vector<std::vector<double>> distances(skin.joints.size());
    for (std::size_t v = 0; v < part.mesh.positions.size(); ++v)
      if (const std::uint32_t k = strongest(part.weights.of(v)); k < distances.size())
        distances[k].push_back(distance(axes[k], Vec3d(part.mesh.positions[v])));
    for (std::size_t k = 0; k < distances.size(); ++k) {
      if (distances[k].empty()) continue;
      const double radius = median(std::move(distances[k])) * scale;
      Limb& limb = by_joint[skin.joints[k]];
      if (!(radius > limb.radius)) continue;  // of several parts the one farthest out
      const Affined to_joint(skin.inverse_bind[k]);
      limb = {skin.joints[k], to_joint.point(axes[k].head), to_joint.point(axes[k].tail), radius};
    }
  }
  for (const Limb& limb : by_joint)
    if (limb.joint != no_joint) limbs_.push_back(limb);
  const Skeleton& skeleton = character.skeleton;
  for (std::size_t a = 0; a < limbs_.size(); ++a)
    for (std::size_t b = a + 1; b < limbs_.size(); ++b)
      if (skeleton.parent(limbs_[a].joint) != limbs_[b].joint && skeleton.parent(limbs_[b].joint) != limbs_[a].joint)
        pairs_.push_back({a, b, 0});
  const std::vector<double> at_rest = overlaps(rest_pose(skeleton));
  for (std::size_t p = 0; p < pairs_.size(); ++p) pairs_[p].at_rest = at_rest[p];
}

std::vector<double> Crowding::overlaps(const Pose& pose) const {
  const std::vector<Affinef> world = to_world(*skeleton_, pose);
  std::vector<Axis> axes;
  for (const Limb& limb : limbs_) {
    const Affined there(world[limb.joint]);
    axes.push_back({there.point(limb.head), there.point(limb.tail)});
  }
  std::vector<double> result;
  for (const Pair& pair : pairs_)
    result.push_back(
        std::max(0.0, limbs_[pair.a].radius + limbs_[pair.b].radius - distance(axes[pair.a], axes[pair.b])));
  return result;
}

double Crowding::deepest(const Pose& pose) const {
  const std::vector<double> there = overlaps(pose);
  double result = 0;
  for (std::size_t p = 0; p < pairs_.size(); ++p)
    result = std::max(
        result, (there[p] - pairs_[p].at_rest) / std::min(limbs_[pairs_[p].a].radius, limbs_[pairs_[p].b].radius));
  return result;
}

}  // namespace supple
