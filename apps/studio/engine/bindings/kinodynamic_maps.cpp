#include "bindings/kinodynamic_maps.h"

#include <algorithm>
#include <cmath>

#include "supple/deform/field/reference.h"

namespace supple::browser {
namespace {

/// Of the part's size: short beside any curvature of the flow, long beside the rounding of positions.
constexpr double difference_step = 1e-3;

double size_of(std::span<const Vec3f> points) {
  Vec3f low = points.front(), high = low;
  for (const Vec3f p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return double{length(high - low)};
}

/// Axes as long as the ellipsoid's radii.
struct Ellipsoid {
  Mat3d axes{};
  Vec3d center{};
};

Ellipsoid about(const FieldShape& shape) {
  if (shape.kind != FieldShape::Kind::segment) return {inverse(shape.to_unit), shape.a};
  const double radius = 1 / std::sqrt(shape.falloff);
  const Vec3d along = normalized(shape.b - shape.a, Vec3d{0, 1, 0}), across = any_perpendicular(along);
  const double half = length(shape.b - shape.a) / 2 + radius;
  return {{along * half, across * radius, cross(along, across) * radius}, (shape.a + shape.b) / 2.0};
}

}  // namespace

FieldMap field_map(const KinodynamicLayer& layer, std::size_t part, JointIndex joint) {
  const FieldMoment& at_rest = layer.field_state().path().moment(0);
  const std::span<const Vec3f> rest = layer.rest(part);
  FieldMap map{std::vector<float>(rest.size()), std::vector<float>(rest.size())};
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const Vec3d p(rest[v]);
    Kinship kin = kinship_at(layer.field(), p);
    if (!layer.thinness(part).empty()) kin.thinness = double{layer.thinness(part)[v]};
    for (const JointWeight& w : field_weights(layer.field(), at_rest, p, kin)) {
      if (w.joint != joint) continue;
      map.weights[v] = static_cast<float>(w.weight);
      map.gradients[v] = static_cast<float>(length(w.gradient));
    }
  }
  return map;
}

/// Blocks stay together: points beside a vertex are followed in the frame of its own limb, whose error of steps is no
/// slope then.
void VolumeMap::flow(const KinodynamicLayer& layer, PartBlocks& part, std::size_t axis, float step,
                     std::span<Vec3f> positions) {
  for (std::size_t b = 0; b < part.rest.blocks.size(); ++b) {
    field_kernel::Block& block = part.moved.blocks[b];
    block = part.rest.blocks[b];
    for (float& x : block.x[axis]) x += step;
  }
  FieldJob{&layer.field(), &part.moved, &layer.field_state(), positions, 1}.run();
}

std::span<const float> VolumeMap::determinants(const KinodynamicLayer& layer, std::size_t number) {
  const std::span<const Vec3f> rest = layer.rest(number);
  if (rest.empty()) return {};
  if (parts_.size() <= number) parts_.resize(number + 1);
  if (!parts_[number]) {
    FieldBlocks blocks = make_blocks(layer.field(), rest, layer.thinness(number));
    parts_[number] = {blocks, blocks, difference_step * size_of(rest)};
  }
  PartBlocks& part = *parts_[number];
  ahead_.resize(rest.size());
  behind_.resize(rest.size());
  slopes_.resize(rest.size());
  determinants_.resize(rest.size());
  const auto step = static_cast<float>(part.step);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    flow(layer, part, axis, step, ahead_);
    flow(layer, part, axis, -step, behind_);
    for (std::size_t v = 0; v < rest.size(); ++v) slopes_[v][axis] = (ahead_[v] - behind_[v]) / (2 * step);
  }
  for (std::size_t v = 0; v < rest.size(); ++v) determinants_[v] = determinant(slopes_[v]);
  return determinants_;
}

std::vector<TissueEllipsoid> tissue(const KinodynamicLayer& layer, std::span<const Affinef> world) {
  std::vector<TissueEllipsoid> result;
  for (const FieldShape& shape : layer.field().shapes) {
    if (shape.kind == FieldShape::Kind::grid) continue;
    const Ellipsoid ellipsoid = about(shape);
    const MuscleFrame limb = muscle_frame(shape.joint, {}, Mat3d{}, world);
    const Affined carried = Affined{limb.axes, limb.origin} * inverse(layer.field().rest[shape.joint]);
    const Mat3d axes = carried.linear * ellipsoid.axes;
    const Vec3d columns[] = {axes.c0, axes.c1, axes.c2, carried.point(ellipsoid.center)};
    TissueEllipsoid& out = result.emplace_back();
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t row = 0; row < 3; ++row) out.to_world[4 * c + row] = static_cast<float>(columns[c][row]);
      out.to_world[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
    out.joint = static_cast<float>(shape.joint);
    out.bone = shape.bone ? 1.0f : 0.0f;
  }
  return result;
}

}  // namespace supple::browser
