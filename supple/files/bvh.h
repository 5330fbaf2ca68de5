// BVH motion capture: a hierarchy of offsets and a table of channel values.
#pragma once

#include <filesystem>
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

}  // namespace supple
