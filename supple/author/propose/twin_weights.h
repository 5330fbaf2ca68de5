// Skin weights lent by bones to twin joints, so that blending alone moves vertices with the flesh.
#pragma once

#include <span>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// What twins are made from: the joints that lend, which are those the element's skin hangs on, and alpha_2 at every
/// vertex of every part; parts without any are empty.
struct ElementWeights {
  std::vector<JointIndex> lenders;
  std::vector<std::vector<float>> alpha;  // #parts by #V
};

/// Makes twins for the character's flesh elements, one per lender that is asked, and moves the weights: a vertex with
/// alpha gives alpha / reach of its heaviest lender's weight to that bone's twin. The reach is chosen so that there is
/// always enough to lend, and a vertex gains one influence per element. Elements that turn have a reach of one and
/// borrow from all bones of a vertex alike: only so is the turn of a blend the blend of turns. The error names an
/// element that asks for more of a vertex than there is.
Result<void> add_twins(Character& character, std::span<const ElementWeights> weights);

}  // namespace supple
