#include "supple/author/scan/joint_type.h"

#include <algorithm>
#include <cmath>

#include "supple/author/scan/least_squares.h"
#include "supple/base/angle.h"
#include "supple/base/decompose.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

constexpr double centre_deviation = 0.003;  // metres: how far facing ends are from a joint's centre
constexpr double centimetre = 0.01;         // unit of places among the unknowns: they are then as large as angles
// By how much a freer kind's BIC must be the smaller one: what Kass and Raftery (1995) call very strong evidence. A
// joint that is called too free moves as no bone does.
constexpr double strong_evidence = 10;
constexpr std::size_t fewest_joints = 5;  // that can tell how large the noise is
// What no alignment knows of itself: where samples of two volumes draw the same surface, some hundredths of a voxel.
constexpr double least_turn_noise = 0.05 * degree, least_shift_noise = 2e-5;  // radians, metres

using Whitener = MotionCovariance::Matrix;  // lower triangle l of a covariance l l^T

Whitener whitener_of(const MotionCovariance& covariance) {
  Whitener l = covariance.matrix;
  for (std::size_t k = 0; k < 6; ++k) l[k][k] += std::pow(k < 3 ? least_turn_noise : least_shift_noise, 2);
  for (std::size_t j = 0; j < 6; ++j) {
    for (std::size_t k = 0; k < j; ++k) l[j][j] -= l[j][k] * l[j][k];
    l[j][j] = std::sqrt(std::max(l[j][j], 1e-16));
    for (std::size_t i = j + 1; i < 6; ++i) {
      for (std::size_t k = 0; k < j; ++k) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] /= l[j][j];
    }
  }
  return l;
}

/// What a motion has left when the model's is taken away, and the same in units of its noise.
struct Left {
  Vec3d turn{}, shift{};
};
Left left_of(const JointMotion& measured, const Affined& model) {
  const Affined error = measured.motion * inverse(model);
  const Vec3d at = measured.covariance.about;
  return {log_rotation(from_matrix(error.linear)), error.point(at) - at};
}
void whiten(const Whitener& l, const Left& left, std::span<double> out) {
  for (std::size_t i = 0; i < 6; ++i) {
    out[i] = i < 3 ? left.turn[i] : left.shift[i - 3];
    for (std::size_t k = 0; k < i; ++k) out[i] -= l[i][k] * out[k];
    out[i] /= l[i][i];
  }
}

/// Degrees of freedom in a scan.
std::size_t freedom_of(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::hinge:
      return 1;
    case JointType::universal:
      return 2;
    case JointType::ball:
      return 3;
    case JointType::free:
      return 6;
  }
  return 0;
}
/// Of the joint itself: directions of axes, and the centre, of which a hinge shows two directions.
std::size_t shape_parameters(JointType type) {
  switch (type) {
    case JointType::hinge:
      return 4;
    case JointType::universal:
      return 6;
    case JointType::ball:
      return 3;
    default:
      return 0;
  }
}

/// Fits one kind of joint: unknowns are the centre (centimetres from its start), two tilts of a hinge's axis or three
/// of a universal joint's two, which are perpendicular, and the coordinates of every scan.
class TypeFit {
 public:
  TypeFit(JointType type, std::span<const JointMotion> motions, Vec3d centre, std::vector<Vec3d> axes)
      : type_(type), motions_(motions), start_(centre), axes_(std::move(axes)) {
    for (const JointMotion& m : motions_) whiteners_.push_back(whitener_of(m.covariance));
    unknowns_.assign(3 + tilts() + freedom_of(type) * motions.size(), 0);
    for (std::size_t s = 0; s < motions_.size(); ++s) {
      const Vec3d turn = log_rotation(from_matrix(motions_[s].motion.linear));
      double* x = &unknowns_[first_coordinate(s)];
      for (std::size_t a = 0; a < axes_.size(); ++a) x[a] = dot(turn, axes_[a]);
      if (type_ == JointType::ball) x[0] = turn.x, x[1] = turn.y, x[2] = turn.z;
    }
  }

  JointModel run() {
    const auto residuals = [&](std::span<const double> x, std::vector<double>& r) {
      const JointModel model = model_of(x);
      r.resize(6 * motions_.size() + 3);
      for (std::size_t s = 0; s < motions_.size(); ++s)
        whiten(whiteners_[s], left(model, x, s), std::span(r).subspan(6 * s, 6));
      for (std::size_t k = 0; k < 3; ++k) r[6 * motions_.size() + k] = x[k] * centimetre / centre_deviation;
    };
    least_squares(unknowns_, residuals);
    JointModel model = model_of(unknowns_);
    measure(model);
    return model;
  }

