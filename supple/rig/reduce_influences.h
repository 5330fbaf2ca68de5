// Fewer joints per vertex, for engines that take four: with flesh, a bone and its twin become one again before a bone
// is given up.
#pragma once

#include <optional>
#include <string>

#include "supple/rig/character.h"

namespace supple {

/// What a reduction of influences did. Positions are those of linear blend, over moments of the character's clips.
struct ReducedInfluences {
  std::size_t vertices = 0;  // that followed more joints
  std::size_t folded = 0;    // of these, vertices whose bones took back what they had lent to flesh
  double worst = 0;          // metres: how far a vertex is from where it was
  std::size_t part = 0;      // where that is: part, vertex, the joint that it follows most, clip and time
  std::uint32_t vertex = 0;
  JointIndex joint = no_joint;
  std::string clip;
  float seconds = 0;
};

/// No vertex of the part (none: of all parts) follows more than `influences` joints afterwards, > 0. Vertices that
/// follow twins of bones give up, one by one, the influence without which they stay nearest to where they were over the
/// clips; its weight goes to its bone, to another joint or to all others alike, whichever is nearest. At rest nothing
/// moves. Without clips twins go first, back to their bones. Vertices without twins are reduced by top_influences().
ReducedInfluences reduce_influences(Character& character, std::size_t influences,
                                    std::optional<std::size_t> only_part = {});

}  // namespace supple
