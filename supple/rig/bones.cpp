// Bones of a skeleton and their surfaces.
#include <algorithm>

#include "supple/rig/bind.h"
#include "supple/rig/pose.h"

namespace supple {
namespace {

constexpr std::uint32_t no_place = 0xffffffffu;  // among the bones, or the vertices of a surface

/// The triangles of a rigidly bound part that follow one joint.
Mesh surface_of(JointIndex joint, const Part& part, const SkinBinding& skin) {
  Mesh surface;
  std::vector<std::uint32_t> number(part.mesh.positions.size(), no_place);
  for (const Triangle& t : part.mesh.triangles) {
    if (skin.joints[part.weights.of(t[0])[0].joint] != joint) continue;
    Triangle renumbered;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      std::uint32_t& n = number[t[corner]];
      if (n == no_place) {
        n = static_cast<std::uint32_t>(surface.positions.size());
        surface.positions.push_back(part.mesh.positions[t[corner]]);
      }
      renumbered[corner] = n;
    }
    surface.triangles.push_back(renumbered);
  }
  return surface;
}

std::vector<Bone> bones_between(const Skeleton& skeleton, std::span<const JointIndex> joints,
                                std::span<const Affinef> world) {
  std::vector<JointIndex> sorted(joints.begin(), joints.end());
  std::sort(sorted.begin(), sorted.end());  // parents first
  std::vector<std::uint32_t> bone_of(skeleton.size(), no_place);
  std::vector<Bone> bones;
  for (const JointIndex j : sorted) {
    Bone bone{j, no_place, world[j].translation, {}, {}};
    for (JointIndex up = skeleton.parent(j); up != no_joint && bone.parent == no_place; up = skeleton.parent(up)) {
      bone.parent = bone_of[up];
    }
    const std::vector<JointIndex> children = skeleton.children(j);
    Vec3f sum{};
    for (const JointIndex c : children) {
      sum += world[c].translation;
      bone.ends.push_back(world[c].translation);
    }
    if (!children.empty()) {
      bone.tail = sum / static_cast<float>(children.size());
    } else {
      const Vec3f from = bone.parent != no_place ? bones[bone.parent].head : bone.head;
      bone.tail = bone.head + (bone.head - from) * 0.5f;
    }
    bone_of[j] = static_cast<std::uint32_t>(bones.size());
    bones.push_back(std::move(bone));
  }
  return bones;
}

}  // namespace

std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const JointIndex> joints) {
  return bones_between(skeleton, joints, to_world(skeleton, rest_pose(skeleton)));
}

std::vector<Bone> bones_of(const Skeleton& skeleton, const SkinBinding& skin) {
  std::vector<Affinef> bind_pose(skeleton.size());
  to_world(skeleton, skeleton.rest(), bind_pose);
  std::vector<bool> known(skeleton.size());
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    bind_pose[skin.joints[k]] = inverse(skin.inverse_bind[k]);
    known[skin.joints[k]] = true;
  }
  // Joints outside the skin, such as finger tips, keep their place relative to their parent.
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex up = skeleton.parent(j);
    if (!known[j] && up != no_joint) bind_pose[j] = bind_pose[up] * skeleton.rest(j).affine();
  }
  return bones_between(skeleton, skin.joints, bind_pose);
}

SkinBinding bind_at_rest(std::string name, const Skeleton& skeleton) {
  SkinBinding binding{std::move(name), {}, {}};
  for (const Affinef& world : to_world(skeleton, rest_pose(skeleton))) {
    binding.joints.push_back(static_cast<JointIndex>(binding.joints.size()));
    binding.inverse_bind.emplace_back(inverse(Affined(world)));
  }
  return binding;
}

void append_rigid(Part& part, const Mesh& surface, std::uint32_t joint) {
  const auto first = static_cast<std::uint32_t>(part.mesh.positions.size());
  part.mesh.positions.insert(part.mesh.positions.end(), surface.positions.begin(), surface.positions.end());
  part.mesh.normals.insert(part.mesh.normals.end(), surface.normals.begin(), surface.normals.end());
  for (const Triangle& t : surface.triangles) part.mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  const Influence whole{joint, 1};
  for (std::size_t v = 0; v < surface.positions.size(); ++v) part.weights.push_vertex({&whole, 1});
}

std::vector<Bone> with_surfaces(std::span<const Bone> bones, const Part& part, const SkinBinding& skin) {
  std::vector<Bone> kept;
  std::vector<std::uint32_t> place(bones.size(), no_place);  // of each bone, or of its nearest ancestor that is kept
  for (std::size_t b = 0; b < bones.size(); ++b) {
    Bone bone = bones[b];
    bone.parent = bone.parent == no_place ? no_place : place[bone.parent];
    bone.surface = surface_of(bone.joint, part, skin);
    place[b] = bone.surface.triangles.empty() ? bone.parent : static_cast<std::uint32_t>(kept.size());
    if (!bone.surface.triangles.empty()) kept.push_back(std::move(bone));
  }
  return kept;
}

}  // namespace supple
