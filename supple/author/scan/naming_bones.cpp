// From named pieces to bones with joints: surfaces put together, axes turned with the bone, ends that face each other.
#include <algorithm>
#include <limits>
#include <numeric>

#include "supple/author/scan/naming.h"
#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_match.h"
#include "supple/base/decompose.h"
#include "supple/base/parallel.h"
#include "supple/base/transform.h"
#include "supple/geometry/bvh.h"

namespace supple::scan {
namespace {

// The part of a bone that faces its parent: this share of its vertices, and no fewer.
constexpr std::size_t facing_share = 30, fewest_facing = 15;

Vec3d facing_point(const Mesh& bone, const Mesh& parent) {
  const Bvh surface(parent.positions, parent.triangles);
  std::vector<ClosestPoint> closest(bone.positions.size());
  parallel_for(closest.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) closest[v] = surface.closest(bone.positions[v]);
  });
  std::vector<std::uint32_t> order(closest.size());
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t count = std::min(std::max(fewest_facing, order.size() / facing_share), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return closest[a].distance != closest[b].distance ? closest[a].distance < closest[b].distance
                                                                        : a < b;
                    });
  Vec3d sum{};
  for (std::size_t i = 0; i < count; ++i) {
    sum += (Vec3d(bone.positions[order[i]]) + Vec3d(closest[order[i]].point)) * 0.5;
  }
  return count > 0 ? sum / static_cast<double>(count) : sum;
}

/// The middle of the end with which a short bone, such as the capitate, looks to its parent's parent: it turns about
/// its head, and other bones lie between.
Vec3d facing_head(const Mesh& bone, const Mesh& parent) {
  constexpr float head_reach = 0.010f;  // metres from the point that is nearest
  const Bvh surface(parent.positions, parent.triangles);
  Vec3f nearest{};
  float least = std::numeric_limits<float>::infinity();
  for (const Vec3f& p : bone.positions) {
    const float distance = surface.closest(p, least).distance;
    if (distance < least) least = distance, nearest = p;
  }
  Vec3d sum{};
  std::size_t count = 0;
  for (const Vec3f& p : bone.positions) {
    if (length(p - nearest) > head_reach) continue;
    sum += Vec3d(p);
    ++count;
  }
  return sum / static_cast<double>(std::max<std::size_t>(count, 1));
}

/// Vertices of a compound bone that are not of the body that leads it; none where it is one body.
std::vector<bool> apart_of(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming,
                           std::size_t bone) {
  const auto leader = std::find_if(naming.bodies.begin(), naming.bodies.end(), [&](const NamedBody& body) {
    return skeleton.bodies[body.bodies.front()].bone == bone && leads(body, skeleton);
  });
  std::vector<bool> apart;
  if (leader == naming.bodies.end()) return apart;
  for (const std::uint32_t p : naming.bones[bone].pieces) {
    const bool leading = std::find(leader->pieces.begin(), leader->pieces.end(), p) != leader->pieces.end();
    apart.insert(apart.end(), parts[p].surface.positions.size(), !leading);
  }
  return apart;
}

/// Bones that hang together move as the freest of them does.
TemplateBody::Motion motion_of(const NamedBody& body, const BoneTemplate& skeleton) {
  TemplateBody::Motion freest = TemplateBody::Motion::leads;
  for (const std::uint32_t i : body.bodies) freest = std::max(freest, skeleton.bodies[i].motion);
  return freest;
}

}  // namespace

