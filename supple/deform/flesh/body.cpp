#include "supple/deform/flesh/body.h"

#include <algorithm>
#include <optional>

#include "supple/deform/part_blend.h"

namespace supple {
namespace {

/// Smooth skin weights have long tails: what hangs on the joints by less than this is not theirs.
constexpr float least_membership = 0.08f;

}  // namespace

Result<FleshBody> FleshBody::of(const Character& character) {
  if (auto ok = validate(character); !ok) return ok.error();
  const Layers layers;
  std::optional<PoseSpaceLayer> pose_space;
  if (character.pose_space) {
    auto layer = PoseSpaceLayer::make(character);
    if (!layer) return layer.error();
    pose_space = std::move(*layer);
  }
  PoseSpaceLayer* const own_weights = pose_space ? &*pose_space : nullptr;
  auto weights = WeightLayers::make(character, layers);
  if (!weights) return weights.error();
  FleshBody body;
  Pose rest = character.rest();
  body.world = to_world(character.skeleton, rest);
  std::vector<FleshMotion> motions(character.flesh.elements.size());
  read_twins(character.flesh, body.world, rest.local, motions);
  weights->drive(layers, rest.local, body.world, motions, rest.morph_weights);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    const auto first = static_cast<std::uint32_t>(body.positions.size());
    body.first.push_back(first);
    if (!part.skin) continue;
    const SplitWeights split = split_weights(character, part, layers);
    auto blend = PartBlend::make(character, p, Blend::linear, layers, split.bones, own_weights);
    if (!blend) return blend.error();
    body.positions.resize(first + part.mesh.positions.size());
    body.normals.resize(body.positions.size());
    const std::span positions = std::span(body.positions).subspan(first),
                    normals = std::span(body.normals).subspan(first);
    if (auto ok = blend->run({rest.local, body.world, rest.morph_weights}, own_weights, positions, normals, 0); !ok)
      return ok.error();
    SurfaceLayers(character, p, layers, split.flesh).apply(motions, positions, normals, 0);
    for (const Triangle& t : part.mesh.triangles) body.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  return body;
}

std::vector<float> membership_of(const Character& character, const FleshBody& body, std::span<const JointIndex> joints,
                                 const std::string& only_part, std::span<const std::uint32_t> vertices) {
  std::vector<float> membership(body.positions.size());
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skin || (!only_part.empty() && part.name != only_part)) continue;
    const std::vector<JointIndex>& bound = character.skins[*part.skin].joints;
    const auto add = [&](std::size_t v) {
      for (const Influence& i : part.weights.of(v)) {
        if (std::find(joints.begin(), joints.end(), bound[i.joint]) != joints.end())
          membership[body.first[p] + v] += i.weight;
      }
    };
    if (vertices.empty()) {
      for (std::size_t v = 0; v < part.weights.vertices(); ++v) add(v);
    } else {
      std::vector<std::uint32_t> once(vertices.begin(), vertices.end());
      std::sort(once.begin(), once.end());
      once.erase(std::unique(once.begin(), once.end()), once.end());
      for (const std::uint32_t v : once) add(v);
    }
  }
  for (float& m : membership) m = std::max(0.0f, m - least_membership) / (1 - least_membership);
  return membership;
}

std::vector<JointIndex> joints_between(const Skeleton& skeleton, JointIndex driver, std::span<const JointIndex> ends) {
  std::vector<JointIndex> joints{driver};
  for (const JointIndex end : ends) {
    for (JointIndex j = skeleton.parent(end); j != driver && j != no_joint; j = skeleton.parent(j)) {
      if (std::find(joints.begin(), joints.end(), j) == joints.end()) joints.push_back(j);
    }
  }
  return joints;
}

VirtualBone virtual_bone(JointIndex driver, std::span<const JointIndex> ends, std::span<const Affinef> world) {
  Vec3d to{};
  for (const JointIndex end : ends) to += Vec3d(world[end].translation);
  return {Vec3d(world[driver].translation), to / static_cast<double>(ends.size())};
}

}  // namespace supple
