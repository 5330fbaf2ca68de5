// Fine relief of the hand's skin: flexion creases, palm lines, nails; and how fine a mesh must be to show it.
#pragma once

#include <array>
#include <vector>

#include "supple/make/hand_anatomy.h"

namespace supple::make {

/// In anatomical space, millimetres.
class HandDetails {
 public:
  explicit HandDetails(const HandAnatomy& hand);

  /// How far the skin lies below its smooth shape at p (negative: above).
  double depth(Vec3d p) const;
  /// Relative edge length: about 1 on the palm, less along digits, at their tips and at creases.
  double relative_edge(Vec3d p) const;

 private:
  // A furrow across one digit on the palm side, in the plane y = `at` of a bone's frame.
  struct FingerCrease {
    AnatomicalBone bone;
    double at, half_width, depth, reach;
    /// Whether p may lie within `margin` of the furrow.
    bool is_near(Vec3d p, double margin) const {
      const double radius = reach + margin;
      return squared_length(p - (bone.head + bone.along() * at)) < radius * radius;
    }
  };
  // A line drawn on the palm, seen from the palm side.
  struct PalmLine {
    std::vector<std::array<double, 2>> points;  // x, y
    double half_width, depth;
    std::array<double, 2> low{}, high{};  // bounds of the points
    bool is_near(Vec3d p, double margin) const {
      return p.x > low[0] - margin && p.x < high[0] + margin && p.y > low[1] - margin && p.y < high[1] + margin;
    }
  };
  struct Nail {
    AnatomicalBone bone;
    double half_width, from, to, radius;  // extent along the bone; radius of the finger there
  };
  void add_line(const std::vector<std::array<double, 2>>& control, double half_width, double depth);
  double finger_crease(const FingerCrease& crease, Vec3d p) const;
  double nail(const Nail& nail, Vec3d p) const;

  std::vector<FingerCrease> creases_;
  std::vector<PalmLine> lines_;
  std::vector<Nail> nails_;
  std::array<AnatomicalBone, 5> proximal_, distal_;
};

}  // namespace supple::make
