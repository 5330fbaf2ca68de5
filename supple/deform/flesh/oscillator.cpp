#include "supple/deform/flesh/oscillator.h"

#include <cmath>
#include <numbers>

namespace supple {

Oscillator oscillator(double hertz, double damping_ratio) {
  const double w = 2 * std::numbers::pi * hertz;
  return {w * w, 2 * damping_ratio * w};
}

/// With h = damping / 2 and q^2 = h^2 - stiffness, the two solutions are e^{-ht} cosh(qt) and e^{-ht} sinh(qt) / q; q
/// is imaginary below critical damping, and then they are a cosine and a sine.
OscillatorStep::OscillatorStep(const Oscillator& o, double t) : oscillator_(o), seconds_(t), give_(1 / o.stiffness) {
  const double h = o.damping / 2, q2 = h * h - o.stiffness;
  double c = 0, d = 0;                // e^{-ht} cosh(qt), e^{-ht} sinh(qt) / q
  if (std::abs(q2) * t * t < 1e-8) {  // near critical: the series, whose next term is below rounding
    const double decay = std::exp(-h * t);
    c = decay * (1 + q2 * t * t / 2);
    d = decay * t * (1 + q2 * t * t / 6);
  } else if (q2 < 0) {
    const double q = std::sqrt(-q2), decay = std::exp(-h * t);
    c = decay * std::cos(q * t);
    d = decay * std::sin(q * t) / q;
  } else {  // both exponents are negative: no overflow however stiff the spring. h - q without cancellation.
    const double q = std::sqrt(q2), slow = std::exp(-o.stiffness / (h + q) * t), fast = std::exp(-(h + q) * t);
    c = (slow + fast) / 2;
    d = (slow - fast) / (2 * q);
  }
  position_from_position_ = c + h * d;
  position_from_velocity_ = d;
  velocity_from_position_ = -o.stiffness * d;
  velocity_from_velocity_ = c - h * d;
}

Swing OscillatorStep::advanced(Swing before, Push push) const {
  // Where the push leads in the long run, a + b t + c t^2: what solves the equation whatever the start.
  const double c = push.curve * give_;
  const double b = (push.rate - 2 * oscillator_.damping * c) * give_;
  const double a = (push.start - oscillator_.damping * b - 2 * c) * give_;
  const double x = before.position - a, v = before.velocity - b;
  return {position_from_position_ * x + position_from_velocity_ * v + a + (b + c * seconds_) * seconds_,
          velocity_from_position_ * x + velocity_from_velocity_ * v + b + 2 * c * seconds_};
}

}  // namespace supple
