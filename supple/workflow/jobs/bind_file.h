// Skin weights for a rig that has none, or new ones.
#pragma once

#include "supple/rig/bind.h"
#include "supple/workflow/jobs/compare_skins.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct BindFileOptions {
  std::string input{}, output{};
  std::string skeleton{};  // the file that the joints are taken from; empty: the input itself
  BindOptions weights{};   // distances are those inside the body, whatever it says
  bool compare = true;     // with the weights that the file has
};

struct BoundFile {
  std::size_t parts = 0, vertices = 0, max_influences = 0;
  std::size_t attached = 0;                // points of pieces that no bone is inside of: they follow the nearest skin
  std::vector<std::string> outside{};      // joints outside the body, which move nothing
  std::optional<SkinComparison> compared;  // with the weights that the file had, where it had any
  Skeleton skeleton;                       // of what was written
};

/// New weights for the skinned parts of a file, in which everything else stays; or one skin for all surfaces of a file
/// that has none, or on the joints of another. Parts on the same joints are bound as one body.
Result<BoundFile> bind_file(const BindFileOptions& options, Work& work);

}  // namespace supple::workflow
