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
  for (const HardSkin::Shell& shell : hard.shells)
    if (shell.part == part) add_shell(shell, rest, world);
  set(world);
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
  binding_ = c.skins[*part.skin];
  palette_.resize(binding_.joints.size());
  const SkinWeights weights = split_flesh(c, part).bones;
  const std::vector<Vec3f> shape = bound_shape(c, part);
  for (std::uint32_t v = 0; v < shape.size(); ++v) {
    float share = 0;
    for (const Influence& i : weights.of(v)) share += i.weight * share_of[binding_.joints[i.joint]];
    share = std::min(share, 1.0f) * free[v] * (softness.empty() ? 1.0f : softness[v]);
    if (share >= 1 - 1e-5f) continue;  // weights sum to one but for rounding
    const auto first = static_cast<std::uint32_t>(influences_.size());
    influences_.insert(influences_.end(), weights.of(v).begin(), weights.of(v).end());
    mixed_.push_back({v, first, static_cast<std::uint32_t>(weights.of(v).size()), share, shape[v]});
  }
}

void HeldSkin::add_shell(const HardSkin::Shell& hard, std::span<const Vec3f> rest, std::span<const Affinef> world) {
  Shell shell;
  shell.joint = hard.joint;
  shell.vertices = hard.vertices;
  shell.closeness = hard.closeness;
  shell.rest_axes = unscaled_axes(Mat3d(world[hard.joint].linear));
  double sum = 0;
  for (const float c : shell.closeness) sum += double{c};
  Vec3d middle{};
  for (std::size_t i = 0; i < shell.vertices.size(); ++i) {
    shell.closeness[i] = static_cast<float>(double{shell.closeness[i]} / sum);
    middle += Vec3d(rest[shell.vertices[i]]) * double{shell.closeness[i]};
  }
  for (std::size_t i = 0; i < shell.vertices.size(); ++i) {
    shell.arms.push_back(Vec3d(rest[shell.vertices[i]]) - middle);
    shell.spread += double{shell.closeness[i]} * squared_length(shell.arms.back());
    shell.highest_lift = std::max(shell.highest_lift, length(shell.arms.back()));
  }
  set_outward(hard, rest, shell);
  shells_.push_back(std::move(shell));
}

void HeldSkin::set_outward(const HardSkin::Shell& hard, std::span<const Vec3f> rest, Shell& shell) {
  Vec3d sum{};
  double sizes = 0;
  for (std::size_t i = 0; i < hard.below.size(); ++i) {
    shell.above.push_back(Vec3d(rest[hard.vertices[i]]) - Vec3d(rest[hard.below[i]]));
    sum += shell.above.back() * double{shell.closeness[i]};
    sizes += length(shell.above.back()) * double{shell.closeness[i]};
  }
  if (length(sum) > one_side * sizes && sizes > 0) {
    shell.below = hard.below;
    shell.outward = normalized(sum);
  }
}

void HeldSkin::set(std::span<const Affinef> world) {
  for (std::size_t k = 0; k < palette_.size(); ++k) palette_[k] = world[binding_.joints[k]] * binding_.inverse_bind[k];
  for (Shell& shell : shells_)
    shell.turn = unscaled_axes(Mat3d(world[shell.joint].linear)) * transpose(shell.rest_axes);
}

void HeldSkin::apply(std::span<Vec3f> positions) const {
  for (const Mixed& m : mixed_) {
    Vec3f linear{};
    for (std::uint32_t i = m.first; i < m.first + m.count; ++i)
      linear += palette_[influences_[i].joint].point(m.bound) * influences_[i].weight;
    Vec3f& p = positions[m.vertex];
    p = m.share > 0 ? linear + (p - linear) * m.share : linear;
  }
  for (const Shell& shell : shells_) {
    Vec3d middle{};
    for (std::size_t i = 0; i < shell.vertices.size(); ++i)
      middle += Vec3d(positions[shell.vertices[i]]) * double{shell.closeness[i]};
    // The rotation that takes arms at rest nearest to where they went, in the sense of least squares.
    Mat3d went{};
    for (std::size_t k = 0; k < 3; ++k) went[k] = shell.turn[k] * (joint_counts * shell.spread);
    for (std::size_t i = 0; i < shell.vertices.size(); ++i) {
      const Vec3d arm = (Vec3d(positions[shell.vertices[i]]) - middle) * double{shell.closeness[i]};
      for (std::size_t k = 0; k < 3; ++k) went[k] += arm * shell.arms[i][k];
    }
    const RotationSvd svd = rotation_svd(went);
    const Mat3d turn = svd.u * transpose(svd.v);
    // How much higher the skin below has come than where the shell has it.
    const Vec3d up = turn * shell.outward;
    double lift = 0;
    for (std::size_t i = 0; i < shell.below.size(); ++i) {
      const Vec3d skin = middle + turn * (shell.arms[i] - shell.above[i]);
      lift = std::max(lift, dot(Vec3d(positions[shell.below[i]]) - skin, up));
    }
    middle += up * std::min(lift, shell.highest_lift);
    for (std::size_t i = 0; i < shell.vertices.size(); ++i)
      positions[shell.vertices[i]] = Vec3f(middle + turn * shell.arms[i]);
  }
}

}  // namespace supple
