// One piece of bone divided into the bones that touch in it.
#pragma once

#include "supple/author/scan/parts_block.h"

namespace supple::scan {

struct SplitOptions {
  std::vector<std::int16_t> levels;  // rising: sample values from which a marker may be cut out; the first: all of it
  bool by_depth = true;              // markers are also divided where they have necks
  double neck_gain = 1.7;            // a neck opens to so many times its radius on both sides
  double smallest = 0;               // cubic metres: a part that is smaller goes back to its neighbour
};

struct Split {
  std::vector<std::uint16_t> part;  // #samples of the block: 1 .. parts, 0 where there is no bone
  std::size_t parts = 0;
  std::int16_t level = 0;  // that was used
};

/// The number of parts is the largest that two neighbouring levels agree upon: what only one of them sees is noise.
Split split_piece(const Block& block, const SplitOptions& options);

}  // namespace supple::scan
