#include "supple/rig/attenuation.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace supple {
namespace {

double cubic_between(const Attenuation::Knot& a, const Attenuation::Knot& b, double y) {
  const double h = b.y - a.y, t = (y - a.y) / h, s = 1 - t;
  return s * s * (1 + 2 * t) * a.value + s * s * t * h * a.slope + t * t * (1 + 2 * s) * b.value -
         t * t * s * h * b.slope;
}

}  // namespace

Attenuation Attenuation::parabola() {
  Attenuation a;
  a.kind_ = Kind::parabola;
  return a;
}

Result<Attenuation> Attenuation::hermite(std::vector<Knot> knots) {
  const auto wrong = [](std::string problem) {
    return Error{"attenuation", std::move(problem),
                 "begin with y = -1 and end with y = 1, value 0, values within 0 to 1"};
  };
  for (const Knot& k : knots)
    if (!std::isfinite(k.y) || !std::isfinite(k.value) || !std::isfinite(k.slope))
      return wrong("has a knot that is not finite");
  if (knots.size() < 3) return wrong("needs three knots or more");
  if (knots.front().y != -1 || knots.back().y != 1) return wrong("does not run from -1 to 1");
  if (knots.front().value != 0 || knots.back().value != 0) return wrong("is not 0 at the ends");
  for (std::size_t i = 1; i < knots.size(); ++i)
    if (!(knots[i].y > knots[i - 1].y)) return wrong("has knots out of order");
  Attenuation a;
  a.kind_ = Kind::hermite;
  a.knots_ = std::move(knots);
  double highest = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double value = a(-1 + i / 500.0);
    if (value < -1e-9 || value > 1 + 1e-9) return wrong("leaves 0 to 1 at y = " + std::to_string(-1 + i / 500.0));
    highest = std::max(highest, value);
  }
  if (!(highest > 0)) return wrong("is zero everywhere");
  return a;
}

double Attenuation::operator()(double y) const {
  if (!(std::abs(y) < 1)) return 0;
  const double y2 = y * y;
  switch (kind_) {
    case Kind::parabola:
      return 1 - y2;
    case Kind::wyvill:
      return 1 + ((-4 * y2 + 17) * y2 - 22) * y2 / 9;
    case Kind::hermite:
      break;
  }
  const auto after = std::find_if(knots_.begin() + 1, knots_.end(), [y](const Knot& k) { return y <= k.y; });
  return cubic_between(*(after - 1), *after, y);
}

}  // namespace supple
