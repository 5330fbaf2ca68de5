// A damped spring under a push that changes in time as a polynomial, advanced exactly: no step is too long, no spring
// too stiff.
#pragma once

#include "supple/base/vec.h"

namespace supple {

/// x'' = -stiffness x - damping x' + force, all per unit of mass.
struct Oscillator {
  double stiffness = 1;  // 1/s^2, > 0: the square of the angular frequency
  double damping = 0;    // 1/s: twice the damping ratio times the angular frequency
  friend bool operator==(const Oscillator&, const Oscillator&) = default;
};

/// Cycles a second without damping; a damping ratio of 1 just does not swing.
Oscillator oscillator(double hertz, double damping_ratio);

/// Of one coordinate.
struct Swing {
  double position = 0, velocity = 0;
};
/// start + t * rate + t^2 * curve, t in seconds from the beginning of the step.
struct Push {
  double start = 0, rate = 0, curve = 0;
};

/// How position and velocity after a time follow from those before: the matrix exponential. Made once for springs and
/// steps that do not change.
class OscillatorStep {
 public:
  OscillatorStep() : OscillatorStep({}, 0) {}
  OscillatorStep(const Oscillator& oscillator, double seconds);

  bool is_of(const Oscillator& oscillator, double seconds) const {
    return oscillator_ == oscillator && seconds_ == seconds;
  }
  Swing advanced(Swing before, Push push) const;

 private:
  Oscillator oscillator_;
  double seconds_, give_;  // give: one by the stiffness
  double position_from_position_ = 1, position_from_velocity_ = 0;
  double velocity_from_position_ = 0, velocity_from_velocity_ = 1;
};

}  // namespace supple
