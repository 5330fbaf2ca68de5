#include "supple/deform/field/state.h"

#include "supple/deform/field/shape.h"
#include "supple/deform/field/star.h"

namespace supple {
namespace {

void put(Vec3d v, float* out) {
  for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(v[k]);
}
void put_rows(const Mat3d& m, float* out) {
  const Mat3d rows = transpose(m);
  for (std::size_t k = 0; k < 3; ++k) put(rows[k], out + 3 * k);
}
void put(const Affined& a, field_kernel::Frame& out) {
  put_rows(a.linear, out.linear);
  put(a.translation, out.shift);
}

field_kernel::ShapeKind kernel_kind(FieldShape::Kind kind) {
  switch (kind) {
    case FieldShape::Kind::segment:
      return field_kernel::segment;
    case FieldShape::Kind::ellipsoid:
      return field_kernel::ellipsoid;
    case FieldShape::Kind::star:
      return field_kernel::star;
    default:
      return field_kernel::grid;
  }
}

}  // namespace

FieldState::FieldState(const FieldTable& table) : path_(table) {
  constexpr std::size_t most = 2 * FieldPath::max_steps + 1;
  shapes_.resize(most * table.shapes.size());
  motions_.resize(most * table.parents.size());
  joints_.resize(most * table.parents.size());
  touches_.resize(most * table.contacts.size());
  moments_.resize(most);
  sizes_.resize(FieldPath::max_steps);
  for (const std::vector<float>& star : table.stars) {
    std::vector<float>& numbers = stars_.emplace_back();
    for (std::size_t k = 0; k < star.size(); ++k) {
      const Vec3f d(star_directions()[k]);
      numbers.insert(numbers.end(), {d.x, d.y, d.z, star[k]});
    }
  }
  for (const WeightGrid& g : table.grids) {
    field_kernel::Grid& grid = grids_.emplace_back();
    put(g.origin, grid.origin);
    grid.inverse_spacing = static_cast<float>(1 / g.spacing);
    for (std::size_t k = 0; k < 3; ++k) {
      grid.size[k] = g.size[k];
      grid.cubes[k] = g.cubes()[k];
    }
    grid.values = g.values.data();
    grid.felt = g.felt.data();
  }
  for (const FieldShape& s : table.shapes) {
    const bool endless = s.kind == FieldShape::Kind::segment;
    const ShapeBounds ball = endless ? ShapeBounds{s.a, 0} : shape_bounds(table, s);
    radii_.push_back(ball.radius);
    centers_.push_back(ball.center);
  }
}

void FieldState::set_moment(const FieldTable& table, std::size_t i) {
  const FieldMoment& moment = path_.moment(i);
  field_kernel::Shape* shapes = &shapes_[i * table.shapes.size()];
  field_kernel::Motion* motions = &motions_[i * table.parents.size()];
  field_kernel::Frame* joints = &joints_[i * table.parents.size()];
  for (std::size_t j = 0; j < moment.joints.size(); ++j) put(moment.joints[j], joints[j]);
  for (std::size_t k = 0; k < table.shapes.size(); ++k) {
    const FieldShape& s = table.shapes[k];
    const Affined& joint = moment.joints[s.joint];
    field_kernel::Shape& out = shapes[k];
    out = {};
    out.kind = kernel_kind(s.kind);
    out.bone = s.bone ? 1 : 0;
    out.rank = table.rank[s.joint];
    out.joint = s.joint;
    out.end = table.end[s.joint];
    out.weight = static_cast<float>(s.weight);
    out.falloff = static_cast<float>(s.falloff);
    out.radius = static_cast<float>(radii_[k]);
    put(joint.point(centers_[k]), out.a);
    const Mat3d back = transpose(joint.linear);
    switch (s.kind) {
      case FieldShape::Kind::segment: {
        const Vec3d ab = joint.vector(s.b - s.a);
        put(ab, out.ab);
        const double squared = squared_length(ab);
        out.inverse_length2 = squared > 0 ? static_cast<float>(1 / squared) : 0;
        const Vec3d bone = joint.vector(s.bone_b - s.bone_a);
        put(joint.point(s.bone_a), out.whole);
        put(normalized(bone), out.along);
        out.bone_length = static_cast<float>(length(bone));
        out.cut[0] = static_cast<float>(s.cut_a);
        out.cut[1] = static_cast<float>(s.cut_b);
        break;
      }
      case FieldShape::Kind::grid:
        put_rows(back, out.to_unit);
        put(-(back * joint.translation), out.shift);
        out.painted = &grids_[s.number];
        break;
      case FieldShape::Kind::star:
        out.numbers = stars_[s.number].data();
        [[fallthrough]];
      case FieldShape::Kind::ellipsoid:
        put_rows(s.to_unit * back, out.to_unit);
    }
  }
  for (std::size_t k = 0; k < moment.motions.size(); ++k) {
    const JointMotion& m = moment.motions[k];
    field_kernel::Motion& out = motions[k];
    out.rank = table.rank[m.joint];
    out.end = table.end[m.joint];
    put(m.axis, out.axis);
    put(m.center, out.center);
    put(m.shift, out.shift);
    out.rate = static_cast<float>(m.rate);
    out.alpha = static_cast<float>(m.alpha);
    out.beta = static_cast<float>(m.beta);
  }
  field_kernel::Touch* touches = touches_.data() + i * table.contacts.size();
  for (std::size_t k = 0; k < table.contacts.size(); ++k) {
    const LimbContact& c = table.contacts[k];
    const Affined& joint = moment.joints[c.joint];
    const Mat3d back = transpose(joint.linear);
    touches[k].rank = table.rank[c.joint];
    touches[k].joint = c.joint;
    const WeightGrid& grid = table.grids[c.grid];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      touches[k].half[axis] = static_cast<float>(grid.size[axis] * grid.spacing / 2);
      touches[k].center[axis] = static_cast<float>(grid.origin[axis]) + touches[k].half[axis];
    }
    put_rows(back, touches[k].to_rest);
    put(-(back * joint.translation), touches[k].shift);
    touches[k].painted = &grids_[c.grid];
  }
  moments_[i] = {shapes,
                 motions,
                 touches,
                 joints,
                 table.contacts.empty(),
                 static_cast<std::uint32_t>(moment.motions.size()),
                 table.relative};
}

void FieldState::set(const FieldTable& table, std::span<const Affinef> world, std::size_t steps) {
  path_.set(table, world, steps);
  for (std::size_t i = 0; i <= 2 * path_.steps(); ++i) set_moment(table, i);
  for (std::size_t k = 0; k < path_.steps(); ++k) sizes_[k] = static_cast<float>(path_.size_of_step(k));
  kernel_path_.moments = moments_.data();
  kernel_path_.sizes = sizes_.data();
  kernel_path_.steps = static_cast<std::uint32_t>(path_.steps());
  kernel_path_.farthest = static_cast<float>(std::min(table.farthest, 1e18));  // its square is a float
  put(path_.after(), kernel_path_.after);
}

}  // namespace supple
