// The poses that a skin is taught in, as whole poses: clips move and scale joints, which angles alone do not say.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "supple/rig/character.h"
#include "supple/rig/example_set.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {

/// Of the most strain that linear blend has in a frame of a clip: a rig was not made for poses with more.
inline constexpr double absurd_strain = 1.5;

struct TeachingPose {
  std::string name, sweep;  // names are unique among the poses that are taught together
  Pose pose;
  Role role = Role::train;
  float weight = 1;
  std::vector<std::string> tags{};
};

/// Every pose of a plan that is valid for the character.
std::vector<TeachingPose> teaching_poses(const PosePlan& plan, const Character& character);

struct ClipPoses {
  std::vector<TeachingPose> poses;  // clip by clip
  std::size_t clips = 0;            // that some frames are of
};
/// About `wanted` frames of all clips together, more of a clip the more it moves, and at least `fewest_clip_frames` of
/// each where that makes no more than three times as many. Frames that differ from the one before by less than half a
/// degree, or as little of the size, are left out. Two of every eight are test poses, side by side: between frames that
/// are learnt from, and not next to them alone; of clips with fewer than six frames the middle one of every other clip.
inline constexpr std::size_t fewest_clip_frames = 8;
ClipPoses clip_poses(const Character& character, std::size_t wanted);

/// About `count` of the training poses that are frames of clips, taken evenly, with left and right exchanged: what one
/// side does in a clip, the other may do in the next. Tagged as mixed poses are: no clip has them. None where left and
/// right are not known.
std::vector<TeachingPose> mirrored_poses(const Character& character, std::span<const TeachingPose> poses,
                                         std::size_t count);

/// Training poses beyond `poses`: every other one is one of them with all turns `farther` as large, and every other one
/// puts the turns of two together besides. Joints are where they are at rest but for their turns.
std::vector<TeachingPose> mixed_poses(const Character& character, std::span<const TeachingPose> poses,
                                      std::size_t count, std::uint64_t seed, double farther = 1.4);

}  // namespace supple::workflow
