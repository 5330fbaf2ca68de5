#include "supple/deform/field/build.h"

#include <algorithm>
#include <cmath>

#include "supple/base/transform.h"
#include "supple/deform/field/painted.h"
#include "supple/deform/field/shape.h"
#include "supple/deform/field/thinness.h"
#include "supple/geometry/bvh.h"

namespace supple {
namespace {

/// Numbers of a painted grid per depth of the flesh.
constexpr double grid_density = 3;
/// Depths of flesh outside the skin where it still counts as a limb's own, where limbs do not push.
constexpr double close_by = 0.3;
/// Blocks number shapes by 16 bits.
constexpr std::size_t most_shapes = 65000;
/// Weight of the automatic field where primitives leave gaps: next to theirs it hardly counts.
constexpr double faint = 1e-3;

/// Depth-first numbers: a subtree is an interval of them.
void number_subtrees(const Skeleton& skeleton, FieldTable& table) {
  const std::size_t n = skeleton.size();
  std::vector<std::uint32_t> size(n, 1);
  for (std::size_t j = n; j-- > 0;)
    if (table.parents[j] != no_joint) size[table.parents[j]] += size[j];
  table.rank.resize(n);
  table.end.resize(n);
  std::vector<std::uint32_t> next(n + 1);  // free rank below each joint; the last entry is for roots
  for (std::size_t j = 0; j < n; ++j) {
    std::uint32_t& place = next[table.parents[j] == no_joint ? n : table.parents[j]];
    table.rank[j] = place;
    table.end[j] = place + size[j];
    place += size[j];
    next[j] = table.rank[j] + 1;
  }
}

Affined without_scale(const Affinef& world) { return {unscaled_axes(Mat3d(world.linear)), Vec3d(world.translation)}; }

/// Joints that weights hang on: limbs, and what tissue was placed on.
std::vector<JointIndex> weighted_joints(std::span<const Limb> limbs, const DeformationField& field) {
  std::vector<JointIndex> joints;
  for (const Limb& limb : limbs) joints.push_back(limb.joint);
  if (field.source == FieldSource::primitives)
    for (const TissuePrimitive& p : field.primitives) joints.push_back(p.joint);
  return joints;
}

FieldTable skeleton_table(const Character& c, const FleshBody& body, std::span<const Limb> limbs,
                          std::span<const JointIndex> weighted) {
  FieldTable table;
  const Skeleton& skeleton = c.skeleton;
  table.parents.assign(skeleton.parents().begin(), skeleton.parents().end());
  for (const Affinef& world : body.world) table.rest.push_back(without_scale(world));
  number_subtrees(skeleton, table);
  table.bones.resize(skeleton.size());
  for (const Limb& limb : limbs) {
    Vec3d along{};
    for (const BoneSegment& s : limb.segments) along += s.b - s.a;
    table.bones[limb.joint] = normalized(along);
  }
  table.volume.resize(skeleton.size());
  table.carries.resize(skeleton.size());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const auto below = [&](JointIndex other) { return table.in_subtree(j, other); };
    table.carries[j] = std::any_of(weighted.begin(), weighted.end(), below);
    const bool all = std::all_of(weighted.begin(), weighted.end(), below);
    if (all) table.common = j;  // joints come after their parents: the last is the lowest
  }
  return table;
}

/// A bone cut off at joints, so that the weights of both sides meet there as equals. `depth`: of the flesh, metres.
FieldShape segment_shape(const Limb& limb, const BoneSegment& s, const DeformationField& field, double depth,
                         double weight) {
  FieldShape shape;
  shape.joint = limb.joint;
  shape.weight = weight;
  shape.falloff = 1 / (double{field.spread} * depth * depth);
  const double cut = double{field.shortening} * depth;
  shape.bone_a = s.a;
  shape.bone_b = s.b;
  shape.cut_a = s.cut_a ? cut : 0.0;
  shape.cut_b = s.cut_b ? cut : 0.0;
  const CutBone left = cut_bone(shape, 1);
  shape.a = left.a;
  shape.b = left.b;
  return shape;
}

void add_segments(std::span<const Limb> limbs, const DeformationField& field, double weight, FieldTable& table) {
  for (std::size_t i = 0; i < limbs.size(); ++i)
    for (const BoneSegment& s : limbs[i].segments)
      table.shapes.push_back(segment_shape(limbs[i], s, field, table.depths[i], weight));
}

void add_primitives(const DeformationField& field, FieldTable& table) {
  for (const TissuePrimitive& p : field.primitives) {
    const Affined& frame = table.rest[p.joint];
    FieldShape shape;
    shape.kind = p.star.empty() ? FieldShape::Kind::ellipsoid : FieldShape::Kind::star;
    shape.bone = p.kind == TissueKind::bone;
    shape.joint = p.joint;
    shape.weight = double{p.weight};
    shape.a = frame.point(Vec3d(p.center));
    const Vec3d r(p.radii);
    shape.to_unit =
        Mat3d::diagonal({1 / r.x, 1 / r.y, 1 / r.z}) * transpose(frame.linear * to_matrix(Quatd(p.orientation)));
    if (!p.star.empty()) {
      shape.number = static_cast<std::uint32_t>(table.stars.size());
      table.stars.push_back(p.star);
    }
    table.shapes.push_back(shape);
  }
}

/// Limbs that hang on each other without another between them.
void find_neighbours(std::span<const Limb> limbs, FieldTable& table) {
  for (const Limb& limb : limbs) {
    table.limbs.push_back(limb.joint);
    table.neighbours.push_back({static_cast<std::uint32_t>(table.neighbours.size())});
  }
  for (std::uint32_t i = 0; i < limbs.size(); ++i) {
    JointIndex j = table.parents[limbs[i].joint];
    while (j != no_joint && table.limb_of(j) == no_limb) j = table.parents[j];
    if (j == no_joint) continue;
    const std::uint32_t above = table.limb_of(j);
    table.neighbours[i].push_back(above);
    table.neighbours[above].push_back(i);
  }
  for (const std::vector<std::uint32_t>& near : table.neighbours) {
    double& depth = table.depths.emplace_back(0);
    for (const std::uint32_t k : near) depth = std::max(depth, limbs[k].radius);
  }
}

void add_contacts(const Character& c, const FleshBody& body, std::span<const Triangle> flowing, const Bvh& surface,
                  std::span<const Limb> limbs, const DeformationField& field, FieldTable& table) {
  for (const Limb& limb : limbs) {
    table.contacts.push_back({limb.joint, static_cast<std::uint32_t>(table.grids.size())});
    table.grids.push_back(paint_grid(body.positions, flowing, surface, weights_of_joint(c, body, limb.joint),
                                     (field.contact > 0 ? double{field.contact} : close_by) * limb.radius,
                                     limb.thinnest / grid_density));
  }
}

void add_painted(const Character& c, const FleshBody& body, std::span<const Triangle> flowing, const Bvh& surface,
                 std::span<const Limb> limbs, const DeformationField& field, FieldTable& table) {
  for (const Limb& limb : limbs) {
    FieldShape shape;
    shape.kind = FieldShape::Kind::grid;
    shape.joint = limb.joint;
    shape.number = static_cast<std::uint32_t>(table.grids.size());
    table.grids.push_back(paint_grid(body.positions, flowing, surface, weights_of_joint(c, body, limb.joint),
                                     double{field.reach} * limb.radius, limb.thinnest / grid_density));
    table.shapes.push_back(shape);
  }
}

/// The surface that flows.
Bvh flowing_surface(const Character& c, const FleshBody& body, std::vector<Triangle>& triangles) {
  const std::vector<bool> flows = flowing_parts(c);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    if (!flows[p]) continue;
    const std::uint32_t first = body.first[p];
    for (const Triangle& t : c.parts[p].mesh.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return Bvh(body.positions, triangles);
}

std::vector<std::uint32_t> uncovered(const Character& c, const FleshBody& body, const FieldTable& table) {
  std::vector<std::uint32_t> vertices;
  const std::vector<bool> flows = flowing_parts(c);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    for (std::uint32_t i = 0; flows[p] && i < c.parts[p].mesh.positions.size(); ++i) {
      const std::uint32_t v = body.first[p] + i;
      double sum = 0;
      for (const FieldShape& s : table.shapes) sum += shape_value(table, s, Vec3d(body.positions[v])).value;
      if (!(sum > 0)) vertices.push_back(v);
    }
  }
  return vertices;
}

std::string describe(const Character& c, const FleshBody& body, std::span<const std::uint32_t> vertices) {
  std::string text = std::to_string(vertices.size()) + " vertices lie outside all tissue (";
  for (std::size_t i = 0; i < std::min<std::size_t>(vertices.size(), 5); ++i) {
    std::size_t part = 0;
    for (std::size_t p = 0; p < body.first.size(); ++p)
      if (c.parts[p].skin && body.first[p] <= vertices[i]) part = p;
    const Vec3f at = body.positions[vertices[i]];
    text += (i > 0 ? "; " : "") + std::string("'") + c.parts[part].name + "' " +
            std::to_string(vertices[i] - body.first[part]) + " at " + std::to_string(at.x) + " " +
            std::to_string(at.y) + " " + std::to_string(at.z);
  }
  return text + (vertices.size() > 5 ? "; ...)" : ")") + ": the automatic field moves them";
}

}  // namespace

