// Rotations of joints from rest in the clips of a character.
#pragma once

#include <algorithm>

#include "supple/rig/character.h"

namespace supple {

/// Calls use(joint, rotation from rest) for every joint at thirty moments a second, at most 240 of a clip.
template <class Use>
void for_each_turn_in_clips(const Character& character, const Use& use) {
  constexpr std::size_t most_samples = 240;
  for (const Clip& clip : character.clips) {
    const std::size_t samples =
        std::clamp<std::size_t>(static_cast<std::size_t>(clip.duration() * 30), 1, most_samples);
    for (std::size_t s = 0; s <= samples; ++s) {
      const float time = clip.start() + clip.duration() * static_cast<float>(s) / static_cast<float>(samples);
      const Pose pose = character.at(clip, time);
      for (JointIndex j = 0; j < character.skeleton.size(); ++j)
        use(j, conjugate(Quatd(character.skeleton.rest(j).rotation)) * Quatd(pose.local[j].rotation));
    }
  }
}

}  // namespace supple
