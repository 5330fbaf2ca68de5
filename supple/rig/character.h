// A rigged character: joints, meshes bound to them, and clips. What files are read into and generators make.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "supple/geometry/mesh.h"
#include "supple/rig/clip.h"
#include "supple/rig/delta_mush.h"
#include "supple/rig/flesh.h"
#include "supple/rig/kinodynamics.h"
#include "supple/rig/morph_driver.h"
#include "supple/rig/pose.h"
#include "supple/rig/pose_space.h"
#include "supple/rig/skeleton.h"
#include "supple/rig/skin_weights.h"
#include "supple/rig/wrinkle.h"

namespace supple {

/// Binds a mesh to some of the joints. A vertex bound to joints[k] alone goes to world(joints[k]) * inverse_bind[k] *
/// v.
struct SkinBinding {
  std::string name;
  std::vector<JointIndex> joints;
  std::vector<Affinef> inverse_bind;  // #joints
};

/// Offsets added to the rest shape before skinning. Sparse: only `vertices` move; dense where `vertices` is empty.
struct MorphTarget {
  std::string name;
  std::vector<std::uint32_t> vertices;              // sorted
  std::vector<Vec3f> positions, normals, tangents;  // one per moved vertex, or empty
};

struct Material {
  std::string name;
  std::array<float, 4> base_color{1, 1, 1, 1};  // linear RGBA
  float metallic = 0, roughness = 0.8f;
  bool double_sided = false;
};

/// One drawable surface.
struct Part {
  std::string name;
  Mesh mesh;
  std::vector<std::array<float, 4>> tangents;   // #V (w = handedness), or empty
  std::vector<std::array<float, 2>> texcoords;  // #V, or empty
  std::vector<MorphTarget> morphs;
  std::uint32_t first_morph_weight = 0;  // its place in Pose::morph_weights; parts of one mesh share theirs
  std::optional<std::uint32_t> skin;     // place in Character::skins; none: rigid with `node`
  SkinWeights weights;                   // #V where there is a skin
  JointIndex node = no_joint;            // the node that carries the mesh; its transform is ignored when skinned
  std::optional<std::uint32_t> material;
};

struct Character {
  std::string name;
  /// Metres that one unit of its lengths is, where its file or a person says so; glTF has metres.
  std::optional<double> unit;
  /// Every node of the file is a joint here: nodes above the skeleton, joints of several skins and carriers of rigid
  /// parts move by the same rule.
  Skeleton skeleton;
  std::vector<SkinBinding> skins;
  std::vector<Part> parts;
  std::vector<Material> materials;
  std::vector<Clip> clips;
  std::vector<float> morph_weights;  // at rest
  /// Morph weights that follow the joints; no two drive the same weight.
  std::vector<MorphDriver> drivers;
  /// Body parts that swing; their weights are on twin joints.
  Flesh flesh;
  /// Folds that the skin lays itself in. Their morph weights are their own: no driver and no other wrinkle moves them.
  std::vector<Wrinkle> wrinkles;
  /// Parts whose posed surface is smoothed, each once.
  std::vector<DeltaMush> delta_mush;
  /// A second way to deform the skin, shown where it is asked for and distilled into morph targets for everyone else.
  std::optional<Kinodynamics> kinodynamics;
  /// Example shapes of one part that the pose mixes, alike for all vertices or for each by the joints it feels.
  std::optional<PoseSpace> pose_space;

  Pose rest() const;
  const Clip* find_clip(std::string_view clip_name) const;
  /// Pose of a clip at a time, over the rest pose.
  Pose at(const Clip& clip, float seconds) const;
};

/// Checks everything a file or a generator could get wrong (index ranges, sizes, finite values) and names the item.
Result<void> validate(const Character& character);

/// Joints that some skin uses.
std::vector<bool> skinned_joints(const Character& character);

}  // namespace supple
