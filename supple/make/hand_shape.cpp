// Where the flesh of the hand lies: rounded cones along the bones, pads on the palm side, webs between the fingers.
#include "supple/make/hand_shape.h"

namespace supple::make {
namespace {

constexpr double forearm_end = -38;     // y of the flat cut
constexpr double forearm_rounding = 9;  // of its rim
constexpr double digit_to_palm = 12;    // rounding where fingers grow out of the palm
// ... and where they meet each other: sharp at the free fingers, soft where they enter the palm.
constexpr double free_digits = 1.5, rooted_digits = 10;

SmoothUnion finger(const HandAnatomy& hand, Digit digit) {
  const AnatomicalBone& proximal = hand.bone(digit, Segment::proximal);
  const AnatomicalBone& middle = hand.bone(digit, Segment::middle);
  const AnatomicalBone& distal = hand.bone(digit, Segment::distal);
  const auto& [r, tip] = hand.flesh_of(digit);
  SmoothUnion u;
  u.add(RoundCone(proximal.at(0.05, -1.2), proximal.tail(), r[0], r[1]), 1);
  u.add(RoundCone(middle.head, middle.tail(), r[1], r[2]), 4);
  const Vec3d end = distal.tail() + distal.along() * (tip - r[3]);
  u.add(RoundCone(distal.head, end, r[2], r[3], distal.across(), 1.06, 0.86), 4);
  // Pads on the palm side.
  u.add(RoundCone(proximal.at(0.26, -2.4), proximal.at(0.68, -2.0), 0.84 * r[0], 0.86 * r[1]), 6);
  u.add(RoundCone(middle.at(0.30, -1.8), middle.at(0.70, -1.6), 0.86 * r[1], 0.87 * r[2]), 5);
  u.add(RoundCone::ellipsoid(distal.at(0.62, -1.7), r[3], {1, 1.3, 0.9}, distal.axes), 5);
  // The heads of the bones below the thin skin of the back.
  u.add(RoundCone::ellipsoid(middle.at(0, 1.1), 0.87 * r[1], {1.02, 1.15, 1}, middle.axes), 5);
  u.add(RoundCone::ellipsoid(distal.at(0, 0.6), 0.88 * r[2], {1.02, 1.1, 1}, distal.axes), 4);
  return u;
}

SmoothUnion thumb(const HandAnatomy& hand) {
  const AnatomicalBone& proximal = hand.bone(Digit::thumb, Segment::proximal);
  const AnatomicalBone& distal = hand.bone(Digit::thumb, Segment::distal);
  const auto& [r, tip] = hand.flesh_of(Digit::thumb);
  SmoothUnion u;
  u.add(RoundCone(proximal.head, proximal.tail(), 11.3, r[2], proximal.across(), 1.02, 0.95), 1);
  const Vec3d end = distal.tail() + distal.along() * (tip - r[3]);
  u.add(RoundCone(distal.head, end, 0.98 * r[2], r[3], distal.across(), 1.14, 0.82), 5);
  u.add(RoundCone::ellipsoid(distal.head + distal.along() * 11 - distal.dorsal() * 1.6, 7.4, {1.05, 1.45, 0.98},
                             distal.axes),
        7);
  u.add(RoundCone(proximal.at(0.25, -1.5), proximal.at(0.7, -1.6), 9.6, 8.8), 6);
  u.add(RoundCone::ellipsoid(proximal.at(0, 0.8), 10.4), 6);
  u.add(RoundCone::ellipsoid(distal.at(0, 0.5), 9.4), 5);
  return u;
}

SmoothUnion palm(const HandAnatomy& hand) {
  SmoothUnion u;
  const std::array<std::array<double, 2>, 4> metacarpal_radii = {
      {{12.5, 11.2}, {13.0, 11.8}, {12.5, 11.0}, {12.0, 9.8}}};
  for (std::size_t i = 0; i < 4; ++i) {
    const AnatomicalBone& m = hand.bone(digits[i + 1], Segment::metacarpal);
    const auto [base, head] = metacarpal_radii[i];
    const Vec3d towards_palm = m.dorsal() * -2.5;
    u.add(RoundCone(m.head + towards_palm, m.tail() + towards_palm * 0.7 - m.along(), base, head, m.across(), 1, 0.98),
          12);
  }
  const AnatomicalBone& m = hand.bone(Digit::thumb, Segment::metacarpal);
  // Ball of the thumb, the web to the index finger, the ball of the little finger, the pads under the knuckles.
  u.add(RoundCone({19, 20, -9}, m.tail() - m.along() * 4 - m.dorsal() * 1.5, 15.5, 11.2), 13);
  u.add(RoundCone::ellipsoid({22, 37, -13}, 11.5, {1, 1.5, 0.9}), 15);
  u.add(RoundCone({25, 44, -7}, {27, 66, -4}, 8, 7), 16);
  u.add(RoundCone({-15, 20, -9}, {-28, 62, -8}, 12, 9), 9);
  u.add(RoundCone({19, 83, -6}, {-25, 72, -7}, 7.2, 6.4), 9);
  // Wrist and forearm.
  u.add(RoundCone({0, -70, 0}, {1, 12, -3}, 23, 18.8, {1, 0, 0}, 1.32, 0.82), 20);
  return u;
}

SmoothUnion knuckles_and_webs(const HandAnatomy& hand) {
  SmoothUnion u;
  const std::array<double, 4> radius = {8.8, 9.1, 8.2, 7.4};
  for (std::size_t i = 0; i < 4; ++i) {
    const AnatomicalBone& b = hand.bone(digits[i + 1], Segment::proximal);
    u.add(RoundCone::ellipsoid(b.head + b.dorsal() * 1.4 - b.along() * 4, radius[i], {1, 1.9, 1}, b.axes), 9);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const AnatomicalBone& a = hand.bone(digits[i + 1], Segment::proximal);
    const AnatomicalBone& b = hand.bone(digits[i + 2], Segment::proximal);
    u.add(RoundCone(a.at(0.26, -1.8), b.at(0.28, -1.8), 5.4, 5.4), 9);
  }
  return u;
}

// A capsule around everything that a digit's union holds.
RoundCone hull(const HandAnatomy& hand, Digit digit) {
  const Vec3d from = hand.bone(digit, Segment::proximal).head;
  const Vec3d to = hand.bone(digit, Segment::distal).tail();
  const double radius = 1.5 * hand.flesh_of(digit).radius[0];
  return RoundCone(from, to, radius, radius);
}

}  // namespace

HandShape::HandShape(const HandAnatomy& hand)
    : palm_(palm(hand)),
      knuckles_(knuckles_and_webs(hand)),
      digits_{thumb(hand), finger(hand, Digit::index), finger(hand, Digit::middle), finger(hand, Digit::ring),
              finger(hand, Digit::little)},
      digit_hulls_{hull(hand, Digit::thumb), hull(hand, Digit::index), hull(hand, Digit::middle),
                   hull(hand, Digit::ring), hull(hand, Digit::little)},
      hollow_(RoundCone::ellipsoid({-3, 52, -32}, 13, {1.0, 1.6, 0.85})),
      details_(hand) {}

double HandShape::flesh(Vec3d p) const {
  double palm = palm_(p);
  palm = smooth_max(palm, -hollow_(p), 16);
  palm = knuckles_.joined(p, palm);
  const double digit_to_digit = free_digits + (rooted_digits - free_digits) * ramp(palm, 9, 0);
  double fingers = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    // A digit this far away is out of reach of both roundings; the slack is for stretched cross-sections.
    constexpr double slack = 3;
    if (digit_hulls_[i](p) >= palm + digit_to_palm + rooted_digits + slack) continue;
    const double digit = digits_[i](p);
    fingers = std::isinf(fingers) ? digit : smooth_min(fingers, digit, digit_to_digit);
  }
  const double all = std::isinf(fingers) ? palm : smooth_min(palm, fingers, digit_to_palm);
  return smooth_max(all, forearm_end - p.y, forearm_rounding);
}

