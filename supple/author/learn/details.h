// Details: what a skin of modes misses of a few examples, as morph targets of their own, so that those are hit exactly.
#pragma once

#include "supple/author/learn/eigenskin.h"
#include "supple/author/learn/residual.h"

namespace supple::learn {

/// Examples with this tag are always hit: a sculptor's corrective.
inline constexpr const char* exact_tag = "exact";

struct DetailOptions {
  std::size_t worst = 0;  // examples that the skin misses most, besides those with the tag
  double reach = 0.35;    // radians, over all joints together: where a detail has faded to 1/e
};

/// Adds a correction "details" whose targets are what is left of the chosen examples, each 1 in its own pose and 0 at
/// rest and in those of the others. Of the worst, none is taken that lies within half the reach of another. Returns how
/// many there are. `residual`: the examples that the skin was trained with.
Result<std::size_t> add_details(EigenSkin& skin, const Residual& residual, const Skeleton& skeleton,
                                const DetailOptions& options);

}  // namespace supple::learn
