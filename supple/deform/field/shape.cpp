#include "supple/deform/field/shape.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/field/star.h"

namespace supple {
namespace {

/// Equation 8 from the square of d, and what its gradient is a multiple of: df/d(d^2).
struct Falloff {
  double value = 0, slope = 0;
};
Falloff soft_falloff(double d2) {
  if (d2 >= 1) return {};
  const double rest = 1 - d2;
  return {rest * rest, -2 * rest};
}

double bone_falloff(double d2) {
  if (d2 <= 1) return 1;
  const double beyond = (std::sqrt(d2) - 1) / (bone_fade - 1);
  return soft_falloff(beyond * beyond).value;
}

ShapeValue round_value(const FieldTable& table, const FieldShape& s, Vec3d p) {
  const Vec3d unit = s.to_unit * (p - s.a);
  double d2 = squared_length(unit);
  Vec3d slope = unit * 2.0;  // of d2 by `unit`
  if (s.kind == FieldShape::Kind::star) {
    const StarRadius star = star_radius(table.stars[s.number], unit);
    const double squared = star.radius * star.radius;
    d2 /= squared;
    slope = slope / squared - star.log_gradient * (2 * d2);
  }
  if (s.bone) return {s.weight * bone_falloff(d2), {}};
  const Falloff f = soft_falloff(d2);
  return {s.weight * f.value, transpose(s.to_unit) * slope * (s.weight * f.slope)};
}

/// Quadratic B-spline weights of three neighbouring numbers at t in [-1/2, 1/2] from the middle one, and slopes.
struct Spline {
  double value[3], slope[3];
};
Spline spline_at(double t) {
  return {{0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)}, {t - 0.5, -2 * t, t + 0.5}};
}

}  // namespace

SegmentDistance distance_to_segment(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d ab = b - a;
  const double squared = squared_length(ab);
  const double t = squared > 0 ? std::clamp(dot(p - a, ab) / squared, 0.0, 1.0) : 0.0;
  const Vec3d away = p - a - ab * t;
  return {squared_length(away), away};
}

CutBone cut_bone(const FieldShape& s, double thinness) {
  const double size = length(s.bone_b - s.bone_a);
  double from = s.cut_a * thinness, to = size - s.cut_b * thinness;
  if (from > to) from = to = s.cut_a > 0 && s.cut_b > 0 ? size / 2 : s.cut_a > 0 ? size : 0;
  const Vec3d unit = normalized(s.bone_b - s.bone_a);
  return {s.bone_a + unit * from, s.bone_a + unit * to};
}

double segment_exponent(const FieldShape& s, Vec3d p, double thinness) {
  const CutBone left = thinness < 1 ? cut_bone(s, thinness) : CutBone{s.a, s.b};
  return s.falloff / (thinness * thinness) * distance_to_segment(p, left.a, left.b).squared;
}

ShapeValue grid_value(const WeightGrid& grid, Vec3d p) {
  const Vec3d g = (p - grid.origin) / grid.spacing;
  Spline splines[3];
  std::size_t first[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const double middle = std::floor(g[k] + 0.5);
    if (!(middle >= 1 && middle <= static_cast<double>(grid.size[k]) - 2)) return {};
    first[k] = static_cast<std::size_t>(middle) - 1;
    splines[k] = spline_at(g[k] - middle);
  }
  ShapeValue sum;
  for (std::size_t z = 0; z < 3; ++z) {
    for (std::size_t y = 0; y < 3; ++y) {
      const float* row = &grid.values[((first[2] + z) * grid.size[1] + first[1] + y) * grid.size[0] + first[0]];
      double value = 0, slope = 0;
      for (std::size_t x = 0; x < 3; ++x) {
        value += splines[0].value[x] * double{row[x]};
        slope += splines[0].slope[x] * double{row[x]};
      }
      const double wy = splines[1].value[y], wz = splines[2].value[z];
      sum.value += wy * wz * value;
      sum.gradient += Vec3d{wy * wz * slope, splines[1].slope[y] * wz * value, wy * splines[2].slope[z] * value};
    }
  }
  sum.gradient *= 1 / grid.spacing;
  return sum;
}

ShapeValue shape_value(const FieldTable& table, const FieldShape& s, Vec3d p, double lift, double thinness) {
  switch (s.kind) {
    case FieldShape::Kind::segment: {
      const CutBone left = thinness < 1 ? cut_bone(s, thinness) : CutBone{s.a, s.b};
      const double falloff = s.falloff / (thinness * thinness);
      const SegmentDistance d = distance_to_segment(p, left.a, left.b);
      const double value = s.weight * std::exp(lift - falloff * d.squared);
      return {value, d.away * (-2 * falloff * value)};
    }
    case FieldShape::Kind::grid: {
      const ShapeValue v = grid_value(table.grids[s.number], p);
      return {s.weight * v.value, v.gradient * s.weight};
    }
    default:
      return round_value(table, s, p);
  }
}

ShapeBounds shape_bounds(const FieldTable& table, const FieldShape& s) {
  if (s.kind == FieldShape::Kind::grid) {
    const WeightGrid& g = table.grids[s.number];
    const Vec3d extent =
        Vec3d{static_cast<double>(g.size[0]), static_cast<double>(g.size[1]), static_cast<double>(g.size[2])} *
        (g.spacing / 2);
    return {g.origin + extent, length(extent)};
  }
  // The longest half axis: 1 / the smallest scale of to_unit, whose rows are orthogonal.
  const Mat3d rows = transpose(s.to_unit);
  double longest = 0;
  for (std::size_t k = 0; k < 3; ++k) longest = std::max(longest, 1 / length(rows[k]));
  if (s.bone) longest *= bone_fade;
  if (s.kind == FieldShape::Kind::star) longest *= greatest_star_radius(table.stars[s.number]);
  return {s.a, longest};
}

}  // namespace supple
