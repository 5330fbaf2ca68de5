#include "supple/deform/kinodynamic/held_skin.h"

#include <algorithm>

#include "supple/base/decompose.h"
#include "supple/base/transform.h"
#include "supple/deform/flesh/split.h"

namespace supple {
namespace {

/// How much the joint's own turn counts next to how a shell's vertices went: enough where they lie in a line, or close
/// to it, and do not say how to turn.
constexpr double joint_counts = 0.1;
/// A shell sits on one side of its limb where the ways up to it point the same way by this much; a belt surrounds it.
constexpr double one_side = 0.3;
/// Soft skin is near a shell within this share of the shell's size. A shin that hangs below a torso does not ride on
/// it.
constexpr double near_skin = 0.25;

/// Rest positions with the morph targets that are on at rest.
std::vector<Vec3f> bound_shape(const Character& c, const Part& part) {
  std::vector<Vec3f> shape = part.mesh.positions;
  for (std::size_t m = 0; m < part.morphs.size(); ++m) {
    const MorphTarget& target = part.morphs[m];
    const float weight = c.morph_weights[part.first_morph_weight + m];
    for (std::size_t i = 0; weight != 0 && i < target.positions.size(); ++i)
      shape[target.vertices.empty() ? i : target.vertices[i]] += target.positions[i] * weight;
  }
  return shape;
}

}  // namespace

HeldSkin::HeldSkin(const Character& c, std::size_t part, const HardSkin& hard, const DeformationField& field,
                   std::span<const Vec3f> rest, std::span<const Affinef> world) {
  add_mixed(c, part, hard.softness[part], field);
  const auto is_own = [&](const HardSkin::Shell& shell) { return shell.part == part; };
  if (std::any_of(hard.shells.begin(), hard.shells.end(), is_own)) {
    bind(c, part);
    const SkinWeights weights = split_flesh(c, c.parts[part]).bones;
    const std::vector<Vec3f> shape = bound_shape(c, c.parts[part]);
    for (const HardSkin::Shell& shell : hard.shells)
      if (is_own(shell)) add_shell(shell, weights, shape, rest, world);
  }
  set(world);
}

void HeldSkin::bind(const Character& c, std::size_t part) {
  binding_ = c.skins[*c.parts[part].skin];
  palette_.resize(binding_.joints.size());
}

HeldSkin::Blended HeldSkin::blended_vertex(std::uint32_t vertex, const SkinWeights& weights,
                                           std::span<const Vec3f> shape) {
  const auto first = static_cast<std::uint32_t>(influences_.size());
  const std::span<const Influence> own = weights.of(vertex);
  influences_.insert(influences_.end(), own.begin(), own.end());
  return {vertex, first, static_cast<std::uint32_t>(own.size()), shape[vertex]};
}

void HeldSkin::add_mixed(const Character& c, std::size_t number, std::span<const float> softness,
                         const DeformationField& field) {
  if (softness.empty() && field.flow.empty() && field.bound.empty()) return;
  const Part& part = c.parts[number];
  std::vector<float> share_of(c.skeleton.size(), 1.0f);
  for (const FlowShare& s : field.flow) share_of[s.joint] = s.share;
  std::vector<float> free(part.mesh.positions.size(), 1.0f);
  for (const SkinVertexWeight& w : field.bound)
    if (w.part == number) free[w.vertex] = 1 - w.weight;
  bind(c, number);
  const SkinWeights weights = split_flesh(c, part).bones;
  const std::vector<Vec3f> shape = bound_shape(c, part);
  for (std::uint32_t v = 0; v < shape.size(); ++v) {
    float share = 0;
    for (const Influence& i : weights.of(v)) share += i.weight * share_of[binding_.joints[i.joint]];
    share = std::min(share, 1.0f) * free[v] * (softness.empty() ? 1.0f : softness[v]);
    if (share >= 1 - 1e-5f) continue;  // weights sum to one but for rounding
    mixed_.push_back({blended_vertex(v, weights, shape), share});
  }
}

void HeldSkin::add_shell(const HardSkin::Shell& hard, const SkinWeights& weights, std::span<const Vec3f> shape,
                         std::span<const Vec3f> rest, std::span<const Affinef> world) {
  Shell shell;
  shell.joint = hard.joint;
  shell.rest_axes = unscaled_axes(Mat3d(world[hard.joint].linear));
  Vec3d middle{};
  std::vector<Vec3f> points;
  for (const std::uint32_t v : hard.vertices) {
    shell.vertices.push_back(blended_vertex(v, weights, shape));
    points.push_back(rest[v]);
    middle += Vec3d(rest[v]) * (1 / static_cast<double>(hard.vertices.size()));
  }
  for (const Vec3f& p : points) {
    shell.arms.push_back(Vec3d(p) - middle);
    shell.spread += squared_length(shell.arms.back());
  }
  const double near = near_skin * double{bounds(points).diagonal()};
  double closeness = 0;
  for (const float c : hard.closeness) closeness += double{c};
  Vec3d outward{};
  double heights = 0;
  for (std::uint32_t i = 0; i < hard.below.size(); ++i) {
    const Vec3d above = Vec3d(points[i]) - Vec3d(rest[hard.below[i]]);
    if (length(above) > near) continue;
    const double share = double{hard.closeness[i]} / closeness;
    shell.seats.push_back({i, blended_vertex(hard.below[i], weights, shape), above, share});
    outward += above * share;
    heights += length(above) * share;
    shell.highest_lift = std::max(shell.highest_lift, 2 * length(above));
  }
  if (length(outward) > one_side * heights && heights > 0) shell.outward = normalized(outward);
  shells_.push_back(std::move(shell));
}

void HeldSkin::set(std::span<const Affinef> world) {
  for (std::size_t k = 0; k < palette_.size(); ++k) palette_[k] = world[binding_.joints[k]] * binding_.inverse_bind[k];
  for (Shell& shell : shells_)
    shell.turn = unscaled_axes(Mat3d(world[shell.joint].linear)) * transpose(shell.rest_axes);
}

Vec3f HeldSkin::linear(const Blended& vertex) const {
  Vec3f sum{};
  for (std::uint32_t i = vertex.first; i < vertex.first + vertex.count; ++i)
    sum += palette_[influences_[i].joint].point(vertex.bound) * influences_[i].weight;
  return sum;
}

void HeldSkin::apply(std::span<Vec3f> positions) const {
  for (const Mixed& m : mixed_) {
    const Vec3f blend = linear(m);
    Vec3f& p = positions[m.vertex];
    p = m.share > 0 ? blend + (p - blend) * m.share : blend;
  }
  for (const Shell& shell : shells_) {
    Vec3d middle{};
    for (const Blended& v : shell.vertices) middle += Vec3d(linear(v));
    middle = middle * (1 / static_cast<double>(shell.vertices.size()));
    // The rotation that takes arms at rest nearest to where they went, in the sense of least squares.
    Mat3d went{};
    for (std::size_t k = 0; k < 3; ++k) went[k] = shell.turn[k] * (joint_counts * shell.spread);
    for (std::size_t i = 0; i < shell.vertices.size(); ++i) {
      const Vec3d arm = Vec3d(linear(shell.vertices[i])) - middle;
      for (std::size_t k = 0; k < 3; ++k) went[k] += arm * shell.arms[i][k];
    }
    const RotationSvd svd = rotation_svd(went);
    const Mat3d turn = svd.u * transpose(svd.v);
    for (const Seat& seat : shell.seats)
      middle += (Vec3d(positions[seat.below.vertex]) - Vec3d(linear(seat.below))) * seat.share;
    // How much higher the skin below has come than where the shell has it.
    const Vec3d up = turn * shell.outward;
    double lift = 0;
    for (const Seat& seat : shell.seats) {
      const Vec3d skin = middle + turn * (shell.arms[seat.place] - seat.above);
      lift = std::max(lift, dot(Vec3d(positions[seat.below.vertex]) - skin, up));
    }
    middle += up * std::min(lift, shell.highest_lift);
    for (std::size_t i = 0; i < shell.vertices.size(); ++i)
      positions[shell.vertices[i].vertex] = Vec3f(middle + turn * shell.arms[i]);
  }
}

}  // namespace supple