double HandShape::operator()(Vec3d p) const {
  const double value = flesh(p);
  // Far from the skin there are no details, and none are looked for.
  return std::abs(value) < 6 ? value + details_.depth(p) * bump(value, 6) : value;
}

// Differences along the four diagonals of a tetrahedron: the fewest evaluations without a preferred axis.
Vec3d HandShape::gradient(Vec3d p, double step) const {
  const double h = step;
  const double a = (*this)({p.x + h, p.y + h, p.z + h}), b = (*this)({p.x + h, p.y - h, p.z - h});
  const double c = (*this)({p.x - h, p.y + h, p.z - h}), d = (*this)({p.x - h, p.y - h, p.z + h});
  return Vec3d{a + b - c - d, a - b + c - d, a - b - c + d} / (4 * h);
}

Vec3d HandShape::project(Vec3d p) const {
  for (int i = 0; i < 3; ++i) {
    const double value = (*this)(p);
    if (std::abs(value) < 1e-3) break;
    const Vec3d g = gradient(p, 0.05);
    p -= g * (value / std::max(squared_length(g), 0.25));
  }
  return p;
}

double HandShape::relative_edge(Vec3d p) const {
  const double along_forearm = 1 + 0.45 * ramp(p.y, 5, -15) * ramp(p.y, -33, -25);
  return along_forearm * details_.relative_edge(p);
}

}  // namespace supple::make
