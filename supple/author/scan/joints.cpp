#include "supple/author/scan/joints.h"

#include <cmath>
#include <numbers>

#include "supple/base/decompose.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

constexpr double hardly_turned = 5 * std::numbers::pi / 180;  // radians: no axis can be read off less
// Standard deviation of the midpoint of facing ends about the joint's centre, metres: about the radius of a head.
constexpr double prior_deviation = 0.003;

/// How the bone moved against its parent between the base scan and another: a motion in the base scan's space.
Affined relative_motion(std::span<const ScanBone> bones, const Alignment& scan, std::size_t b) {
  return inverse(scan.bones[bones[b].parent].motion) * scan.bones[b].motion;
}

/// What the scans say of one bone's motion; those where it or its parent was not found say nothing.
struct Motions {
  std::vector<Affined> motions;
  std::vector<std::size_t> scan;  // of each
  double noise = 0;               // metres: what the alignments leave open
};

Motions motions_of(std::span<const ScanBone> bones, std::span<const Alignment> scans, std::size_t b) {
  Motions result;
  if (bones[b].parent == TemplateBone::none) return result;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const BoneFit &own = scans[s].bones[b], &parent = scans[s].bones[bones[b].parent];
    if (!own.found || !parent.found) continue;
    result.motions.push_back(relative_motion(bones, scans[s], b));
    result.scan.push_back(s);
    result.noise = std::max({result.noise, own.shift_sd, parent.shift_sd});
  }
  return result;
}

/// How far the motions carry the centre: eq. 1 where it is. Returns the sum of squares.
double measure_residual(const Motions& seen, JointEstimate& joint) {
  double squares = 0;
  joint.worst = 0;
  for (std::size_t s = 0; s < seen.motions.size(); ++s) {
    const double left = length(seen.motions[s].point(joint.centre) - joint.centre);
    squares += left * left;
    if (left >= joint.worst) joint.worst = left, joint.worst_scan = seen.scan[s];
  }
  joint.residual = std::sqrt(squares / static_cast<double>(seen.motions.size()));
  return squares;
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
Mat3d estimate_centre(const Motions& from, const JointOptions& options, JointEstimate& joint) {
  // Eq. 1: the centre moves least, sum |(R - 1) c + t|^2, counted from the prior.
  const std::vector<Affined>& motions = from.motions;
  const auto n = static_cast<double>(motions.size());
  Mat3d normal = Mat3d::diagonal({});
  Vec3d right{};
  for (const Affined& m : motions) {
    const Mat3d a = m.linear - Mat3d{};
    normal = normal + transpose(a) * a * (1 / n);
    right -= transpose(a) * (m.point(joint.prior) - joint.prior) / n;
  }
  const SymmetricEigen eigen = symmetric_eigen(normal);
  joint.centre = joint.prior;
  for (std::size_t k = 0; k < 3; ++k) {
    if (eigen.values[k] < options.least_eigenvalue) continue;
    const Vec3d direction = eigen.vectors[k];
    joint.centre += direction * (dot(direction, right) / eigen.values[k]);
    ++joint.seen;
  }
  const double squares = measure_residual(from, joint);
  // Three equations a scan, as many unknowns as directions seen; never below what the alignment itself leaves open.
  const double freedom = 3 * n - joint.seen;
  const double variance = std::max(freedom > 0 ? squares / freedom : 0.0, from.noise * from.noise);
  Mat3d covariance = Mat3d::diagonal({});
  for (std::size_t k = 0; k < 3; ++k) {
    const bool seen = eigen.values[k] >= options.least_eigenvalue;
    const double v = seen ? std::min(variance / (n * eigen.values[k]), prior_deviation * prior_deviation)
                          : prior_deviation * prior_deviation;
    covariance = covariance + outer(eigen.vectors[k], eigen.vectors[k]) * v;
  }
  return covariance;
}

void estimate_axis(std::span<const Affined> motions, JointEstimate& joint) {
  Mat3d spread = Mat3d::diagonal({});
  Vec3d sum{};
  double most = 0;
  for (const Affined& m : motions) {
    const Vec3d turn = log_rotation(from_matrix(m.linear));
    spread = spread + outer(turn, turn);
    most = std::max(most, length(turn));
  }
  if (most < hardly_turned) return;
  const SymmetricEigen eigen = symmetric_eigen(spread);
  joint.axis = eigen.vectors.c2;
  for (const Affined& m : motions) sum += log_rotation(from_matrix(m.linear));
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
    const double prior = prior_deviation * prior_deviation;
    Mat3d covariance = Mat3d::diagonal({prior, prior, prior});
    const Motions seen = motions_of(bones, scans, b);
    if (!seen.motions.empty()) {
      covariance = estimate_centre(seen, options, joint);
      estimate_axis(seen.motions, joint);
    }
    state_uncertainty(covariance, joint);
  }
  return joints;
}

void place_centre(std::span<const ScanBone> bones, std::span<const Alignment> scans, std::size_t bone, Vec3d centre,
                  JointEstimate& joint) {
  joint.centre = centre;
  const Motions seen = motions_of(bones, scans, bone);
  if (!seen.motions.empty()) measure_residual(seen, joint);
}

}  // namespace supple::scan
