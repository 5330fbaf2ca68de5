// Which bone of the hand a surface is, by the name anatomists give it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "supple/make/hand_anatomy.h"

namespace supple::phantom {

struct BoneName {
  make::BoneKind kind = make::BoneKind::digit;
  make::Digit digit = make::Digit::thumb;             // of bones of a digit
  make::Segment segment = make::Segment::metacarpal;  // ... too
  bool right = true;
  std::string single{};  // which bone of the forearm or the carpus: "radius", "scaphoid"
};

/// "FMA24451_proximal_phalanx_of_right_index_finger", "FMA24446_right_capitate", "left ulna"; words may be parted by
/// anything. None where the name is of no bone of a hand or forearm, or does not tell the side.
std::optional<BoneName> parse_bone_name(std::string_view name);

}  // namespace supple::phantom
