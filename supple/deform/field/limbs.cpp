#include "supple/deform/field/limbs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "supple/deform/field/shape.h"
#include "supple/geometry/topology.h"

namespace supple {
namespace {

/// Nine tenths of a limb's skin, by area, are within this many times its depth.
constexpr double widest = 3, outer_share = 0.9;
/// Grids are at most so many times finer than a limb's depth asks for.
constexpr double finest_piece = 4;

std::vector<double> areas_of(const FleshBody& body) {
  std::vector<double> area(body.positions.size());
  for (const Triangle& t : body.triangles) {
    const Vec3d a(body.positions[t[0]]), b(body.positions[t[1]]), c(body.positions[t[2]]);
    for (const std::uint32_t v : t) area[v] += length(cross(b - a, c - a)) / 6;
  }
  return area;
}

double distance_to_bone(const Limb& limb, Vec3d p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const BoneSegment& s : limb.segments) nearest = std::min(nearest, distance_to_segment(p, s.a, s.b).squared);
  return std::sqrt(nearest);
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What half of the vertices are within, and what the thinnest piece is that has a twentieth of them or more. A few
/// large triangles count next to many small ones: cloth about thin legs would be folded by the weights of the legs.
void judge_depth(const FleshBody& body, std::span<const std::uint32_t> piece, std::span<const double> area,
                 Limb& limb) {
  std::vector<double> distances;
  std::vector<std::pair<double, double>> by_distance;  // and area
  std::map<std::uint32_t, std::vector<double>> of_piece;
  double total = 0;
  for (const std::uint32_t v : limb.vertices) {
    distances.push_back(distance_to_bone(limb, Vec3d(body.positions[v])));
    of_piece[piece[v]].push_back(distances.back());
    by_distance.emplace_back(distances.back(), area[v]);
    total += area[v];
  }
  const std::size_t count = distances.size();
  std::sort(by_distance.begin(), by_distance.end());
  double sum = 0, outermost = 0;
  for (const auto& [distance, share] : by_distance) {
    if (sum < outer_share * total) outermost = distance;
    sum += share;
  }
  limb.radius = std::max(median(distances), outermost / widest);
  limb.thinnest = limb.radius;
  for (auto& [number, own] : of_piece)
    if (20 * own.size() >= count) limb.thinnest = std::min(limb.thinnest, median(own));
}

/// The joint that each vertex follows most; none where it follows nothing.
std::vector<JointIndex> followed_joints(const Character& c, const FleshBody& body) {
  const std::vector<JointIndex> bone_of = bone_of_each_joint(c);
  std::vector<JointIndex> followed(body.positions.size(), no_joint);
  std::vector<float> sums(c.skeleton.size());
  const std::vector<bool> flows = flowing_parts(c);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const Part& part = c.parts[p];
    if (!flows[p]) continue;
    const std::vector<JointIndex>& joints = c.skins[*part.skin].joints;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      float most = 0;
      for (const Influence& i : part.weights.of(v)) {
        const JointIndex bone = bone_of[joints[i.joint]];
        sums[bone] += i.weight;
        if (sums[bone] > most) {
          most = sums[bone];
          followed[body.first[p] + v] = bone;
        }
      }
      for (const Influence& i : part.weights.of(v)) sums[bone_of[joints[i.joint]]] = 0;
    }
  }
  return followed;
}

/// An end of a chain goes on as far as its skin does, but for the roundness of its tip.
BoneSegment last_segment(const Limb& limb, const FleshBody& body) {
  const Vec3d from = Vec3d(body.world[limb.joint].translation);
  Vec3d mean{};
  for (const std::uint32_t v : limb.vertices) mean += Vec3d(body.positions[v]) - from;
  const Vec3d direction = normalized(mean, Vec3d{0, 1, 0});
  double tip = 0;
  std::vector<double> off;
  for (const std::uint32_t v : limb.vertices) {
    const Vec3d at = Vec3d(body.positions[v]) - from;
    tip = std::max(tip, dot(at, direction));
    off.push_back(length(at - direction * dot(at, direction)));
  }
  return {from, from + direction * std::max(0.0, tip - median(off)), false, false};
}

