// Skin weights fitted to examples: what linear blending alone can do better before anything is corrected.
#pragma once

#include "supple/base/progress.h"
#include "supple/rig/example_set.h"

namespace supple::learn {

struct Refinement {
  double rms_before = 0, rms_after = 0;  // of linear blend skinning on the training examples, metres, by their weights
  std::size_t changed_vertices = 0;
};

/// Least squares per vertex over the usable training examples: weights >= 0 that sum to 1, among the joints the vertex
/// has and their neighbours in the skeleton (six at most), held near the weights it had; then smoothed over the surface
/// and reduced to the number of influences the part had. A vertex that this brings no nearer to its examples keeps the
/// weights it had, so that linear blend is never worse than before.
Result<Refinement> refine_weights(const ExampleSet& set, Character& character, std::size_t part,
                                  const Progress& progress = {});

}  // namespace supple::learn
