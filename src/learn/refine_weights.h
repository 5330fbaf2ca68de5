// Skin weights fitted to examples: what linear blending alone can do better before anything is corrected.
#pragma once

#include "supple/base/progress.h"
#include "supple/rig/example_set.h"

namespace supple::learn {

struct Refinement {
  double rms_before = 0, rms_after = 0;  // of linear blend skinning on the training examples, metres
};

/// Least squares per vertex over the usable training examples: weights >= 0 that sum to 1, among the joints the vertex
/// has and their neighbours in the skeleton (six at most), held near the weights it had; then smoothed over the surface
/// and reduced to the number of influences the part had.
Result<Refinement> refine_weights(const ExampleSet& set, Character& character, std::size_t part,
                                  const Progress& progress = {});

}  // namespace supple::learn