std::vector<std::uint32_t> uncovered_vertices(const Character& character, const FleshBody& body,
                                              const DeformationField& field) {
  FieldTable table;
  for (const Affinef& world : body.world) table.rest.push_back(without_scale(world));
  add_primitives(field, table);
  return uncovered(character, body, table);
}

Result<FieldTable> build_field(const Character& character, const FleshBody& body, const DeformationField& field,
                               Warnings* warnings) {
  Kinodynamics checked;
  checked.field = field;
  if (auto ok = validate(checked, character); !ok) return ok.error();
  const auto limbs = find_limbs(character, body);
  if (!limbs) return limbs.error();
  FieldTable table = skeleton_table(character, body, *limbs, weighted_joints(*limbs, field));
  for (const VolumeCurve& curve : field.volume) table.volume[curve.joint] = curve.keys;
  table.integrator = field.integrator;
  table.step = double{field.step};
  table.farthest = std::max(double{bounds(body.positions).diagonal()}, 1e-6);
  std::vector<Triangle> flowing;
  const Bvh surface = flowing_surface(character, body, flowing);
  find_neighbours(*limbs, table);
  table.pushes = field.contact > 0 && !field.everywhere;
  if (!field.everywhere) add_contacts(character, body, flowing, surface, *limbs, field, table);
  switch (field.source) {
    case FieldSource::automatic:
      add_segments(*limbs, field, 1, table);
      table.relative = true;
      table.thinness = thinness_of_skin(body, *limbs, table.depths);
      break;
    case FieldSource::painted:
      add_painted(character, body, flowing, surface, *limbs, field, table);
      break;
    case FieldSource::primitives: {
      add_primitives(field, table);
      const std::vector<std::uint32_t> bare = uncovered(character, body, table);
      if (bare.empty()) break;
      if (warnings != nullptr) warnings->push_back(describe(character, body, bare));
      add_segments(*limbs, field, faint, table);
    }
  }
  if (table.shapes.size() > most_shapes)
    return Error{"field", "has " + std::to_string(table.shapes.size()) + " pieces of tissue or bone",
                 "65000 are enough"};
  std::stable_sort(table.shapes.begin(), table.shapes.end(),
                   [](const FieldShape& a, const FieldShape& b) { return a.joint < b.joint; });
  return table;
}

}  // namespace supple
