// The skeleton of the procedural hand as measurements: joint centres, bone frames, lengths and flesh radii.
//
// Anatomical space: millimetres, a left hand with the wrist at the origin; x points to the thumb's side (radial), y to
// the fingertips (distal), z to the back of the hand (dorsal). The right hand is its mirror image.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "supple/base/mat.h"

namespace supple::make {

enum class Digit { thumb, index, middle, ring, little };
inline constexpr std::array<Digit, 5> digits = {Digit::thumb, Digit::index, Digit::middle, Digit::ring, Digit::little};

/// Segments of a digit from the wrist outwards; the thumb has no middle phalanx.
enum class Segment { metacarpal, proximal, middle, distal };

enum class BoneKind { forearm, carpus, digit };

struct AnatomicalBone {
  std::string joint;   // of the joint that moves it, named as in WebXR
  std::size_t parent;  // place in HandAnatomy::bones; the root is its own parent
  Vec3d head;          // centre of the joint
  Mat3d axes;          // columns: x across (flexion axis), y along the bone, z dorsal
  double length;
  BoneKind kind = BoneKind::digit;
  Digit digit = Digit::thumb;
  Segment segment = Segment::metacarpal;

  Vec3d across() const { return axes.c0; }
  Vec3d along() const { return axes.c1; }
  Vec3d dorsal() const { return axes.c2; }
  Vec3d tail() const { return head + axes.c1 * length; }
  /// A point at a fraction of the bone's length, raised towards the back of the hand.
  Vec3d at(double fraction, double raised = 0) const { return head + axes.c1 * (length * fraction) + axes.c2 * raised; }
  /// Coordinates in the bone's frame.
  Vec3d local(Vec3d p) const { return transpose(axes) * (p - head); }
};

/// Flesh around one digit: radii at the three joints and near the tip, and how far the skin lies beyond the last bone.
struct DigitFlesh {
  std::array<double, 4> radius;
  double tip;
};

struct HandAnatomy {
  std::vector<AnatomicalBone> bones;  // parents first
  std::array<DigitFlesh, 5> flesh;    // by Digit

  const AnatomicalBone& bone(Digit digit, Segment segment) const;
  const DigitFlesh& flesh_of(Digit digit) const { return flesh[static_cast<std::size_t>(digit)]; }
  /// Where the axis of the digit leaves the skin.
  Vec3d tip(Digit digit) const;
};

HandAnatomy hand_anatomy();

/// "thumb", "index-finger", ...
std::string digit_name(Digit digit);

}  // namespace supple::make
