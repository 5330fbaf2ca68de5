// Poses by name, as people write them down: a JSON file that says how the joints of each sculpt or scan are turned.
//
//   { "poses": {
//       "fist": { "joints": { "index-finger-phalanx-proximal": { "flexion": 80 },     degrees, by degree of freedom
//                             "wrist": { "x": 10 },                                   degrees, about the joint's own
//                             axis "thumb-metacarpal": [0, 0, 0.38, 0.92],                 local rotation, x y z w
//                             "root": { "translation": [0, 1, 0] } },                 metres; also rotation, scale
//                 "role": "test", "sweep": "", "tags": [], "weight": 1, "range": 0, "flags": [] } } }
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "supple/files/json_file.h"
#include "supple/rig/example_set.h"

namespace supple {

/// A pose and what its example is to be known by.
struct NamedPose {
  Example example;  // its name is the entry's
  Pose pose;        // joints that are not mentioned are at rest
};

struct PoseBook {
  std::string source;  // for messages
  std::vector<NamedPose> poses;

  const NamedPose* find(std::string_view name) const;
  std::vector<std::string> names() const;
};

Result<PoseBook> read_pose_book(const std::filesystem::path& path, const Skeleton& skeleton);
/// From the value of "poses". The error names the entry, the joint and what is wrong with it.
Result<PoseBook> to_pose_book(const Json& poses, const Skeleton& skeleton, const std::string& source);

/// A pose from a name such as "index.flexion=60, wrist.abduction=-10" (degrees); none where the name is no such text.
std::optional<Result<Pose>> pose_from_name(std::string_view name, const Skeleton& skeleton);

}  // namespace supple
