// Taking deformers out of a file, whatever kind they are.
#pragma once

#include "supple/rig/deformers.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct RemoveOptions {
  std::string input{}, output{};
  std::vector<const DeformerKind*> kinds{};  // empty: all that the file has
};

/// What was there of one kind.
struct RemovedKind {
  const DeformerKind* kind = nullptr;
  std::size_t count = 0;
  std::string summary;
};

struct Removed {
  std::vector<RemovedKind> kinds;  // in the order in which they acted
  std::size_t morph_targets = 0;   // that went with them
  std::size_t joints = 0;          // that went with them
};

/// Takes the kinds out with all that they brought along: morph targets, twin joints, weights and keys of these. Folds
/// that stay are baked again, since they see what is gone. The error says which of them the file lacks, and what it
/// has.
Result<Removed> remove_deformers(const RemoveOptions& options, Work& work);

}  // namespace supple::workflow
