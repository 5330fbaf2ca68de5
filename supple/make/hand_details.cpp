// Furrows and nails as smooth offsets with bounded reach.
#include "supple/make/hand_details.h"

#include <algorithm>
#include <cmath>

#include "supple/make/sdf.h"

namespace supple::make {
namespace {

// Distance to a polyline in the plane, and how far along it (0..1).
struct OnLine {
  double distance, fraction;
};
OnLine nearest_on(const std::vector<std::array<double, 2>>& points, double x, double y) {
  double best = 1e18, fraction = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double ax = points[i][0], ay = points[i][1];
    const double bx = points[i + 1][0] - ax, by = points[i + 1][1] - ay;
    const double t = std::clamp(((x - ax) * bx + (y - ay) * by) / (bx * bx + by * by), 0.0, 1.0);
    const double dx = x - ax - t * bx, dy = y - ay - t * by, d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      fraction = static_cast<double>(i) + t;
    }
  }
  return {std::sqrt(best), fraction / static_cast<double>(points.size() - 1)};
}

// Catmull-Rom through the control points, so that lines have no corners.
std::vector<std::array<double, 2>> curve(const std::vector<std::array<double, 2>>& control) {
  std::vector<std::array<double, 2>> points;
  const auto at = [&](std::size_t i, int offset) {
    const long last = static_cast<long>(control.size()) - 1;
    return control[static_cast<std::size_t>(std::clamp(static_cast<long>(i) + offset, 0l, last))];
  };
  constexpr int steps = 6;
  for (std::size_t i = 0; i + 1 < control.size(); ++i) {
    const auto a = at(i, -1), b = at(i, 0), c = at(i, 1), d = at(i, 2);
    for (int s = 0; s < steps; ++s) {
      const double t = static_cast<double>(s) / steps;
      std::array<double, 2> p{};
      for (std::size_t k = 0; k < 2; ++k) {
        p[k] = 0.5 * (2 * b[k] + (c[k] - a[k]) * t + (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t * t +
                      (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t * t * t);
      }
      points.push_back(p);
    }
  }
  points.push_back(control.back());
  return points;
}

// Signed distance to a rectangle with rounded corners, centred at the origin.
double rounded_rectangle(double x, double y, double half_x, double half_y, double corner) {
  const double qx = std::abs(x) - half_x + corner, qy = std::abs(y) - half_y + corner;
  return std::hypot(std::max(qx, 0.0), std::max(qy, 0.0)) + std::min(std::max(qx, qy), 0.0) - corner;
}

}  // namespace

HandDetails::HandDetails(const HandAnatomy& hand) {
  for (const Digit digit : digits) {
    const bool thumb = digit == Digit::thumb;
    const auto& r = hand.flesh_of(digit).radius;
    const AnatomicalBone& proximal = hand.bone(digit, Segment::proximal);
    const AnatomicalBone& distal = hand.bone(digit, Segment::distal);
    proximal_[static_cast<std::size_t>(digit)] = proximal;
    distal_[static_cast<std::size_t>(digit)] = distal;
    if (thumb) {
      creases_.push_back({proximal, 1.0, 3.8, 0.6, 1.5 * r[1]});
    } else {
      const AnatomicalBone& middle = hand.bone(digit, Segment::middle);
      creases_.push_back({proximal, 0.46 * proximal.length, 3.4, 0.6, 1.5 * r[0]});
      creases_.push_back({middle, 0, 3.8, 0.8, 1.5 * r[1]});
    }
    creases_.push_back({distal, -0.5, 3.3, thumb ? 0.8 : 0.6, 1.5 * r[2]});

    const double tip = distal.length + hand.flesh_of(digit).tip;
    const double half_width = thumb ? 7.0 : 0.88 * r[3];
    const double length = thumb ? 13.5 : 1.75 * r[3];
    nails_.push_back({distal, half_width, tip - length - 1.2, tip - 1.2, r[3]});
  }
  // Around the ball of the thumb; across the palm; below the fingers; at the wrist.
  add_line({{29, 71}, {18, 68}, {8, 58}, {3, 44}, {3, 30}, {7, 18}}, 4.0, 0.8);
  add_line({{27, 70}, {14, 66}, {-2, 60}, {-14, 52}, {-22, 44}}, 3.6, 0.6);
  add_line({{-41, 61}, {-28, 65}, {-14, 70}, {0, 77}, {9, 87}}, 4.0, 0.8);
  add_line({{-27, 1}, {-10, 4}, {8, 4}, {27, 1}}, 3.6, 0.5);
}

void HandDetails::add_line(const std::vector<std::array<double, 2>>& control, double half_width, double depth) {
  PalmLine line{curve(control), half_width, depth, control[0], control[0]};
  for (const auto& point : line.points) {
    for (std::size_t k = 0; k < 2; ++k) {
      line.low[k] = std::min(line.low[k], point[k]);
      line.high[k] = std::max(line.high[k], point[k]);
    }
  }
  lines_.push_back(std::move(line));
}

double HandDetails::finger_crease(const FingerCrease& crease, Vec3d p) const {
  if (!crease.is_near(p, crease.half_width)) return 0;
  const Vec3d q = crease.bone.local(p);
  const double off = std::abs(q.y - crease.at);
  const double radius = std::hypot(q.x, q.z);
  if (off >= crease.half_width || radius >= crease.reach || q.z >= 0) return 0;
  // Deepest in the middle of the palm side, gone half-way up the flanks.
  const double facing_palm = ramp(-q.z / (radius + 1e-9), 0.15, 0.75);
  return crease.depth * bump(off, crease.half_width) * facing_palm * ramp(radius, crease.reach, 0.85 * crease.reach);
}

double HandDetails::nail(const Nail& nail, Vec3d p) const {
  if (squared_length(p - nail.bone.tail()) > 400) return 0;
  const Vec3d q = nail.bone.local(p);
  if (q.z <= 0 || q.y < nail.from - 3 || q.y > nail.to + 3 || std::abs(q.x) > 2 * nail.half_width) return 0;
  const double middle = 0.5 * (nail.from + nail.to), half_length = 0.5 * (nail.to - nail.from);
  const double edge = rounded_rectangle(q.x, q.y - middle, nail.half_width, half_length, 0.7 * nail.half_width);
  const double dorsal = ramp(q.z, 0.15 * nail.radius, 0.45 * nail.radius);
  // The plate stands a little above the skin and lies in a fold that fades towards its free edge.
  const double plate = -0.30 * ramp(edge, 0.2, -1.4);
  const double fold = 0.50 * bump(edge - 0.2, 1.7) * ramp(q.y, nail.to - 0.5, nail.to - 5);
  const double under_free_edge = 0.6 * bump(edge - 1.0, 1.8) * ramp(q.y, nail.to - 3, nail.to);
  return dorsal * (plate + fold + under_free_edge);
}

double HandDetails::depth(Vec3d p) const {
  double depth = 0;
  for (const FingerCrease& crease : creases_) depth += finger_crease(crease, p);
  for (const Nail& n : nails_) depth += nail(n, p);
  if (p.z < -2 && p.y < 92) {
    double deepest = 0;
    for (const PalmLine& line : lines_) {
      if (!line.is_near(p, line.half_width)) continue;
      const OnLine at = nearest_on(line.points, p.x, p.y);
      if (at.distance >= line.half_width) continue;
      const double fade = ramp(at.fraction, 0, 0.15) * ramp(at.fraction, 1, 0.8);
      const double d = line.depth * bump(at.distance, line.half_width) * fade;
      deepest += d * (1 - deepest / line.depth);  // where lines cross they do not add up
    }
    depth += deepest * ramp(p.z, -2, -7);
  }
  return depth;
}

double HandDetails::relative_edge(Vec3d p) const {
  double edge = 1.15;
  for (std::size_t i = 0; i < proximal_.size(); ++i) {
    const Vec3d q = proximal_[i].local(p), tip = distal_[i].local(p);
    const double beside = std::hypot(tip.x, tip.z);
    if (std::hypot(q.x, q.z) > 30 && beside > 20) continue;
    // From the knuckle to the tip edges shrink; the other digits are farther away than a digit is thick.
    const double near_axis = std::max(ramp(beside, 20, 12), ramp(std::hypot(q.x, q.z), 22, 13) * ramp(q.y, 70, 50));
    const double along = ramp(q.y, 0, proximal_[i].length);
    const double at_tip = ramp(tip.y, -4, 6);
    edge = std::min(edge, 1.15 - near_axis * (0.20 * along + 0.35 * at_tip));
  }
  for (const FingerCrease& c : creases_) {
    if (!c.is_near(p, 6)) continue;
    const Vec3d q = c.bone.local(p);
    if (std::hypot(q.x, q.z) < c.reach && q.z < 0) edge *= 1 - 0.35 * bump(q.y - c.at, 6);
  }
  if (p.z < -2 && p.y < 92) {
    double nearest = 1e9;
    for (const PalmLine& line : lines_) {
      if (line.is_near(p, 6)) nearest = std::min(nearest, nearest_on(line.points, p.x, p.y).distance);
    }
    edge *= 1 - 0.4 * bump(nearest, 6) * ramp(p.z, -2, -7);
  }
  return edge;
}

}  // namespace supple::make
