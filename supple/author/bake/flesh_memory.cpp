// How long springs remember.
#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/author/bake/play_flesh.h"

namespace supple {
namespace {

constexpr double undamped = 1e-12;  // 1/s

}  // namespace

double memory(const Flesh& flesh, double error) {
  double longest = 0;
  const auto last = [&](const Oscillator& o) {
    // Of a displacement and a speed of w times as much, e^{-st} (1 + st + wt) is left at most; s is the slower decay.
    const double h = o.damping / 2, q2 = h * h - o.stiffness, w = std::sqrt(o.stiffness);
    const double s = q2 > 0 ? o.stiffness / (h + std::sqrt(q2)) : h;
    double t = 0;
    for (int i = 0; i < 50 && s > undamped; ++i) t = std::log((1 + (s + w) * t) / error) / s;
    longest = std::max(longest, s > undamped ? t : std::numeric_limits<double>::infinity());
  };
  for (const FleshElement& e : flesh.elements) {
    const double air = double{e.air_friction} / double{e.mass};
    for (const FleshSpring& spring : e.springs) {
      const Oscillator o = oscillator(double{spring.frequency}, double{spring.damping_ratio});
      for (std::size_t axis = 0; axis < 3; ++axis) last({o.stiffness * double{spring.axes[axis]}, o.damping + air});
    }
    if (e.torsion) last(oscillator(double{e.torsion->frequency}, double{e.torsion->damping_ratio}));
  }
  return longest;
}

}  // namespace supple
