#include "supple/deform/kinodynamic/pose_scale.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/deform/field/limbs.h"

namespace supple {
namespace {

/// Relative: floats of a long chain of joints are good to some 1e-6, and what is scaled by less cannot be seen.
constexpr double same_scale = 1e-4;

bool can_be_inverted(const Mat3d& m) {
  return std::abs(determinant(m)) > 1e-9 * length(m.c0) * length(m.c1) * length(m.c2);
}

/// The joint's axes with the lengths that they have at rest.
Mat3d with_scale(const Mat3d& m, Vec3d rest_scale) {
  const Mat3d axes = unscaled_axes(m);
  return {normalized(m.c0, axes.c0) * rest_scale.x, normalized(m.c1, axes.c1) * rest_scale.y,
          normalized(m.c2, axes.c2) * rest_scale.z};
}

}  // namespace

PoseScale::PoseScale(const Character& character) : unscaled_(character.skeleton.size()), stretch_(unscaled_.size()) {
  const Skeleton& skeleton = character.skeleton;
  parents_.assign(skeleton.parents().begin(), skeleton.parents().end());
  for (const Transformf& rest : skeleton.rest())
    rest_local_.push_back(
        Transform<double>{Vec3d(rest.translation), normalized(Quatd(rest.rotation)), Vec3d(rest.scale)}.affine());
}

void PoseScale::set(std::span<const Affinef> world) {
  scaled_ = false;
  for (JointIndex j = 0; j < parents_.size(); ++j) {
    const JointIndex parent = parents_[j];
    Affined local(world[j]);
    if (parent != no_joint) {
      const Affined above(world[parent]);
      local = can_be_inverted(above.linear) ? inverse(above) * local : rest_local_[j];
    }
    const Mat3d& rest = rest_local_[j].linear;
    const Vec3d rest_scale{length(rest.c0), length(rest.c1), length(rest.c2)};
    const Vec3d difference =
        Vec3d{length(local.linear.c0), length(local.linear.c1), length(local.linear.c2)} - rest_scale;
    if (length(difference) > same_scale * length(rest_scale)) scaled_ = true;
    local.linear = with_scale(local.linear, rest_scale);
    unscaled_[j] = Affinef(parent == no_joint ? local : Affined(unscaled_[parent]) * local);
  }
  if (!scaled_) {
    std::copy(world.begin(), world.end(), unscaled_.begin());
    return;
  }
  for (JointIndex j = 0; j < parents_.size(); ++j) {
    const Affined from(unscaled_[j]);
    stretch_[j] = can_be_inverted(from.linear) ? Affinef(Affined(world[j]) * inverse(from)) : Affinef{};
  }
}

StretchWeights::StretchWeights(const Character& character, std::size_t number) {
  const Part& part = character.parts[number];
  const std::vector<JointIndex> bone_of = bone_of_each_joint(character);
  first_ = part.weights.first;
  influences_ = part.weights.entries;
  for (Influence& i : influences_) i.joint = bone_of[character.skins[*part.skin].joints[i.joint]];
}

void StretchWeights::apply(std::span<const Affinef> stretch, std::span<Vec3f> positions, unsigned threads) const {
  parallel_for(
      positions.size(), 1024,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          Vec3f moved{};
          for (std::uint32_t i = first_[v]; i < first_[v + 1]; ++i)
            moved += stretch[influences_[i].joint].point(positions[v]) * influences_[i].weight;
          positions[v] = moved;
        }
      },
      threads);
}

}  // namespace supple
