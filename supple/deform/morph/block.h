// What a kernel reads of a MorphTable beside the offsets.
#pragma once

#include <cstdint>

namespace supple {

/// 16 vertices in turn.
struct MorphBlock {
  std::uint32_t entry = 0;         // its first one, of large targets before the others
  std::uint32_t list = 0;          // its targets: a MorphList
  float position = 0, normal = 0;  // units of its numbers: metres, or nothing, of each
};

/// Targets of one block or of several in turn, each of which has an entry there.
struct MorphList {
  std::uint32_t first = 0;             // in MorphTable::targets
  std::uint32_t large = 0, plain = 0;  // how many have large entries, and how many follow that have others
};

}  // namespace supple
