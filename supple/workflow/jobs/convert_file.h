// Another format, another packing, a motion applied; everything else in the file stays.
#pragma once

#include <optional>

#include "supple/files/bvh.h"
#include "supple/files/retarget.h"
#include "supple/workflow/jobs/judge_motion.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct ConvertFileOptions {
  std::string input{}, output{};
  std::string motion{};          // BVH, applied as a clip; empty: none
  std::string map{};             // JSON {"motion joint": "rig joint"}; empty: equal or known names
  double motion_scale = 1;       // metres per unit of the motion
  std::optional<double> unit{};  // metres per unit of the file, for it to remember
  std::size_t influences = 0;    // joints that a vertex may follow; 0: any number
  bool reparent = false;         // give a flat skeleton a tree, see proposed_parents()
  std::string parents{};         // JSON {"joint": "its parent"}: as told
  bool embed = false;            // buffers in the .gltf itself
  bool strict = false;           // refuse what would otherwise be repaired
};

/// A motion and which of its joints move which of the character's.
struct AppliedMotion {
  BvhMotion motion;
  JointMatch match;
  std::optional<JudgedMotion> judged{};  // where the skin carries something that linear blend does not
};

struct ConvertedFile {
  Model model;                                                  // as it was written; the motion is its last clip
  std::optional<AppliedMotion> motion;                          // where one was applied
  std::vector<std::pair<std::string, std::string>> reparented;  // joints, and what they hang on now
};

Result<ConvertedFile> convert_file(const ConvertFileOptions& options, Work& work);

}  // namespace supple::workflow