/// Toward the children that lead to other limbs, or to joints that only mark an end.
void find_segments(const Skeleton& skeleton, const FleshBody& body, std::span<const JointIndex> bone_of,
                   const std::vector<bool>& leads_on, bool begins, Limb& limb) {
  const Vec3d from = Vec3d(body.world[limb.joint].translation);
  bool any_limb = false;
  for (const JointIndex child : skeleton.children(limb.joint)) any_limb = any_limb || leads_on[child];
  for (const JointIndex child : skeleton.children(limb.joint)) {
    const bool twin = bone_of[child] != child;
    if (twin || (any_limb && !leads_on[child])) continue;
    const Vec3d to = Vec3d(body.world[child].translation);
    if (squared_length(to - from) > 0) limb.segments.push_back({from, to, !begins, leads_on[child]});
  }
  if (!limb.segments.empty()) return;
  BoneSegment last = last_segment(limb, body);
  last.cut_a = !begins;
  limb.segments.push_back(last);
}

}  // namespace

std::vector<std::uint32_t> pieces_of(const FleshBody& body) {
  const Weld points = weld(body.positions);
  const Parts pieces = connected_parts(points.points(), welded_triangles(body.triangles, points));
  std::vector<std::uint32_t> of_vertex(body.positions.size());
  for (std::size_t v = 0; v < of_vertex.size(); ++v) of_vertex[v] = pieces.of_vertex[points.to_point[v]];
  return of_vertex;
}

std::vector<JointIndex> bone_of_each_joint(const Character& character) {
  std::vector<JointIndex> bone_of(character.skeleton.size());
  for (JointIndex j = 0; j < bone_of.size(); ++j) bone_of[j] = j;
  for (const FleshElement& e : character.flesh.elements)
    for (const FleshTwin& twin : e.twins) bone_of[twin.joint] = twin.bone;
  return bone_of;
}

std::vector<bool> flowing_parts(const Character& character) {
  std::vector<bool> soft, skinned;
  for (const Part& part : character.parts) {
    skinned.push_back(part.skin.has_value());
    soft.push_back(part.skin && part.weights.max_influences() > 1);
  }
  return std::find(soft.begin(), soft.end(), true) != soft.end() ? soft : skinned;
}

std::vector<float> weights_of_joint(const Character& c, const FleshBody& body, JointIndex joint) {
  const std::vector<JointIndex> bone_of = bone_of_each_joint(c);
  std::vector<float> weights(body.positions.size());
  const std::vector<bool> flows = flowing_parts(c);
  for (std::size_t p = 0; p < c.parts.size(); ++p) {
    const Part& part = c.parts[p];
    if (!flows[p]) continue;
    const std::vector<JointIndex>& joints = c.skins[*part.skin].joints;
    for (std::size_t v = 0; v < part.weights.vertices(); ++v)
      for (const Influence& i : part.weights.of(v))
        if (bone_of[joints[i.joint]] == joint) weights[body.first[p] + v] += i.weight;
  }
  return weights;
}

Result<std::vector<Limb>> find_limbs(const Character& character, const FleshBody& body) {
  const Skeleton& skeleton = character.skeleton;
  const std::vector<JointIndex> bone_of = bone_of_each_joint(character);
  const std::vector<JointIndex> followed = followed_joints(character, body);
  std::vector<Limb> limbs(skeleton.size());
  for (std::uint32_t v = 0; v < followed.size(); ++v)
    if (followed[v] != no_joint) limbs[followed[v]].vertices.push_back(v);
  for (JointIndex j = 0; j < skeleton.size(); ++j) limbs[j].joint = j;

  std::vector<bool> leads_on(skeleton.size(), false);  // whether a limb is at or below
  for (JointIndex j = static_cast<JointIndex>(skeleton.size()); j-- > 0;) {
    if (!limbs[j].vertices.empty()) leads_on[j] = true;
    if (leads_on[j] && skeleton.parent(j) != no_joint) leads_on[skeleton.parent(j)] = true;
  }
  std::vector<bool> has_limb_above(skeleton.size(), false);
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex above = skeleton.parent(j);
    if (above != no_joint) has_limb_above[j] = has_limb_above[above] || !limbs[above].vertices.empty();
  }
  std::erase_if(limbs, [](const Limb& limb) { return limb.vertices.empty(); });
  if (limbs.empty()) return Error{"character", "has no skin that follows a joint", "bind its mesh first"};
  const std::vector<std::uint32_t> piece = pieces_of(body);
  const std::vector<double> area = areas_of(body);
  for (Limb& limb : limbs) {
    find_segments(skeleton, body, bone_of, leads_on, !has_limb_above[limb.joint], limb);
    judge_depth(body, piece, area, limb);
  }
  // Skin that lies on its bone has no depth of its own: a thousandth of the body keeps fields finite.
  const double least = std::max(1e-3 * double{bounds(body.positions).diagonal()}, 1e-6);
  for (Limb& limb : limbs) {
    limb.radius = std::max(limb.radius, least);
    limb.thinnest = std::max(limb.thinnest, limb.radius / finest_piece);
  }
  return limbs;
}

}  // namespace supple
