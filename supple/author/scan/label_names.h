// What the names of labels mean: bones of a hand, groups of them, skin.
#pragma once

#include <string_view>

#include "supple/author/scan/labelled.h"
#include "supple/rig/bone_template.h"

namespace supple::scan {

/// How a name is understood.
enum class NameKind {
  bone,     // one bone of the template, or part of a compound one ("scaphoid")
  group,    // several: "phalanges_hand", "metacarpals", "index finger"
  skin,     // "skin", "body"
  ignored,  // known, and of no use here: muscles, feet, a bone of the other hand
  unknown
};
struct LabelMeaning {
  NameKind kind = NameKind::unknown;
  LabelUse use;
};

/// Words may be parted by anything and come in any order: "index-finger-phalanx-proximal", "Proximal phalanx of right
/// index finger", "PP2", "Right_MC3", TotalSegmentator's "phalanges_hand", "metacarpals", "carpal", "radius" and
/// "ulna". Fingers count from the thumb on. `right`: which hand it is.
LabelMeaning meaning_of(std::string_view name, const BoneTemplate& skeleton, bool right);

}  // namespace supple::scan
