#include "supple/deform/flesh/body.h"

#include <algorithm>

#include "supple/deform/skin.h"

namespace supple {
namespace {

/// Smooth skin weights have long tails: what hangs on the joints by less than this is not theirs.
constexpr float least_membership = 0.08f;

}  // namespace

Result<FleshBody> FleshBody::of(const Character& character) {
  const auto skin = Skin::make(character);
  if (!skin) return skin.error();
  FleshBody body;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const auto first = static_cast<std::uint32_t>(body.positions.size());
    body.first.push_back(first);
    if (!character.parts[p].skin) continue;
    body.positions.insert(body.positions.end(), skin->positions(p).begin(), skin->positions(p).end());
    body.normals.insert(body.normals.end(), skin->normals(p).begin(), skin->normals(p).end());
    for (const Triangle& t : character.parts[p].mesh.triangles)
      body.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  }
  body.world.assign(skin->world().begin(), skin->world().end());
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
    for (JointIndex j = skeleton.parent(end); j != driver; j = skeleton.parent(j)) {
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
