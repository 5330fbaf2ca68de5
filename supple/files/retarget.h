// Motion of one skeleton applied to another whose bones rest in other directions and have other lengths.
#pragma once

#include <map>
#include <string>

#include "supple/rig/clip.h"
#include "supple/rig/skeleton.h"

namespace supple {

struct RetargetOptions {
  /// Source joint -> target joint. Empty: joints of equal names, ignoring case, punctuation and a prefix up to ':', or
  /// joints that mean the same where both skeletons follow known sets of names (see humanoid_names.h), whichever are
  /// more.
  std::map<std::string, std::string> joints;
  /// Factor for the root's path; 0: the ratio of the two skeletons' heights of the root above their lowest matched
  /// joint.
  double translation_scale = 0;
  /// #target, relative to the parents: the pose in which the target stands as the source does at rest, for matched
  /// joints; see bind_pose(). Empty: its rest pose.
  std::vector<Transformf> standing{};
};

/// Which joint moves which.
struct JointMatch {
  std::vector<JointIndex> driver;          // #target: the source joint that drives it, or no_joint
  std::string source_names, target_names;  // sets of names that were recognised; empty: by equal names or by a map
  std::size_t matched() const;
};
/// An error where no joint is matched, or where a map names one that there is not.
Result<JointMatch> match_joints(const Skeleton& source, const Skeleton& target, const RetargetOptions& options = {});

/// Moves a clip onto another skeleton. A bone from a matched joint to the next matched one below it points in the
/// world where its source points, however the two rest; a joint with several such bones turns as its source does, from
/// where its bones fit those of the source best; one with none turns with the bone above it. Feet with a known name
/// stand as flat as they do at rest, since ankles are not equally high: only their heading is aligned. The topmost
/// matched joint also follows the source's path over the ground y = 0. Joints without a counterpart keep their rest
/// pose relative to their parent; the warnings list them.
Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target, const JointMatch& match,
                      const RetargetOptions& options = {}, Warnings* warnings = nullptr);
/// The same with joints matched as the options say.
Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target,
                      const RetargetOptions& options = {}, Warnings* warnings = nullptr);

}  // namespace supple
