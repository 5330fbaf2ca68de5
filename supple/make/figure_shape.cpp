// Where the flesh of the body lies: trunk and head in the middle, limbs and paired masses on each side.
#include "supple/make/figure_shape.h"

#include "supple/make/figure_anatomy.h"

namespace supple::make {
namespace {

using namespace landmark;
constexpr Vec3d sideways = {1, 0, 0};

Vec3d between(Vec3d a, Vec3d b, double fraction) { return a + (b - a) * fraction; }

SmoothUnion trunk_and_head() {
  SmoothUnion u;
  // Pelvis, waist, ribs, belly.
  u.add(RoundCone::ellipsoid({0, 0.958, -0.004}, 0.115, {1.36, 0.92, 0.93}), 0);
  u.add(RoundCone({0, 1.000, 0.000}, {0, 1.150, -0.006}, 0.108, 0.104, sideways, 1.16, 0.88), 0.08);
  u.add(RoundCone::ellipsoid({0, 1.255, -0.016}, 0.130, {1.14, 1.38, 0.86}), 0.08);
  u.add(RoundCone::ellipsoid({0, 1.030, 0.056}, 0.084, {1.30, 1.22, 0.80}), 0.07);
  // Neck, skull, face, nose.
  u.add(RoundCone({0, 1.385, -0.026}, {0, 1.540, -0.004}, 0.058, 0.051), 0.05);
  u.add(RoundCone::ellipsoid({0, 1.610, -0.002}, 0.084, {0.90, 1.07, 1.12}), 0.03);
  u.add(RoundCone({0, 1.582, 0.022}, {0, 1.523, 0.041}, 0.062, 0.044, sideways, 1.10, 0.98), 0.04);
  u.add(RoundCone({0, 1.604, 0.082}, {0, 1.573, 0.092}, 0.007, 0.011), 0.022);
  return u;
}

void add_leg(SmoothUnion& u) {
  const Vec3d thigh = normalized(knee - hip);
  u.add(RoundCone(hip + Vec3d{0.006, -0.03, -0.004}, knee, 0.088, 0.050), 0.05);
  u.add(RoundCone::ellipsoid(between(hip, knee, 0.36) + Vec3d{0.010, 0, 0.014}, 0.066, {1, 2.2, 1},
                             {sideways, -thigh, {0, 0, -1}}),
        0.05);
  u.add(RoundCone::ellipsoid({0.118, 0.880, -0.010}, 0.078, {0.88, 1.35, 1.0}), 0.06);
  // Buttock.
  u.add(RoundCone::ellipsoid({0.076, 0.908, -0.066}, 0.086, {1.0, 1.06, 0.86}), 0.07);
  // Knee, shin, calf.
  u.add(RoundCone::ellipsoid(knee + Vec3d{0, 0.006, 0.018}, 0.036, {1, 1.2, 1}), 0.03);
  u.add(RoundCone(knee, ankle + Vec3d{0, 0.012, 0.004}, 0.047, 0.027), 0.03);
  u.add(RoundCone::ellipsoid(between(knee, ankle, 0.30) + Vec3d{0.001, 0, -0.018}, 0.047, {1.04, 2.0, 0.98}), 0.04);
  // Heel, foot, toes.
  const Vec3d pointing = toes - ankle;
  u.add(RoundCone({0.121, 0.032, -0.052}, {0.123, 0.060, -0.024}, 0.031, 0.030), 0.03);
  u.add(RoundCone({0.123, 0.046, -0.020}, {0.133, 0.024, 0.105}, 0.038, 0.028, sideways, 1.16, 0.92), 0.035);
  u.add(RoundCone({0.126, 0.018, 0.120}, {0.136, 0.015, 0.158}, 0.022, 0.018, cross(pointing, {0, 1, 0}), 1.7, 0.85),
        0.025);
}

void add_arm(SmoothUnion& u) {
  const Vec3d upper = normalized(elbow - arm), lower = normalized(wrist - elbow), hand = normalized(fingers - wrist);
  // Collar, the slope of the neck, shoulder, and the flesh in front of and behind the armpit.
  u.add(RoundCone({0.010, 1.362, -0.020}, {0.140, 1.360, -0.024}, 0.060, 0.052), 0.05);
  u.add(RoundCone({0.012, 1.450, -0.030}, {0.120, 1.392, -0.028}, 0.040, 0.036), 0.05);
  u.add(RoundCone::ellipsoid(arm + Vec3d{0.010, -0.008, 0}, 0.056, {1, 1.06, 1}), 0.04);
  u.add(RoundCone({0.090, 1.300, 0.030}, {0.150, 1.350, 0.000}, 0.040, 0.040), 0.04);
  u.add(RoundCone({0.095, 1.270, -0.070}, {0.150, 1.345, -0.040}, 0.038, 0.038), 0.04);
  // Upper arm with its muscle, elbow, forearm.
  u.add(RoundCone(arm, elbow, 0.049, 0.036), 0.04);
  u.add(RoundCone::ellipsoid(between(arm, elbow, 0.5) + Vec3d{0, 0, 0.010}, 0.038, {1, 1.9, 1},
                             {cross(upper, {0, 0, 1}), upper, {0, 0, 1}}),
        0.03);
  u.add(RoundCone(elbow, wrist, 0.037, 0.025, {0, 0, 1}, 1.06, 0.96), 0.03);
  u.add(RoundCone::ellipsoid(between(elbow, wrist, 0.26) + Vec3d{0, 0, 0.003}, 0.038, {1, 1.8, 1.06},
                             {cross(lower, {0, 0, 1}), lower, {0, 0, 1}}),
        0.03);
  // A mitten whose palm faces the thigh: flat, the thumb to the front.
  const Vec3d palm = cross(hand, {0, 0, 1}), front = {0, 0, 1};
  u.add(RoundCone(wrist + hand * 0.020, wrist + hand * 0.085, 0.027, 0.034, front, 1.12, 0.62), 0.025);
  u.add(RoundCone(wrist + hand * 0.090, fingers - hand * 0.018 + palm * 0.010, 0.033, 0.021, front, 1.18, 0.52), 0.02);
  u.add(RoundCone(wrist + hand * 0.032 + front * 0.018 + palm * 0.006,
                  wrist + hand * 0.085 + front * 0.056 + palm * 0.012, 0.016, 0.012),
        0.016);
}

SmoothUnion left_side() {
  SmoothUnion u;
  add_leg(u);
  add_arm(u);
  // Breast, ear.
  u.add(RoundCone::ellipsoid({0.076, 1.258, 0.064}, 0.066, {1.02, 1.06, 0.90}), 0.045);
  u.add(RoundCone::ellipsoid({0.074, 1.590, -0.004}, 0.021, {0.5, 1.4, 0.8}), 0.01);
  return u;
}

}  // namespace

FigureShape::FigureShape() : middle_(trunk_and_head()), side_(left_side()) {}

double FigureShape::operator()(Vec3d p) const {
  // Thighs stay apart up to the crotch; buttocks and breasts share soft valleys.
  const double side_to_side = 0.008 + 0.022 * ramp(p.y, 0.84, 0.93);
  const double sides = smooth_min(side_(p), side_(mirrored(p)), side_to_side);
  const double side_to_middle = 0.040 - 0.030 * ramp(p.y, 1.48, 1.54);  // the ear keeps its edge
  const double all = smooth_min(middle_(p), sides, side_to_middle);
  return smooth_max(all, -p.y, 0.012);  // flat soles
}

// Differences along the four diagonals of a tetrahedron: the fewest evaluations without a preferred axis.
Vec3d FigureShape::gradient(Vec3d p, double step) const {
  const double h = step;
  const double a = (*this)({p.x + h, p.y + h, p.z + h}), b = (*this)({p.x + h, p.y - h, p.z - h});
  const double c = (*this)({p.x - h, p.y + h, p.z - h}), d = (*this)({p.x - h, p.y - h, p.z + h});
  return Vec3d{a + b - c - d, a - b + c - d, a - b - c + d} / (4 * h);
}

Vec3d FigureShape::project(Vec3d p) const {
  for (int i = 0; i < 4; ++i) {
    const double value = (*this)(p);
    if (std::abs(value) < 1e-7) break;
    const Vec3d g = gradient(p, 1e-5);
    p -= g * (value / std::max(squared_length(g), 0.25));
  }
  return p;
}

double FigureShape::relative_edge(Vec3d p) const {
  const double side = std::abs(p.x);
  const double on_head = ramp(p.y, 1.46, 1.54);
  const double on_hand = ramp(side, 0.40, 0.47);
  const double on_foot = ramp(p.y, 0.16, 0.08);
  const double on_arm = ramp(side, 0.19, 0.26);
  return 1 - 0.35 * on_head - 0.15 * on_arm - 0.35 * on_hand - 0.35 * on_foot;
}

}  // namespace supple::make
