// The value of one weight shape at a point, and its gradient. The definition that faster code is compared with.
#pragma once

#include "supple/deform/field/table.h"

namespace supple {

struct ShapeValue {
  double value = 0;
  Vec3d gradient{};  // per metre, in rest space
};

/// Squared distance to the segment ab; `away` is the vector from its nearest point.
struct SegmentDistance {
  double squared = 0;
  Vec3d away{};
};
SegmentDistance distance_to_segment(Vec3d p, Vec3d a, Vec3d b);

/// What is left of a segment's bone for skin of that thinness: cuts shrink with it. Cuts that meet leave a point.
struct CutBone {
  Vec3d a{}, b{};
};
CutBone cut_bone(const FieldShape& shape, double thinness);

/// At a point of rest space. Segments are multiplied by exp(lift): where all of them are, none underflows.
/// `thinness`: of the skin that the point is of, see FieldTable; it counts for segments.
ShapeValue shape_value(const FieldTable& table, const FieldShape& shape, Vec3d p, double lift = 0, double thinness = 1);
/// Of a segment: falloff times the squared distance for such skin.
double segment_exponent(const FieldShape& shape, Vec3d p, double thinness);

/// Value and gradient of a grid; 0 beyond its rim.
ShapeValue grid_value(const WeightGrid& grid, Vec3d p);

/// The rest-space ball outside of which a shape (other than a segment) vanishes.
struct ShapeBounds {
  Vec3d center{};
  double radius = 0;
};
ShapeBounds shape_bounds(const FieldTable& table, const FieldShape& shape);

}  // namespace supple
