#include "supple/phantom/bone_flesh.h"

#include <algorithm>
#include <cmath>

#include "supple/make/sdf.h"

namespace supple::phantom {
namespace {

using make::Digit;
using make::Segment;

// Millimetres; of the procedural hand where it says so.
constexpr double skin_end = -38, bone_end = -33;  // procedural: the flat end of the forearm
constexpr double cover = 2.2;                     // of skin, at least, over every bone
constexpr double cover_rounding = 5, end_rounding = 3;
constexpr double reach = 30;  // of flesh beyond the bones

Vec3d knuckle(const make::HandAnatomy& hand) { return hand.bone(Digit::middle, Segment::proximal).head; }

make::HandAnatomy scaled(make::HandAnatomy hand, double scale) {
  for (make::AnatomicalBone& bone : hand.bones) {
    if (bone.kind == make::BoneKind::forearm) continue;  // is the procedural one's
    bone.head = bone.head * scale;
    bone.length *= scale;
  }
  return hand;
}

double outside(const Box& box, Vec3d p) {
  const Vec3d d = max(max(Vec3d(box.low) - p, p - Vec3d(box.high)), Vec3d{});
  return length(d);
}

}  // namespace

SurfaceDistance::SurfaceDistance(std::span<const Mesh> pieces) {
  for (const Mesh& mesh : pieces) {
    pieces_.push_back(std::make_shared<Bvh>(mesh.positions, mesh.triangles));
    boxes_.push_back(bounds(mesh.positions));
    const Vec3d l(boxes_.back().low), h(boxes_.back().high);
    low_ = boxes_.size() == 1 ? l : min(low_, l);
    high_ = boxes_.size() == 1 ? h : max(high_, h);
  }
}

double SurfaceDistance::operator()(Vec3d p) const { return below(p, std::numeric_limits<double>::infinity()); }

double SurfaceDistance::below(Vec3d p, double bound) const {
  double least = bound;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const double to_box = outside(boxes_[i], p);
    if (to_box >= least) continue;
    // Outside of its box a point is outside the bone.
    const bool inside = to_box == 0 && pieces_[i]->inside(Vec3f(p));
    const double d = double{pieces_[i]->closest(Vec3f(p)).distance};
    least = std::min(least, inside ? -d : d);
  }
  return least;
}

BoneFlesh::BoneFlesh(const MeasuredHand& hand)
    : scale_(length(knuckle(make::hand_anatomy())) / length(knuckle(hand.anatomy))),
      shape_(scaled(hand.anatomy, scale_)) {
  for (const std::vector<Mesh>& pieces : hand.pieces) {
    bones_.emplace_back(pieces);
    low_ = bones_.size() == 1 ? bones_.back().low() : min(low_, bones_.back().low());
    high_ = bones_.size() == 1 ? bones_.back().high() : max(high_, bones_.back().high());
  }
  low_ -= Vec3d{reach, reach, reach};
  high_ += Vec3d{reach, reach, reach};
  low_.y = skin_end / scale_ - 5;
}

double BoneFlesh::bones_end() const { return bone_end / scale_; }

double BoneFlesh::operator()(Vec3d p) const {
  double value = shape_(p * scale_) / scale_;
  for (const SurfaceDistance& bone : bones_) {
    const double bound = value + cover + cover_rounding;
    const double d = bone.below(p, bound);
    if (d < bound) value = make::smooth_min(value, d - cover, cover_rounding);
  }
  return make::smooth_max(value, skin_end / scale_ - p.y, end_rounding);
}

Vec3d BoneFlesh::gradient(Vec3d p, double h) const {
  const BoneFlesh& f = *this;
  const double a = f({p.x + h, p.y + h, p.z + h}), b = f({p.x + h, p.y - h, p.z - h});
  const double c = f({p.x - h, p.y + h, p.z - h}), d = f({p.x - h, p.y - h, p.z + h});
  return Vec3d{a + b - c - d, a - b + c - d, a - b - c + d} / (4 * h);
}

Vec3d BoneFlesh::project(Vec3d p) const {
  constexpr double close_enough = 1e-3, step = 0.05, least_slope = 0.25;
  for (int i = 0; i < 3; ++i) {
    const double value = (*this)(p);
    if (std::abs(value) < close_enough) break;
    const Vec3d g = gradient(p, step);
    p -= g * (value / std::max(squared_length(g), least_slope));
  }
  return p;
}

}  // namespace supple::phantom
