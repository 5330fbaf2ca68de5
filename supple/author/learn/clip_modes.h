// A moving surface as a plain clip: a few morph targets and a track of their weights, over linear skinning.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple::learn {

/// What parts of a character look like at times of a clip.
struct SurfaceFrames {
  std::vector<std::size_t> parts;                      // of the character
  std::vector<double> times;                           // seconds of the clip, increasing
  std::vector<std::vector<Vec3f>> positions, normals;  // #times by #V of all parts, one after another; world space
};

struct ClipModes {
  std::size_t modes = 0;
  double blend_error = 0;  // of linear skinning alone: root of mean square, metres
  double error = 0;        // with the modes
  double worst = 0;        // metres
  std::size_t worst_frame = 0, worst_part = 0, worst_vertex = 0;
  std::size_t singular = 0;  // vertices, of all frames, that linear skinning flattens so that no target can mend them
};

/// Gives meshes at most `most` morph targets each and the clip tracks that move them, so that any engine shows the
/// frames; in other clips they rest. Frames that skinning alone shows need none. All parts move by the same modes, as
/// if they were one surface. `meshes` are the parts of each mesh that has parts in the frames. The error says that
/// other morph targets of a mesh move in the clip.
Result<ClipModes> put_clip_modes(Character& character, std::span<const std::vector<std::size_t>> meshes,
                                 std::size_t clip, const SurfaceFrames& frames, std::size_t most);

}  // namespace supple::learn
