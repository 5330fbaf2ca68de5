// The poses that two skins of one character are compared in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supple/rig/character.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {

enum class PoseSource {
  clips,    // moments of the file's clips
  limits,   // within the limits of its joints
  anatomy,  // within the everyday ranges of such joints, see limits_in_use()
  shape,    // within limits that were guessed
  plan,     // as the caller planned them
};

/// The same moment for both skins: clips of the second may carry what was baked into them.
struct ComparedMoment {
  std::string name;
  Pose before, after;
  /// What the muscles of the second skin do then, see play_muscles(); none: flesh and muscles hang as the pose lets
  /// them.
  std::vector<Vec3f> muscles{};
  bool plays = false;                 // a clip's moment: flesh is where the clip has it
  std::optional<std::size_t> clip{};  // of the first character, where it is a moment of one
  float seconds = 0;                  // when
};

struct ComparisonPoses {
  PoseSource source = PoseSource::clips;
  std::vector<ComparedMoment> moments;
};

/// Some sixty moments of the clips, or where there are none as many poses within the joints' limits, which are guessed
/// where the rig does not say. `after` has the joints of `before`, in the same order, and perhaps more behind them.
/// None where no joint bends any skin.
Result<ComparisonPoses> comparison_poses(const Character& before, const Character& after);

/// Every pose of a plan, with the characters' own morph weights.
ComparisonPoses comparison_poses(const Character& before, const Character& after, const PosePlan& plan);

}  // namespace supple::workflow
