// Hard skin under flesh: it is no flesh itself, and what sits on flesh swings along as one.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/flesh/body.h"
#include "supple/rig/hard_skin.h"

namespace supple {

/// Takes what is hard out of a membership (#V of the body, see membership_of()): shells wholly, heads as far as they
/// are hard.
void leave_out_hard(const Character& character, const FleshBody& body, const HardSkin& hard,
                    std::span<float> membership);

/// Gives each shell one weight, that of the soft skin below it on the mean: it goes along without being bent. None to
/// shells of which some vertex follows none of the `lenders`, the joints whose skin swings: such a vertex could not,
/// and none at all where the element `turns`, which would shear them.
void carry_shells(const Character& character, const FleshBody& body, const HardSkin& hard,
                  std::span<const JointIndex> lenders, bool turns, std::span<float> weights);

}  // namespace supple
