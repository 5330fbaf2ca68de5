// BVH motion capture: a hierarchy of offsets and a table of channel values.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "supple/rig/clip.h"
#include "supple/rig/skeleton.h"

namespace supple {

struct BvhOptions {
  double scale = 1;  // metres per unit of the file: 0.01 for centimetres
};

/// Joints as in the file, with an extra one named "<joint>_end" for each end site; all rest rotations are zero.
struct BvhMotion {
  Skeleton skeleton;
  Clip clip;
  std::size_t frames = 0;
  double frame_time = 0;  // seconds
};

/// Rotation channels apply in the order they are listed. Position channels replace the joint's offset, axis by axis.
Result<BvhMotion> read_bvh(const std::filesystem::path& path, const BvhOptions& options = {});
Result<BvhMotion> parse_bvh(std::string_view text, const std::string& name, const BvhOptions& options = {});

struct RetargetOptions {
  /// Source joint -> target joint. Empty: joints of equal names, ignoring case, punctuation and a prefix up to ':'.
  std::map<std::string, std::string> joints;
  /// Factor for the root's path; 0: the ratio of the two skeletons' heights of the root above their lowest matched
  /// joint.
  double translation_scale = 0;
};

/// Moves a clip onto another skeleton. Each matched joint turns in world space as far from its rest orientation as its
/// source does; the topmost matched joint also follows the source's path over the ground y = 0. Joints without a
/// counterpart keep their rest pose relative to their parent; the warnings list them.
Result<Clip> retarget(const Skeleton& source, const Clip& clip, const Skeleton& target,
                      const RetargetOptions& options = {}, Warnings* warnings = nullptr);

}  // namespace supple
