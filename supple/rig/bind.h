// Binding: rigidly to one joint, or automatically with skin weights from the distance to bones, straight or inside the
// body.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "supple/base/progress.h"
#include "supple/geometry/mesh.h"
#include "supple/rig/character.h"

namespace supple {

/// The bone that one joint moves: a surface where there is one, otherwise the segment from the joint to its end.
struct Bone {
  JointIndex joint = no_joint;
  std::uint32_t parent = 0xffffffffu;  // place of the parent bone in the same list
  Vec3f head{}, tail{};                // rest pose, world space
  Mesh surface;                        // rest pose, world space; may be empty
  std::vector<Vec3f> ends{};           // where its children begin, rest pose, world space; empty: at the tail alone
};

/// How far skin is from a bone.
enum class BoneDistance {
  straight,  // through whatever lies between: right where bones have surfaces just below the skin
  inside     // along the shortest way inside the body: an ear that hangs over an arm is far from the arm
};

struct BindOptions {
  BoneDistance distance = BoneDistance::straight;
  double surface_power = 3;  // weight ~ distance^-power to the bone surfaces, where every bone has one
  double segment_power = 8;  // ... to the bone axes otherwise
  /// Umbrella smoothings of the weights over the skin, lambda = 1/2. None: 10 with straight distances; with those
  /// inside the body as many as make weights fade over 4 % of the root of the skin's area, however fine the mesh is.
  std::optional<int> smoothing{};
  std::size_t max_influences = 4;
};

/// What binding noticed.
struct BindNotes {
  std::vector<std::uint32_t> outside{};  // bones that lie outside the body, which move nothing
  std::size_t attached = 0;  // points of parts that no way inside leads to: they follow the nearest skin of the others
  bool none_inside = false;  // no bone lies in the body or near it: each starts at the skin nearest to it
};

/// Bones of the listed joints in the rest pose: from each joint to the mean of its children (listed or not); a joint
/// without children continues its parent's bone by half its length. A bone's parent is the nearest listed ancestor.
std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const JointIndex> joints);
/// The same in the pose in which a skin binds its mesh, which need not be the rest pose; places in the list are places
/// in the skin only after sorting by joint.
std::vector<Bone> bones_of(const Skeleton& skeleton, const SkinBinding& skin);

/// Binds all joints in the rest pose, in their order: places in the skin are joint numbers.
SkinBinding bind_at_rest(std::string name, const Skeleton& skeleton);

/// Adds a surface that follows one joint rigidly; `joint` is its place in the part's skin. The surface has normals
/// where those before it have.
void append_rigid(Part& part, const Mesh& surface, std::uint32_t joint);

/// Gives bones the surfaces of a part that follows them rigidly, such as the "bones" of a hand: each triangle goes to
/// the bone whose joint moves its first vertex, and bones that get none (finger tips) are dropped. `part` is bound by
/// `skin` in the space of the bones.
std::vector<Bone> with_surfaces(std::span<const Bone> bones, const Part& part, const SkinBinding& skin);

/// Weights ~ d^-p, restricted to the kinematic neighbourhood of the nearest bone (itself, its ancestors and
/// descendants, and siblings where both hang on one bone), smoothed over the surface, reduced to the best few without
/// seams. The influences' joint numbers are places in `bones`. Vertices at one position get one set of weights.
/// With distances inside the body the skin may be open and in several parts; a bone takes part as far as it lies in the
/// body or close to its skin.
Result<SkinWeights> bind_skin(const Mesh& skin, std::span<const Bone> bones, const BindOptions& options = {},
                              const Progress& progress = {}, BindNotes* notes = nullptr);

}  // namespace supple
