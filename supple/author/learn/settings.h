// Which joints an example moves, and how far: the pose as corrections see it.
#pragma once

#include <vector>

#include "supple/rig/example_set.h"

namespace supple::learn {

/// Rotations of every joint away from rest, one list per chosen example.
struct Settings {
  std::vector<std::vector<Quatf>> rotations;   // #examples, each #joints
  std::vector<std::vector<JointIndex>> moved;  // #examples: joints away from rest
  bool moves(std::size_t example, JointIndex joint) const;
  std::vector<Quatf> of(std::size_t example, std::span<const JointIndex> joints) const;
};

Settings settings_of(const ExampleSet& set, std::span<const std::size_t> chosen);
/// The same, relative to where `reference` has its joints at rest.
Settings settings_from(const Skeleton& reference, const ExampleSet& set, std::span<const std::size_t> chosen);

/// Where the joint's bone points in its rest frame: to its only child or the middle of its children; for the last of a
/// chain, as its parent points to it.
Vec3f bone_axis(const Skeleton& skeleton, JointIndex joint);

}  // namespace supple::learn