std::vector<ScanBone> scan_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming) {
  std::vector<ScanBone> bones;
  std::vector<Mat3d> turns;
  const Mat3d upright = polar(naming.to_scan.linear).rotation;
  for (std::size_t b = 0; b < skeleton.bones.size(); ++b) {
    const TemplateBone& source = skeleton.bones[b];
    BonePart whole = put_together(parts, naming.bones[b].pieces);
    const bool root = source.parent == TemplateBone::none;
    ScanBone bone;
    bone.name = source.joint;
    bone.parent = source.parent;
    bone.slides = source.slides;
    bone.dofs = source.dofs;
    Mat3d turn = root ? upright : turns[source.parent];
    bone.tail = naming.to_scan.point(source.tail);
    if (!source.compound) {
      const PieceShape shape = shape_of(whole);
      const bool forward = dot(shape.axis, turn * (source.tail - source.head)) >= 0;
      const Vec3d head = shape.ends[forward ? 0 : 1];
      bone.tail = shape.ends[forward ? 1 : 0];
      const Bend bend = bend_towards(source, turn, normalized(bone.tail - head, turn * (source.tail - source.head)));
      turn = bend.turn;
      for (Dof& dof : bone.dofs) {
        const auto bent = static_cast<float>(dot(bend.radians, Vec3d(dof.axis)));
        dof.min -= bent;
        dof.max -= bent;
      }
    }
    turns.push_back(turn);
    bone.axes = turn * source.axes;
    bone.surface = std::move(whole.surface);
    bone.touches = std::move(whole.touches);
    if (source.compound) bone.apart = apart_of(parts, skeleton, naming, b);
    if (root)
      bone.facing = naming.to_scan.point(source.head);
    else if (!bone.apart.empty())
      bone.facing = facing_head(without_apart(bone).surface, without_apart(bones[source.parent]).surface);
    else
      bone.facing = facing_point(bone.surface, bones[source.parent].surface);
    bones.push_back(std::move(bone));
  }
  return bones;
}

ScanBone without_apart(const ScanBone& bone) {
  ScanBone result = bone;
  if (std::find(bone.apart.begin(), bone.apart.end(), true) == bone.apart.end()) return result;
  Mesh& mesh = result.surface;
  mesh = {};
  result.touches.clear();
  result.apart.clear();
  std::vector<std::uint32_t> place(bone.apart.size(), 0);
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (bone.apart[v]) continue;
    place[v] = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(bone.surface.positions[v]);
    if (!bone.surface.normals.empty()) mesh.normals.push_back(bone.surface.normals[v]);
    if (!bone.touches.empty()) result.touches.push_back(bone.touches[v]);
  }
  for (const auto& [a, b, c] : bone.surface.triangles)
    if (!bone.apart[a]) mesh.triangles.push_back({place[a], place[b], place[c]});
  return result;
}

std::vector<ScanBone> scan_bodies(std::span<const BonePart> parts, const BoneTemplate& skeleton, const Naming& naming,
                                  std::span<const ScanBone> bones) {
  std::vector<ScanBone> bodies;
  const NamedBody* leader = nullptr;  // comes before those that it leads
  for (const NamedBody& named : naming.bodies) {
    if (leads(named, skeleton)) {
      leader = &named;
      continue;
    }
    if (leader == nullptr) continue;
    const std::uint32_t owner = skeleton.bodies[named.bodies.front()].bone;
    BonePart whole = put_together(parts, named.pieces);
    ScanBone body;
    body.name = body_name(named, skeleton);
    body.parent = owner;
    body.motion = motion_of(named, skeleton);
    body.slides = body.motion == TemplateBody::Motion::between;
    body.axes = bones[owner].axes;
    const PieceShape shape = shape_of(whole);
    body.tail = shape.centre;
    body.facing = facing_point(whole.surface, put_together(parts, leader->pieces).surface);
    if (body.motion == TemplateBody::Motion::turns) {
      // About its own length, through the end that lies towards the hand.
      const Vec3d distal = -(bones[owner].axes.c2);
      const bool forward = dot(shape.axis, distal) >= 0;
      body.facing = shape.ends[forward ? 1 : 0];
      body.tail = shape.ends[forward ? 0 : 1];
      const Vec3d axis = transpose(body.axes) * (forward ? shape.axis : -shape.axis);
      constexpr float most = 1.75f;  // radians: from one end of pronation to the other and a little more
      body.dofs = {{"pronation", Vec3f(axis), -most, most}};
    }
    body.surface = std::move(whole.surface);
    body.touches = std::move(whole.touches);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

std::vector<BoneTemplate::End> scan_ends(std::span<const ScanBone> bones, const BoneTemplate& skeleton,
                                         const Naming& naming) {
  std::vector<BoneTemplate::End> ends = skeleton.ends;
  const double scale = std::cbrt(std::abs(determinant(naming.to_scan.linear)));
  for (BoneTemplate::End& end : ends) {
    const double beyond = length(end.at - skeleton.bones[end.parent].tail);
    end.at = bones[end.parent].tail - bones[end.parent].axes.c2 * (beyond * scale);
  }
  return ends;
}

}  // namespace supple::scan
