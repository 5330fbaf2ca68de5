// MyoSim's finger joints beside a hand of real bones: bones of other people, laid over ours with their axes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "phantom/real_bones.h"
#include "supple/base/decompose.h"
#include "supple/base/transform.h"
#include "supple/geometry/bvh.h"
#include "supple/phantom/bone_anatomy.h"

namespace supple::test {

struct Similarity {
  Mat3d rotation{};
  double scale = 1;
  Vec3d shift{};
  Vec3d point(Vec3d p) const { return rotation * p * scale + shift; }
};

inline Vec3d mean(const std::vector<Vec3d>& points) {
  Vec3d sum{};
  for (const Vec3d p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

// Rotation, scale and shift that bring `from` nearest to `to` (Umeyama 1991).
inline Similarity nearest(const std::vector<Vec3d>& from, const std::vector<Vec3d>& to) {
  const Vec3d a = mean(from), b = mean(to);
  Mat3d moment = Mat3d::diagonal({});
  double spread = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    moment = moment + outer(to[i] - b, from[i] - a);
    spread += squared_length(from[i] - a);
  }
  Similarity s;
  const Polar<double> parts = polar(moment);
  s.rotation = parts.rotation;
  s.scale = (parts.stretch.c0.x + parts.stretch.c1.y + parts.stretch.c2.z) / spread;
  s.shift = b - s.rotation * a * s.scale;
  return s;
}

inline Vec3d principal(const std::vector<Vec3d>& points, Vec3d without, Vec3d guess) {
  const Vec3d centre = mean(points);
  Mat3d spread = Mat3d::diagonal({});
  for (const Vec3d p : points) {
    const Vec3d d = p - centre - without * dot(p - centre, without);
    spread = spread + outer(d, d);
  }
  Vec3d axis = guess;
  for (int i = 0; i < 100; ++i) axis = normalized(spread * axis);
  return dot(axis, guess) < 0 ? -axis : axis;
}
// Columns: along the bone towards `distal`, across where it is widest, and what completes them.
inline Mat3d shape_frame(const std::vector<Vec3d>& points, Vec3d distal) {
  const Vec3d along = principal(points, {}, distal), across = principal(points, along, any_perpendicular(along));
  return {along, across, cross(along, across)};
}

struct Fit {
  Similarity map;
  double residual = std::numeric_limits<double>::infinity();  // metres
};
inline Fit lay_over(const std::vector<Vec3d>& from, Vec3d from_distal, const Mesh& to, Vec3d to_distal) {
  std::vector<Vec3d> target;
  for (const Vec3f p : to.positions) target.emplace_back(p);
  const Bvh tree(to.positions, to.triangles);
  const Mat3d source = shape_frame(from, from_distal), goal = shape_frame(target, to_distal);
  Fit best;
  for (const double sign : {1.0, -1.0}) {  // which side is the back cannot be told by moments
    Fit fit;
    fit.map.rotation = Mat3d{goal.c0, goal.c1 * sign, goal.c2 * sign} * transpose(source);
    fit.map.shift = mean(target) - fit.map.rotation * mean(from);
    for (int i = 0; i < 60; ++i) {
      std::vector<Vec3d> closest;
      double squares = 0;
      for (const Vec3d p : from) {
        const ClosestPoint c = tree.closest(Vec3f(fit.map.point(p)));
        closest.emplace_back(c.point);
        squares += double{c.distance} * double{c.distance};
      }
      fit.residual = std::sqrt(squares / static_cast<double>(from.size()));
      fit.map = nearest(from, closest);
    }
    if (fit.residual < best.residual) best = fit;
  }
  return best;
}

// Enough of them to lay a bone over another.
inline std::vector<Vec3d> thinned(const std::vector<Vec3d>& points) {
  constexpr std::size_t wanted = 400;
  std::vector<Vec3d> result;
  const std::size_t step = std::max<std::size_t>(points.size() / wanted, 1);
  for (std::size_t i = 0; i < points.size(); i += step) result.push_back(points[i]);
  return result;
}

/// One of MyoSim's flexion axes.
struct MyoSimJoint {
  const char *mesh, *joint;
  Vec3d axis;  // of myohand_body.xml, in the frame of the bone's mesh
};
// Bodies of the file are not turned against each other: distal is -y in all of them.
inline constexpr MyoSimJoint myosim_joints[] = {
    {"2proxph", "index-finger-phalanx-proximal", {0.995013, 0.09975, 0}},
    {"2midph", "index-finger-phalanx-intermediate", {0.97517, 0.0998334, -0.197677}},
    {"2distph", "index-finger-phalanx-distal", {0.995004, 0.0998334, 0}},
    {"thumbprox", "thumb-phalanx-proximal", {-0.084295, -0.203488, 0.975442}},
    {"thumbdist", "thumb-phalanx-distal", {-0.050102, -0.479623, 0.876043}},
};

/// Its axis in the model's space of the hand, at rest, with how well the bones agree.
struct LaidAxis {
  Fit fit;
  Vec3d axis{};  // unit
};
inline LaidAxis lay_axis(const MyoSimJoint& row, const phantom::MeasuredHand& hand, const std::filesystem::path& myo) {
  LaidAxis laid;
  for (std::size_t b = 0; b < hand.anatomy.bones.size(); ++b) {
    const make::AnatomicalBone& bone = hand.anatomy.bones[b];
    if (bone.joint != row.joint) continue;
    // Anatomical space mirrors a right hand; the model's does not.
    const auto in_model = [&](Vec3d p) { return make::to_model(p, hand.side); };
    Mesh ours = hand.pieces[b][0];
    for (Vec3f& p : ours.positions) p = Vec3f(in_model(Vec3d(p)));
    std::vector<Vec3d> theirs;
    for (const Vec3f p : stl_mesh(myo / (std::string(row.mesh) + ".stl"), 1).positions) theirs.emplace_back(p);
    if (theirs.size() < 100) break;
    laid.fit = lay_over(thinned(theirs), {0, -1, 0}, ours, normalized(in_model(bone.along())));
    laid.axis = normalized(laid.fit.map.rotation * row.axis);
  }
  return laid;
}

/// Between lines, degrees.
inline double degrees_apart(Vec3d a, Vec3d b) {
  return std::acos(std::min(1.0, std::abs(dot(normalized(a), normalized(b))))) * 180 / std::numbers::pi;
}

}  // namespace supple::test
