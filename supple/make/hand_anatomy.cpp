// Measurements of an adult hand in a relaxed, slightly spread pose, and the bone frames that follow from them.
#include "supple/make/hand_anatomy.h"

#include <cassert>
#include <numbers>

#include "supple/base/quat.h"
#include "supple/make/frame_along.h"

namespace supple::make {
namespace {

struct FingerMeasures {
  Digit digit;
  Vec3d metacarpal_base, knuckle;
  double spread;                    // degrees towards the thumb's side
  double roll;                      // degrees about the bone: the arch of the palm
  std::array<double, 3> flexion;    // degrees at knuckle, middle and end joint
  std::array<double, 3> phalanges;  // lengths
};

constexpr std::array<FingerMeasures, 4> finger_measures = {{
    {Digit::index, {11, 27, 1}, {24, 92, 2}, 8, 8, {6, 8, 5}, {39.8, 22.4, 15.8}},
    {Digit::middle, {2, 28, 2}, {3, 93, 4}, 0, 0, {6, 8, 5}, {44.6, 26.3, 17.4}},
    {Digit::ring, {-7, 26, 1}, {-16, 86, 2}, -8, -8, {6, 8, 5}, {41.4, 25.7, 17.3}},
    {Digit::little, {-14, 23, -1}, {-32, 75, -2}, -20, -18, {6, 8, 5}, {32.7, 18.1, 16.0}},
}};

constexpr Vec3d thumb_base = {20, 18, -9}, thumb_along = {0.66, 0.68, -0.32}, thumb_nail = {0.62, -0.42, 0.66};
constexpr std::array<double, 3> thumb_lengths = {46, 31.6, 21.7};

constexpr std::array<DigitFlesh, 5> digit_flesh = {{
    {{13.5, 10.8, 10.2, 7.6}, 5.0},
    {{10.2, 9.2, 8.3, 6.8}, 3.8},
    {{10.5, 9.4, 8.5, 7.0}, 4.0},
    {{9.9, 8.9, 8.1, 6.6}, 4.0},
    {{8.8, 7.8, 7.1, 5.8}, 3.7},
}};

Mat3d turn(Vec3d axis, double degrees) { return to_matrix(from_axis_angle(axis, degrees * std::numbers::pi / 180)); }
constexpr Vec3d x_axis = {1, 0, 0}, y_axis = {0, 1, 0}, z_axis = {0, 0, 1};

}  // namespace

std::string digit_name(Digit digit) {
  switch (digit) {
    case Digit::thumb:
      return "thumb";
    case Digit::index:
      return "index-finger";
    case Digit::middle:
      return "middle-finger";
    case Digit::ring:
      return "ring-finger";
    case Digit::little:
      return "pinky-finger";
  }
  return {};
}

const AnatomicalBone& HandAnatomy::bone(Digit digit, Segment segment) const {
  for (const AnatomicalBone& b : bones) {
    if (b.kind == BoneKind::digit && b.digit == digit && b.segment == segment) return b;
  }
  assert(false && "the thumb has no middle phalanx");
  return bones.front();
}

Vec3d HandAnatomy::tip(Digit digit) const {
  const AnatomicalBone& last = bone(digit, Segment::distal);
  return last.tail() + last.along() * flesh_of(digit).tip;
}

HandAnatomy hand_anatomy() {
  HandAnatomy hand;
  hand.flesh = digit_flesh;
  std::vector<AnatomicalBone>& bones = hand.bones;
  bones.push_back({"forearm", 0, {0, -40, 0}, {}, 40, BoneKind::forearm});
  bones.push_back({"wrist", 0, {0, 0, 0}, {}, 24, BoneKind::carpus});
  const auto add = [&](Digit digit, Segment segment, const char* suffix, Vec3d head, const Mat3d& axes, double length) {
    const std::size_t parent = segment == Segment::metacarpal ? 1 : bones.size() - 1;
    bones.push_back({digit_name(digit) + suffix, parent, head, axes, length, BoneKind::digit, digit, segment});
  };

  Mat3d axes = frame_along(thumb_along, thumb_nail);
  add(Digit::thumb, Segment::metacarpal, "-metacarpal", thumb_base, axes, thumb_lengths[0]);
  axes = axes * turn(x_axis, -12) * turn(z_axis, 14);
  add(Digit::thumb, Segment::proximal, "-phalanx-proximal", bones.back().tail(), axes, thumb_lengths[1]);
  axes = axes * turn(x_axis, -6);
  add(Digit::thumb, Segment::distal, "-phalanx-distal", bones.back().tail(), axes, thumb_lengths[2]);

  for (const FingerMeasures& f : finger_measures) {
    const Vec3d along = f.knuckle - f.metacarpal_base;
    axes = frame_along(along, z_axis) * turn(y_axis, f.roll);
    add(f.digit, Segment::metacarpal, "-metacarpal", f.metacarpal_base, axes, length(along));
    axes = turn(z_axis, -f.spread) * turn(y_axis, 0.7 * f.roll) * turn(x_axis, -f.flexion[0]);
    add(f.digit, Segment::proximal, "-phalanx-proximal", f.knuckle, axes, f.phalanges[0]);
    axes = axes * turn(x_axis, -f.flexion[1]);
    add(f.digit, Segment::middle, "-phalanx-intermediate", bones.back().tail(), axes, f.phalanges[1]);
    axes = axes * turn(x_axis, -f.flexion[2]);
    add(f.digit, Segment::distal, "-phalanx-distal", bones.back().tail(), axes, f.phalanges[2]);
  }
  return hand;
}

}  // namespace supple::make
