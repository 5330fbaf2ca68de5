// A procedural hand: watertight skin, bone surfaces, a skeleton named and oriented as WebXR hand joints, and a fist.
#pragma once

#include "supple/base/progress.h"
#include "supple/base/result.h"
#include "supple/rig/character.h"

namespace supple::make {

enum class Side { left, right };

struct HandOptions {
  std::size_t vertices = 10000;  // of the skin, 100 to 200000
  Side side = Side::right;
  bool bones = true;  // with a second part "bones", one surface per bone
};

/// Metres, palm down: the wrist at the origin, fingers along -z, the back of the hand up (+y). The same options give
/// the same character, bit by bit; the right hand is the exact mirror image of the left one.
Result<Character> make_hand(const HandOptions& options, const Progress& progress = {});

}  // namespace supple::make
