// Which poses a study scans: what people are asked to do with their hand, and never do exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/rig/pose.h"

namespace supple::phantom {

struct StudyPose {
  std::string name;
  bool held_out = false;
  Pose pose;
};

/// "relaxed" (rest), `examples` poses to learn from (four are listed, further ones drawn at random) and two to be held
/// out. Angles are those of the procedural hand; a hand with other limits of its joints is taken to be bent already by
/// as much as its upper limits are lower. `seed` turns every angle by up to 4 degrees (0: none). With `migration`, the
/// centre of a joint wanders by up to that many metres along a direction of its own, as the joint bends: by all of it
/// over the whole range. Joints that the skeleton does not have are left out. A skeleton with joints for single carpals
/// (carpal_joints.h) bends its wrist by up to 30 degrees to all sides, pronates, and folds the ulnar side of its palm.
std::vector<StudyPose> study_poses(const Skeleton& skeleton, std::size_t examples, std::uint64_t seed,
                                   double migration);

/// Joints in world space, in double precision.
std::vector<Affined> world_of(const Skeleton& skeleton, const Pose& pose);

}  // namespace supple::phantom
