#include "supple/author/scan/joints.h"

#include <cmath>
#include <numbers>

#include "supple/author/scan/joint_motions.h"
#include "supple/base/decompose.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

constexpr double hardly_turned = 5 * std::numbers::pi / 180;  // radians: no axis can be read off less
// Directions in which the motions tell so many times what the facing ends do (in precision) count as seen: to a sixth
// of what the ends leave open, or better. Elsewhere the ends decide: noise would only carry the centre away from them.
constexpr double well_seen = 36;
constexpr double least_noise = 1e-7;  // metres: no motion is known better, whatever it states

/// How far the motions carry the centre: eq. 1 where it is. Returns the sum of squares.
double measure_residual(std::span<const JointMotion> seen, JointEstimate& joint) {
  double squares = 0;
  joint.worst = 0;
  for (const JointMotion& m : seen) {
    const double left = length(m.motion.point(joint.centre) - joint.centre);
    squares += left * left;
    if (left >= joint.worst) joint.worst = left, joint.worst_scan = m.scan;
  }
  joint.residual = std::sqrt(squares / static_cast<double>(seen.size()));
  return squares;
}

/// How far alignments alone let a point of the joint stray, square metres, in the mean of all scans and directions.
double alignment_variance(std::span<const JointMotion> motions, Vec3d centre) {
  double sum = 0;
  for (const JointMotion& m : motions) {
    const Mat3d shift = about_point(m.covariance, centre).shift();
    sum += (shift.c0.x + shift.c1.y + shift.c2.z) / 3;
  }
  return sum / static_cast<double>(motions.size());
}

/// What is not known of the centre, as people ask for it: along the axis, which a hinge does not show, and across it.
void state_uncertainty(const Mat3d& covariance, JointEstimate& joint) {
  const Vec3d variances{covariance.c0.x, covariance.c1.y, covariance.c2.z};
  const double total = variances.x + variances.y + variances.z;
  joint.uncertainty = {std::sqrt(variances.x), std::sqrt(variances.y), std::sqrt(variances.z)};
  const bool turned = squared_length(joint.axis) > 0;
  const double along = turned ? dot(joint.axis, covariance * joint.axis) : total / 3;
  joint.along_axis = std::sqrt(along);
  joint.across_axis = std::sqrt(std::max(total - along, 0.0) / 2);
}

/// Returns the covariance of the centre, square metres.
Mat3d estimate_centre(std::span<const JointMotion> motions, const JointOptions& options, JointEstimate& joint) {
  // Eq. 1: the centre moves least, sum |(R - 1) c + t|^2, counted from the prior.
  const auto n = static_cast<double>(motions.size());
  Mat3d normal = Mat3d::diagonal({}), from_noise = Mat3d::diagonal({});
  Vec3d right{};
  for (const JointMotion& m : motions) {
    const Mat3d a = m.motion.linear - Mat3d{};
    normal = normal + transpose(a) * a;
    right -= transpose(a) * (m.motion.point(joint.prior) - joint.prior);
    // Noise of the turn w makes an axis seem to wander: it adds w x c to every c.
    const Mat3d turn = m.covariance.turn();
    const double trace = turn.c0.x + turn.c1.y + turn.c2.z;
    from_noise = from_noise + Mat3d::diagonal({trace, trace, trace}) - turn;
  }
  const SymmetricEigen eigen = symmetric_eigen(normal);
  const double prior = options.prior_deviation * options.prior_deviation;
  // What the motions show and what the facing ends show are weighed by how well each is known.
  Mat3d covariance = Mat3d::diagonal({});
  const auto solve = [&](double noise) {
    joint.centre = joint.prior;
    joint.seen = 0;
    covariance = Mat3d::diagonal({});
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3d direction = eigen.vectors[k];
      const double shown = std::max(eigen.values[k] - dot(direction, from_noise * direction), 0.0) / noise;
      const bool seen = shown * prior >= well_seen;
      const double variance = seen ? 1 / (shown + 1 / prior) : prior;
      covariance = covariance + outer(direction, direction) * variance;
      if (!seen) continue;
      joint.centre += direction * (dot(direction, right) / noise * variance);
      ++joint.seen;
    }
    return measure_residual(motions, joint);
  };
  const double stated = alignment_variance(motions, joint.prior) + least_noise * least_noise;
  const double squares = solve(stated);
  // Three equations a scan, as many unknowns as directions seen. A joint that no centre explains is known less well
  // than its alignments are.
  const double freedom = 3 * n - joint.seen;
  const double left = freedom > 0 ? squares / freedom : 0;
  if (left > stated) solve(left);
  return covariance;
}

void estimate_axis(std::span<const JointMotion> motions, JointEstimate& joint) {
  Mat3d spread = Mat3d::diagonal({});
  Vec3d sum{};
  double most = 0;
  for (const JointMotion& m : motions) {
    const Vec3d turn = log_rotation(from_matrix(m.motion.linear));
    spread = spread + outer(turn, turn);
    most = std::max(most, length(turn));
  }
  if (most < hardly_turned) return;
  const SymmetricEigen eigen = symmetric_eigen(spread);
  joint.axis = eigen.vectors.c2;
  for (const JointMotion& m : motions) sum += log_rotation(from_matrix(m.motion.linear));
  if (dot(sum, joint.axis) < 0) joint.axis = -joint.axis;
  joint.axis_spread = std::atan(std::sqrt(std::max(eigen.values.x + eigen.values.y, 0.0) / eigen.values.z));
}

}  // namespace

std::vector<JointEstimate> estimate_joints(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                           const JointOptions& options) {
  std::vector<JointEstimate> joints(bones.size());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    JointEstimate& joint = joints[b];
    joint.prior = joint.centre = bones[b].facing;
    joint.slides = bones[b].slides;
    const double prior = options.prior_deviation * options.prior_deviation;
    Mat3d covariance = Mat3d::diagonal({prior, prior, prior});
    const std::vector<JointMotion> seen = joint_motions(bones, scans, b);
    if (!seen.empty()) {
      covariance = estimate_centre(seen, options, joint);
      estimate_axis(seen, joint);
    }
    state_uncertainty(covariance, joint);
  }
  return joints;
}

void place_centre(std::span<const ScanBone> bones, std::span<const Alignment> scans, std::size_t bone, Vec3d centre,
                  JointEstimate& joint) {
  joint.centre = centre;
  const std::vector<JointMotion> seen = joint_motions(bones, scans, bone);
  if (!seen.empty()) measure_residual(seen, joint);
}

}  // namespace supple::scan
