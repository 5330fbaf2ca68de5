// The work that a file is measured with, the same for us and for others: linear blend alone, in poses of all its clips.
#pragma once

#include <vector>

#include "supple/rig/character.h"

inline constexpr std::size_t poses_of_clip = 16;

/// The character without what corrects its skin: joints, weights and meshes.
inline supple::Character linear_blend(const supple::Character& character) {
  supple::Character plain;
  plain.skeleton = character.skeleton;
  plain.skins = character.skins;
  plain.parts = character.parts;
  plain.materials = character.materials;
  for (supple::Part& part : plain.parts) {
    part.morphs.clear();
    part.first_morph_weight = 0;
  }
  return plain;
}

/// Poses of every clip, from its first moment to its last; the rest pose where there is none.
inline std::vector<supple::Pose> clip_poses(const supple::Character& character) {
  std::vector<supple::Pose> out;
  for (const supple::Clip& clip : character.clips)
    for (std::size_t i = 0; i < poses_of_clip; ++i)
      out.push_back(
          character.at(clip, clip.start() + clip.duration() * static_cast<float>(i) / float{poses_of_clip - 1}));
  if (out.empty()) out.push_back(character.rest());
  return out;
}

/// The same for linear_blend().
inline std::vector<supple::Pose> without_morphs(std::vector<supple::Pose> poses) {
  for (supple::Pose& pose : poses) pose.morph_weights.clear();
  return poses;
}
