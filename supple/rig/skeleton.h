// The tree of joints: names, parents, rest transforms, and how each joint may move.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/result.h"
#include "supple/base/transform.h"

namespace supple {

/// Position in a Skeleton. Parents always have smaller numbers than their children.
using JointIndex = std::uint32_t;
inline constexpr JointIndex no_joint = 0xffffffffu;

/// One way a joint can turn, about an axis fixed in the joint's own rest frame.
struct Dof {
  std::string name;        // "flexion", "abduction", "twist"
  Vec3f axis{1, 0, 0};     // unit vector
  float min = 0, max = 0;  // radians
  friend bool operator==(const Dof&, const Dof&) = default;
};

/// A joint as it comes from a file or a generator: in any order, the parent named by its place in the same list.
struct RawJoint {
  std::string name;
  std::optional<std::size_t> parent;
  Transformf rest;  // relative to the parent
  std::vector<Dof>
      dofs;              // at most three, applied in this order after the rest rotation: rest * R(dof 0) * R(dof 1) ...
  bool in_skin = false;  // whether skin follows it: of joints with one name, these keep it
};

/// Where each joint of a source list went, and where each joint came from.
struct JointRemap {
  std::vector<JointIndex> to_joint;      // #source: place in the skeleton
  std::vector<std::uint32_t> to_source;  // #joints: place in the source list
};

class Skeleton {
 public:
  std::size_t size() const { return parents_.size(); }
  /// Its own: no other joint has it, and it is not empty. See unique_joint_names().
  const std::string& name(JointIndex j) const { return names_[j]; }
  /// As the file has it: empty, or that of another joint, where the file has it so.
  const std::string& given_name(JointIndex j) const { return given_names_[j]; }
  std::span<const std::string> names() const { return names_; }
  JointIndex parent(JointIndex j) const { return parents_[j]; }  // no_joint for roots
  std::span<const JointIndex> parents() const { return parents_; }
  const Transformf& rest(JointIndex j) const { return rest_[j]; }
  std::span<const Transformf> rest() const { return rest_; }
  std::span<const Dof> dofs(JointIndex j) const { return dofs_[j]; }
  std::vector<JointIndex> children(JointIndex j) const;

  /// The joint of that name.
  std::optional<JointIndex> find(std::string_view name) const;
  /// Like find, but the error suggests the nearest name.
  Result<JointIndex> require(std::string_view name) const;
  /// Whether `ancestor` is `j` or above it.
  bool is_ancestor(JointIndex ancestor, JointIndex j) const;

  void set_rest(JointIndex j, const Transformf& rest) { rest_[j] = rest; }
  /// At most three, with unit axes and ordered limits.
  void set_dofs(JointIndex j, std::vector<Dof> dofs) { dofs_[j] = std::move(dofs); }
  /// A further joint below an existing one; the others keep their numbers. Where a joint has the name already, the new
  /// one is called "name#9" by its own number.
  JointIndex append(std::string name, JointIndex parent, const Transformf& rest = {});

 private:
  friend Result<struct BuiltSkeleton> build_skeleton(std::span<const RawJoint> joints);
  std::vector<std::string> names_, given_names_;
  std::vector<JointIndex> parents_;
  std::vector<Transformf> rest_;
  std::vector<std::vector<Dof>> dofs_;
};

struct BuiltSkeleton {
  Skeleton skeleton;
  JointRemap remap;
};

/// A name of its own for every joint, by which people and files speak of it: a joint without a name is called "#5" by
/// its place in the list (of a glTF file: the number of its node), and of several joints with the name "Arm" the first
/// in a skin keeps it (if none is in a skin, the first), the others are called "Arm#7" by their places.
std::vector<std::string> unique_joint_names(std::span<const RawJoint> joints);

/// Sorts parents before children (keeping the given order among siblings and roots) and checks that the parents form a
/// forest, transforms are finite, rotations have a length, axes are unit vectors and limits are ordered. Joints get
/// unique names.
Result<BuiltSkeleton> build_skeleton(std::span<const RawJoint> joints);

}  // namespace supple
