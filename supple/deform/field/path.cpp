#include "supple/deform/field/path.h"

#include <algorithm>
#include <cmath>

#include "supple/base/twist.h"

namespace supple {
namespace {

/// Turns and shifts smaller than this (radians, metres) are rounding of the pose.
constexpr double still = 1e-7;

/// Steps are longer at first and shorter at last, where limbs already press upon each other and skin flows fastest:
/// errors of sharp bends are a third of those of equal steps.
double paced(double s) { return s + 0.5 * s * (1 - s); }

Affined rigid_inverse(const Affined& a) {
  const Mat3d back = transpose(a.linear);
  return {back, -(back * a.translation)};
}

}  // namespace

VolumeShares volume_shares(std::span<const VolumeKey> curve, double angle, Vec3d axis, Vec3d bone) {
  if (curve.empty()) {
    const double along = dot(axis, bone);
    const double alpha = (1 - along * along) / 2;
    return {alpha, 1 - alpha};
  }
  if (angle <= double{curve.front().angle}) return {double{curve.front().alpha}, double{curve.front().beta}};
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const VolumeKey &a = curve[i - 1], &b = curve[i];
    if (angle > double{b.angle}) continue;
    const double t = (angle - double{a.angle}) / (double{b.angle} - double{a.angle});
    return {double{a.alpha} + t * double{b.alpha - a.alpha}, double{a.beta} + t * double{b.beta - a.beta}};
  }
  return {double{curve.back().alpha}, double{curve.back().beta}};
}

FieldPath::FieldPath(const FieldTable& table) : carried_(table.parents.size()), screws_(table.parents.size()) {
  moments_.resize(2 * max_steps + 1);
  times_.resize(moments_.size());
  for (FieldMoment& m : moments_) {
    m.joints.resize(table.parents.size());
    m.motions.reserve(table.parents.size());
  }
}

void FieldPath::set(const FieldTable& table, std::span<const Affinef> world, std::size_t steps) {
  angle_ = 0;
  after_ = {};
  for (JointIndex j = 0; j < screws_.size(); ++j) {
    // The rotation of the joint about where it was, and where it went.
    const Mat3d turn = unscaled_axes(Mat3d(world[j].linear)) * transpose(table.rest[j].linear);
    const Vec3d center = table.rest[j].translation;
    carried_[j] = {turn, Vec3d(world[j].translation) - turn * center};

    Screw& s = screws_[j];
    s.moves = false;
    const JointIndex parent = table.parents[j];
    const bool common = table.common != no_joint && table.in_subtree(j, table.common);
    if (common) {
      after_ = carried_[j];
      continue;
    }
    if (!table.carries[j]) continue;
    const Affined own = parent == no_joint ? carried_[j] : rigid_inverse(carried_[parent]) * carried_[j];
    const Twistd twist = log(own);
    s.angular = twist.angular;
    s.linear = twist.linear;
    s.angle = length(twist.angular);
    const Vec3d shift = cross(s.angular, center) + s.linear;  // of the joint itself
    s.moves = s.angle > still || length(shift) > still;
    s.axis = normalized(s.angular);
    const VolumeShares shares = volume_shares(table.volume[j], s.angle, s.axis, table.bones[j]);
    s.alpha = shares.alpha;
    s.beta = shares.beta;
    angle_ = std::max(angle_, s.angle);
  }
  steps_ = steps > 0 ? steps : static_cast<std::size_t>(std::ceil(angle_ / table.step - 1e-6));
  steps_ = std::clamp<std::size_t>(steps_, 1, max_steps);
  for (std::size_t k = 0; k <= steps_; ++k) times_[2 * k] = paced(static_cast<double>(k) / static_cast<double>(steps_));
  for (std::size_t k = 0; k < steps_; ++k) times_[2 * k + 1] = (times_[2 * k] + times_[2 * k + 2]) / 2;
  for (std::size_t i = 0; i <= 2 * steps_; ++i) set_moment(table, times_[i], moments_[i]);
}

void FieldPath::set_moment(const FieldTable& table, double l, FieldMoment& moment) const {
  moment.motions.clear();
  for (JointIndex j = 0; j < screws_.size(); ++j) {
    const Screw& s = screws_[j];
    const JointIndex parent = table.parents[j];
    const Affined above = parent == no_joint ? Affined{} : moment.joints[parent];
    if (!s.moves) {
      moment.joints[j] = above;
      continue;
    }
    const Affined own = exp(Twistd{s.angular, s.linear} * l);
    moment.joints[j] = above * own;
    const Vec3d center = own.point(table.rest[j].translation);
    moment.motions.push_back({j, above.vector(s.axis), s.angle, above.point(center),
                              above.vector(cross(s.angular, center) + s.linear), s.alpha, s.beta});
  }
}

}  // namespace supple