 private:
  std::size_t tilts() const { return axes_.empty() ? 0 : axes_.size() + 1; }
  std::size_t first_coordinate(std::size_t scan) const { return 3 + tilts() + freedom_of(type_) * scan; }
  JointModel model_of(std::span<const double> x) const {
    JointModel model;
    model.type = type_;
    model.centre = start_ + Vec3d{x[0], x[1], x[2]} * centimetre;
    if (axes_.empty()) return model;
    const Vec3d side = axes_.size() > 1 ? axes_[1] : any_perpendicular(axes_[0]);
    Vec3d tilt = side * x[3] + cross(axes_[0], side) * x[4];
    if (axes_.size() > 1) tilt += axes_[0] * x[5];
    const Mat3d turn = to_matrix(exp_rotation(tilt));
    for (const Vec3d& axis : axes_) model.axes.push_back(turn * axis);
    return model;
  }
  Left left(const JointModel& model, std::span<const double> x, std::size_t s) const {
    return left_of(motions_[s], motion_of(model, x.subspan(first_coordinate(s), freedom_of(type_))));
  }
  void measure(JointModel& model) const {
    model.numbers = 6 * motions_.size();
    model.parameters = shape_parameters(type_) + freedom_of(type_) * motions_.size();
    std::array<double, 6> white{};
    for (std::size_t s = 0; s < motions_.size(); ++s) {
      const Left rest = left(model, unknowns_, s);
      whiten(whiteners_[s], rest, white);
      for (const double w : white) model.chi_square += w * w;
      model.turn_left += squared_length(rest.turn);
      model.shift_left += squared_length(rest.shift);
    }
    const auto n = static_cast<double>(motions_.size());
    model.turn_left = std::sqrt(model.turn_left / n);
    model.shift_left = std::sqrt(model.shift_left / n);
  }

  JointType type_;
  std::span<const JointMotion> motions_;
  Vec3d start_;
  std::vector<Vec3d> axes_;
  std::vector<Whitener> whiteners_;
  std::vector<double> unknowns_;
};

/// All kinds; of a universal joint both orders of its two main directions are tried.
std::vector<JointModel> all_types(std::span<const JointMotion> motions, Vec3d centre) {
  Mat3d spread = Mat3d::diagonal({});
  for (const JointMotion& m : motions) {
    const Vec3d turn = log_rotation(from_matrix(m.motion.linear));
    spread = spread + outer(turn, turn);
  }
  const Mat3d main = symmetric_eigen(spread).vectors;  // the last column is the axis of most turning
  std::vector<JointModel> models;
  models.push_back(TypeFit(JointType::fixed, motions, centre, {}).run());
  models.push_back(TypeFit(JointType::hinge, motions, centre, {main.c2}).run());
  JointModel universal = TypeFit(JointType::universal, motions, centre, {main.c1, main.c2}).run();
  JointModel other = TypeFit(JointType::universal, motions, centre, {main.c2, main.c1}).run();
  models.push_back(other.chi_square < universal.chi_square ? std::move(other) : std::move(universal));
  models.push_back(TypeFit(JointType::ball, motions, centre, {}).run());
  JointModel free;
  free.type = JointType::free;
  free.centre = models.back().centre;
  free.numbers = free.parameters = 6 * motions.size();
  models.push_back(std::move(free));
  return models;
}

/// How much larger the noise is than the alignments say; see choose_joint_types().
double noise_scale(std::span<const JointTypeChoice> joints) {
  std::vector<double> reduced;
  for (const JointTypeChoice& joint : joints) {
    if (joint.tried.empty()) continue;
    const JointModel& universal = joint.tried[static_cast<std::size_t>(JointType::universal)];
    if (universal.numbers <= universal.parameters) continue;
    reduced.push_back(universal.chi_square / static_cast<double>(universal.numbers - universal.parameters));
  }
  if (reduced.size() < fewest_joints) return 1;
  const auto middle = reduced.begin() + static_cast<std::ptrdiff_t>(reduced.size() / 2);
  std::nth_element(reduced.begin(), middle, reduced.end());
  return std::sqrt(std::max(*middle, 1.0));
}

}  // namespace

const char* name_of(JointType type) {
  constexpr std::array<const char*, 5> names{"fixed", "hinge", "universal", "ball", "6 DOF"};
  return names[static_cast<std::size_t>(type)];
}

Affined motion_of(const JointModel& model, std::span<const double> coordinates) {
  Quatd turn;
  for (std::size_t a = 0; a < model.axes.size(); ++a) turn = turn * exp_rotation(model.axes[a] * coordinates[a]);
  Vec3d shift{};
  if (model.type == JointType::ball || model.type == JointType::free)
    turn = exp_rotation({coordinates[0], coordinates[1], coordinates[2]});
  if (model.type == JointType::free) shift = {coordinates[3], coordinates[4], coordinates[5]};
  const Mat3d linear = to_matrix(turn);
  return {linear, model.centre + shift - linear * model.centre};
}

std::vector<JointTypeChoice> choose_joint_types(std::span<const ScanBone> bones, std::span<const Alignment> scans,
                                                std::span<const Vec3d> centres) {
  std::vector<JointTypeChoice> joints(bones.size());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const std::vector<JointMotion> motions = joint_motions(bones, scans, b);
    if (!motions.empty()) joints[b].tried = all_types(motions, centres[b]);
  }
  const double scale = noise_scale(joints);
  for (JointTypeChoice& joint : joints) {
    joint.scale = scale;
    for (std::size_t t = 0; t < joint.tried.size(); ++t) {
      JointModel& model = joint.tried[t];
      model.bic = model.chi_square / (scale * scale) +
                  static_cast<double>(model.parameters) * std::log(static_cast<double>(model.numbers));
      if (model.bic < joint.tried[joint.chosen].bic - strong_evidence) joint.chosen = t;
    }
  }
  return joints;
}

}  // namespace supple::scan
