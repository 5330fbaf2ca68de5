// Long bones are a waisted shaft with a flat base and a two-condyle head; neighbours leave a gap of cartilage.
#include "supple/make/hand_bones.h"

#include "supple/make/sdf.h"

namespace supple::make {
namespace {

struct HeadRadii {
  double metacarpal, proximal, middle;
};
constexpr std::array<HeadRadii, 5> head_radii = {{
    {5.6, 4.6, 4.6},
    {5.0, 4.1, 3.6},
    {5.2, 4.3, 3.7},
    {4.8, 4.0, 3.5},
    {4.3, 3.6, 3.2},
}};
constexpr double cartilage = 1.3;               // gap between a head and the base that faces it
constexpr double metacarpal_start = 5.5;        // the carpus fills the space before it
constexpr double widest_metacarpal_base = 3.9;  // those of the fingers stand side by side, 9 mm apart

double ball(Vec3d p, Vec3d center, double radius, Vec3d stretch = {1, 1, 1}) {
  return RoundCone::ellipsoid(center, radius, stretch)(p);
}

// Radius and ulna: two bones, both carried by the root joint.
double forearm(Vec3d q, double length) {
  const double radius = RoundCone({11, 14, 0}, {10, length - 10, 0}, 7.5, 9, {1, 0, 0}, 1.25, 0.9)(q);
  const double ulna = RoundCone({-13, 12, 1}, {-12, length - 9, 1}, 5.5, 6)(q);
  return std::min(radius, ulna);
}

// The eight carpal bones as one block: they hardly move against each other.
double carpus(Vec3d q) {
  double d = ball(q, {-1, 10, 0}, 8.5, {1.9, 0.9, 0.85});
  d = smooth_min(d, ball(q, {1, 20, -0.2}, 6.5, {2.2, 0.9, 0.9}), 4);
  return smooth_min(d, ball(q, {14, 12, -5}, 5), 4);
}

double long_bone(Vec3d q, const AnatomicalBone& bone) {
  const HeadRadii& radii = head_radii[static_cast<std::size_t>(bone.digit)];
  const bool thumb = bone.digit == Digit::thumb, last = bone.segment == Segment::distal;
  double head = 0, facing = 0;  // radius of the own head, and of the head before the base
  switch (bone.segment) {
    case Segment::metacarpal:
      head = radii.metacarpal;
      break;
    case Segment::proximal:
      head = radii.proximal, facing = radii.metacarpal;
      break;
    case Segment::middle:
      head = radii.middle, facing = radii.proximal;
      break;
    case Segment::distal:
      facing = thumb ? radii.proximal : radii.middle;
      break;
  }
  const bool metacarpal = bone.segment == Segment::metacarpal;
  double base = metacarpal ? 1.05 * head : 0.95 * facing;
  if (metacarpal && !thumb) base = std::min(base, widest_metacarpal_base);
  const double shaft = metacarpal                          ? 0.72 * head
                       : bone.segment == Segment::proximal ? 0.78 * head
                       : last                              ? 0.6 * facing
                                                           : 0.82 * head;
  const double base_y = (metacarpal ? metacarpal_start : facing + cartilage) + 0.55 * base;
  const double length = bone.length;

  double d;
  if (last) {
    d = RoundCone({0, base_y, 0}, {0, length - 2.2, 0}, 1.1 * shaft, 2.2, {1, 0, 0}, 1.15, 0.8)(q);
    d = smooth_min(d, ball(q, {0, length - 2.6, -0.3}, 2.4, {1.55, 0.9, 0.75}), 1.5);  // tuft under the nail
  } else {
    d = RoundCone({0, base_y, 0}, {0, length, 0}, 1.1 * shaft, shaft, {1, 0, 0}, 1.08, 0.92)(q);
    const double apart = 0.42 * head;
    const double condyles =
        smooth_min(ball(q, {apart, length, -0.25}, 0.86 * head), ball(q, {-apart, length, -0.25}, 0.86 * head), 2);
    d = smooth_min(d, condyles, 2.5);
  }
  d = smooth_min(d, ball(q, {0, base_y, 0}, base, {1.08, 0.55, 0.92}), 2);
  return metacarpal ? d : smooth_max(d, -(q.z + 0.8 * shaft), 1.5);  // phalanges are flat towards the palm
}

}  // namespace

double bone_field(const AnatomicalBone& bone, Vec3d p) {
  const Vec3d q = bone.local(p);
  switch (bone.kind) {
    case BoneKind::forearm:
      return forearm(q, bone.length);
    case BoneKind::carpus:
      return carpus(q);
    case BoneKind::digit:
      return long_bone(q, bone);
  }
  return 0;
}

}  // namespace supple::make
