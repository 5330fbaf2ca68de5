// How flesh loosens along a bone: nothing at its ends, all in the middle.
#pragma once

#include <span>
#include <vector>

#include "supple/base/result.h"

namespace supple {

/// A function of y, which runs from -1 to 1 along the virtual bone; 0 at and beyond the ends, 1 at its highest.
class Attenuation {
 public:
  enum class Kind { parabola, wyvill, hermite };
  struct Knot {
    double y = 0, value = 0, slope = 0;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  /// Wyvill's polynomial, which leaves no crease at the ends.
  Attenuation() = default;
  static Attenuation parabola();
  static Attenuation wyvill() { return {}; }
  /// A curve of one's own through knots, cubic between them. The error says what is wrong: they must begin at y = -1
  /// and end at y = 1 with value 0, in order, and the curve must stay within 0 to 1.
  static Result<Attenuation> hermite(std::vector<Knot> knots);

  Kind kind() const { return kind_; }
  std::span<const Knot> knots() const { return knots_; }
  double operator()(double y) const;

 private:
  Kind kind_ = Kind::wyvill;
  std::vector<Knot> knots_;
};

}  // namespace supple
