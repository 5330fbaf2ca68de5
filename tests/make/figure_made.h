// What the tests of the figure look at: its skeleton with the clips, quickly made, and the whole of it.
#pragma once

#include <string_view>

#include "supple/make/figure.h"
#include "supple/make/figure_anatomy.h"
#include "supple/make/figure_clips.h"
#include "supple/make/figure_rig.h"

namespace supple::make {

inline constexpr std::size_t skin_vertices = 3000;

/// Joints and clips without skin: most tests need no more, and each may run in its own process.
inline const Character& bare_figure() {
  static const Character bare = [] {
    Character c;
    c.skeleton = *figure_skeleton(figure_bones());
    c.clips = {walk_clip(c.skeleton), run_clip(c.skeleton), jump_clip(c.skeleton)};
    return c;
  }();
  return bare;
}

inline const Character& figure() {
  static const Result<Character> made = make_figure({skin_vertices});
  return *made;
}

inline Vec3f joint_position(const Pose& pose, std::string_view name) {
  const Skeleton& skeleton = bare_figure().skeleton;
  return to_world(skeleton, pose)[*skeleton.find(name)].translation;
}

}  // namespace supple::make
