#include "supple/phantom/bone_anatomy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "supple/geometry/bvh.h"
#include "supple/geometry/topology.h"
#include "supple/phantom/bone_names.h"

namespace supple::phantom {
namespace {

using make::AnatomicalBone;
using make::BoneKind;
using make::Digit;
using make::Segment;

// Millimetres.
constexpr double head_reach = 10;     // from the far end of a bone: its head lies within
constexpr double facing_reach = 1.5;  // beyond the smallest distance: where two bones face each other

struct Range {
  double low = 0, high = 0;
  double middle() const { return 0.5 * (low + high); }
  double width() const { return high - low; }
};
Range extent(std::span<const Vec3d> points, Vec3d direction) {
  Range range{1e300, -1e300};
  for (const Vec3d p : points) {
    const double t = dot(p, direction);
    range.low = std::min(range.low, t), range.high = std::max(range.high, t);
  }
  return range;
}

std::vector<Vec3d> points_of(std::span<const Mesh> pieces) {
  std::vector<Vec3d> points;
  for (const Mesh& mesh : pieces)
    for (const Vec3f p : mesh.positions) points.emplace_back(p);
  return points;
}
Vec3d mean(std::span<const Vec3d> points) {
  Vec3d sum{};
  for (const Vec3d p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

// The direction of largest spread, by power iteration; on the side of `towards`.
Vec3d long_axis(std::span<const Vec3d> points, Vec3d towards) {
  const Vec3d centre = mean(points);
  Mat3d spread = Mat3d::diagonal({});
  for (const Vec3d p : points) spread = spread + outer(p - centre, p - centre);
  Vec3d axis = normalized(towards);
  constexpr int iterations = 60;
  for (int i = 0; i < iterations; ++i) axis = normalized(spread * axis);
  return dot(axis, towards) < 0 ? -axis : axis;
}

// The middle of a bone's end that is round seen from the side: as deep below its top as it is thick by half.
Vec3d centre_of_head(std::span<const Vec3d> points, Vec3d along, Vec3d dorsal) {
  const Range length = extent(points, along);
  std::vector<Vec3d> head;
  for (const Vec3d p : points) {
    if (dot(p, along) > length.high - head_reach) head.push_back(p);
  }
  const Vec3d z = normalized(dorsal - along * dot(dorsal, along)), x = cross(along, z);
  const Range thick = extent(head, z);
  return along * (length.high - 0.5 * thick.width()) + z * thick.middle() + x * extent(head, x).middle();
}

// The direction across `along` in which the far end is widest, on the side of `towards`.
Vec3d width_of_head(std::span<const Vec3d> points, Vec3d along, Vec3d towards) {
  const double end = extent(points, along).high;
  std::vector<Vec3d> head;
  for (const Vec3d p : points) {
    if (dot(p, along) > end - head_reach) head.push_back(p - along * dot(p, along));
  }
  return long_axis(head, towards - along * dot(towards, along));
}

// Middle of the part of `points` that faces the pieces.
Vec3d facing(std::span<const Vec3d> points, std::span<const Mesh> pieces) {
  std::vector<float> distance(points.size(), std::numeric_limits<float>::infinity());
  for (const Mesh& mesh : pieces) {
    const Bvh tree(mesh.positions, mesh.triangles);
    for (std::size_t i = 0; i < points.size(); ++i)
      distance[i] = std::min(distance[i], tree.closest(Vec3f(points[i]), distance[i]).distance);
  }
  const double least = double{*std::min_element(distance.begin(), distance.end())};
  std::vector<Vec3d> near;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (double{distance[i]} <= least + facing_reach) near.push_back(points[i]);
  }
  return mean(near);
}

std::size_t place(const make::HandAnatomy& hand, const BoneName& name) {
  const auto found = std::find_if(hand.bones.begin(), hand.bones.end(), [&](const AnatomicalBone& b) {
    return b.kind == name.kind && (b.kind != BoneKind::digit || (b.digit == name.digit && b.segment == name.segment));
  });
  return static_cast<std::size_t>(found - hand.bones.begin());
}

// Welded, in millimetres.
Result<Mesh> cleaned(const NamedSurface& bone) {
  const Weld welded = weld(bone.mesh.positions);
  Mesh mesh;
  for (const std::uint32_t v : welded.to_vertex) mesh.positions.push_back(bone.mesh.positions[v] * 1000.0f);
  mesh.triangles = welded_triangles(bone.mesh.triangles, welded);
  if (mesh.triangles.empty() || find_defects(mesh.positions, mesh.triangles).unbalanced_edges > 0)
    return Error{bone.name, "is not a closed surface", "mend it first"};
  return mesh;
}

struct Gathered {
  MeasuredHand hand;
  std::optional<std::size_t> capitate;  // place among the carpal pieces
};

/// The place of a bone among the pieces of the forearm or the carpus.
std::optional<std::size_t> place_of_single(const MeasuredHand& hand, std::size_t b, std::string_view name) {
  const auto found = std::find(hand.names[b].begin(), hand.names[b].end(), name);
  if (found == hand.names[b].end()) return std::nullopt;
  return static_cast<std::size_t>(found - hand.names[b].begin());
}

Result<Gathered> gather(std::span<const NamedSurface> bones) {
  Gathered g;
  g.hand.anatomy = make::hand_anatomy();
  g.hand.pieces.resize(g.hand.anatomy.bones.size());
  g.hand.names.resize(g.hand.anatomy.bones.size());
  std::optional<bool> right;
  for (const NamedSurface& bone : bones) {
    const auto name = parse_bone_name(bone.name);
    if (!name) return Error{bone.name, "names no bone of a right or left hand", "leave the file out, or rename it"};
    if (right.value_or(name->right) != name->right)
      return Error{bone.name, "is of the other hand than the bones before it", "give the bones of one hand"};
    right = name->right;
    auto mesh = cleaned(bone);
    if (!mesh) return mesh.error();
    const std::size_t b = place(g.hand.anatomy, *name);
    if (b == g.hand.pieces.size() || place_of_single(g.hand, b, name->single))
      return Error{bone.name, "is there twice, or no hand has it", "leave one out"};
    g.hand.pieces[b].push_back(std::move(*mesh));
    g.hand.names[b].push_back(name->single);
  }
  for (std::size_t b = 0; b < g.hand.pieces.size(); ++b) {
    if (g.hand.pieces[b].empty())
      return Error{g.hand.anatomy.bones[b].joint, "has no bone among the surfaces",
                   "give radius, ulna, carpals, five metacarpals and 14 phalanges"};
  }
  g.capitate = place_of_single(g.hand, place(g.hand.anatomy, BoneName{BoneKind::carpus, {}, {}, true}), "capitate");
  if (!g.capitate) return Error{"capitate", "is not among the surfaces", "the wrist turns about its head"};
  g.hand.side = *right ? make::Side::right : make::Side::left;
  return g;
}

// Any frame to anatomical space.
void to_anatomical(MeasuredHand& hand, std::size_t capitate) {
  const auto at = [&](Digit d, Segment s) { return place(hand.anatomy, BoneName{BoneKind::digit, d, s, true}); };
  const auto points = [&](std::size_t b) { return points_of(hand.pieces[b]); };
  const std::size_t carpus = place(hand.anatomy, BoneName{BoneKind::carpus, {}, {}, true});
  const std::size_t forearm = place(hand.anatomy, BoneName{BoneKind::forearm, {}, {}, true});
  const Vec3d middle_of_carpus = mean(points(carpus));
  const std::vector<Vec3d> metacarpal = points(at(Digit::middle, Segment::metacarpal));
  const Vec3d distal = long_axis(metacarpal, mean(metacarpal) - middle_of_carpus);
  Vec3d radial =
      mean(points(at(Digit::index, Segment::metacarpal))) - mean(points(at(Digit::little, Segment::metacarpal)));
  radial = normalized(radial - distal * dot(radial, distal));
  const bool right = hand.side == make::Side::right;
  const Vec3d dorsal = right ? cross(distal, radial) : cross(radial, distal);
  const Vec3d crease = facing(points(carpus), hand.pieces[forearm]);
  // Sideways the middle finger's metacarpal counts, as in the procedural hand: its base is 2 mm from the axis.
  const Vec3d origin = distal * dot(crease, distal) + radial * (dot(mean(metacarpal), radial) - 2) +
                       dorsal * (dot(mean(points_of({&hand.pieces[carpus][capitate], 1})), dorsal));
  const Mat3d rows = transpose(Mat3d{radial, distal, dorsal});
  for (std::vector<Mesh>& pieces : hand.pieces) {
    for (Mesh& mesh : pieces) {
      for (Vec3f& p : mesh.positions) p = Vec3f(rows * (Vec3d(p) - origin));
      const bool inside_out = enclosed_volume(mesh.positions, mesh.triangles) < 0;
      if (inside_out) {
        for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
      }
    }
  }
}

// The middle of what of a bone lies within the reach of a head from one end, along y.
Vec3d middle_of_end(const Mesh& bone, bool distal) {
  const std::vector<Vec3d> points = points_of({&bone, 1});
  const Range length = extent(points, {0, 1, 0});
  std::vector<Vec3d> end;
  for (const Vec3d p : points) {
    if (distal ? p.y > length.high - head_reach : p.y < length.low + head_reach) end.push_back(p);
  }
  return mean(end);
}

Mat3d frame(Vec3d along, Vec3d across) {
  const Vec3d y = normalized(along), x = normalized(across - y * dot(across, y));
  return {x, y, cross(x, y)};
}

/// The direction of a bone in the frame of another, as angles of its joint.
RestBend direction_in(const Mat3d& axes, Vec3d along) {
  const Vec3d v = transpose(axes) * along;
  return {std::atan2(-v.z, v.y), std::atan2(v.x, v.y)};
}

// Heads from root to tip, then frames.
void measure_digit(MeasuredHand& hand, Digit digit, std::size_t carpus) {
  std::vector<std::size_t> chain;
  for (std::size_t b = 0; b < hand.anatomy.bones.size(); ++b) {
    const AnatomicalBone& bone = hand.anatomy.bones[b];
    if (bone.kind == BoneKind::digit && bone.digit == digit) chain.push_back(b);
  }
  const make::HandAnatomy procedural = make::hand_anatomy();
  std::vector<Vec3d> centres;
  Vec3d across{};
  Vec3d before = mean(points_of(hand.pieces[carpus]));
  for (const std::size_t b : chain) {
    const std::vector<Vec3d> points = points_of(hand.pieces[b]);
    const Vec3d axis = long_axis(points, mean(points) - before);
    if (centres.empty()) centres.push_back(facing(points, hand.pieces[carpus]));
    if (b != chain.back()) {
      centres.push_back(centre_of_head(points, axis, procedural.bones[b].dorsal()));
    } else {
      const Vec3d middle = mean(points);
      centres.push_back(middle + axis * (extent(points, axis).high - dot(middle, axis)));
    }
    if (const Segment s = hand.anatomy.bones[b].segment; s == Segment::proximal || s == Segment::middle)
      across += width_of_head(points, axis, procedural.bones[b].across());
    before = mean(points);
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    AnatomicalBone& bone = hand.anatomy.bones[chain[i]];
    bone.head = centres[i];
    bone.length = length(centres[i + 1] - centres[i]);
    bone.axes = frame(centres[i + 1] - centres[i], across);
  }
}

}  // namespace

Result<MeasuredHand> measure_hand(std::span<const NamedSurface> bones) {
  auto gathered = gather(bones);
  if (!gathered) return gathered.error();
  MeasuredHand& hand = gathered->hand;
  to_anatomical(hand, *gathered->capitate);
  const std::size_t carpus = place(hand.anatomy, BoneName{BoneKind::carpus, {}, {}, true});
  for (const Digit digit : make::digits) measure_digit(hand, digit, carpus);
  // The capitate's head looks back to the forearm.
  AnatomicalBone& wrist = hand.anatomy.bones[carpus];
  const Mesh& capitate = hand.pieces[carpus][*gathered->capitate];
  wrist.head = centre_of_head(points_of({&capitate, 1}), {0, -1, 0}, {0, 0, 1});
  const std::size_t forearm = place(hand.anatomy, BoneName{BoneKind::forearm, {}, {}, true});
  const auto radius = place_of_single(hand, forearm, "radius"), ulna = place_of_single(hand, forearm, "ulna");
  if (radius) hand.elbow_end = middle_of_end(hand.pieces[forearm][*radius], false);
  if (ulna) hand.ulna_head = middle_of_end(hand.pieces[forearm][*ulna], true);
  wrist.length = hand.anatomy.bone(Digit::middle, Segment::metacarpal).head.y - wrist.head.y;

  const make::HandAnatomy procedural = make::hand_anatomy();
  for (std::size_t b = 0; b < hand.anatomy.bones.size(); ++b) {
    const AnatomicalBone &bone = hand.anatomy.bones[b], &known = procedural.bones[b];
    RestBend bend;
    if (bone.kind == BoneKind::digit && bone.segment != Segment::metacarpal) {
      bend.flexion = direction_in(hand.anatomy.bones[bone.parent].axes, bone.along()).flexion -
                     direction_in(procedural.bones[bone.parent].axes, known.along()).flexion;
    } else if (bone.kind == BoneKind::digit && bone.digit == Digit::thumb) {
      bend = direction_in(known.axes, bone.along());
    }
    hand.bent.push_back(bend);
  }
  return std::move(gathered->hand);
}

}  // namespace supple::phantom
