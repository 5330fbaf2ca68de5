// From named pieces to bones with joints: surfaces put together, axes turned with the bone, ends that face each other.
#include <algorithm>
#include <numeric>

#include "supple/author/scan/naming.h"
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
    bone.facing = root ? naming.to_scan.point(source.head) : facing_point(bone.surface, bones[source.parent].surface);
    bones.push_back(std::move(bone));
  }
  return bones;
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
