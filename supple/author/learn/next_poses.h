// Which poses to make examples of next: those from which a skin would learn most, by the kernel's own variance and by
// what it missed of examples left out. Both are closed forms, and neither needs to know what the poses look like.
#pragma once

#include "supple/author/learn/pose_kernel.h"

namespace supple::learn {

/// Places among the candidates, the most useful first; each is chosen as if those before it were examples already.
/// `known`: the samples that the kernel was fitted to. `candidates`: of the same joints; their weights say how much a
/// pose counts, as often as it is used. A candidate is as useful as the error that it takes away from all of them.
std::vector<std::size_t> next_poses(const PoseKernel& kernel, const PoseSamples& known, const PoseSamples& candidates,
                                    std::size_t count);

}  // namespace supple::learn
