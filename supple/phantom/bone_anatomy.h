// Measurements of a hand read off the shapes of its bones.
#pragma once

#include <span>
#include <vector>

#include "supple/base/result.h"
#include "supple/make/hand_anatomy.h"
#include "supple/make/hand_rig.h"
#include "supple/phantom/phantom.h"

namespace supple::phantom {

/// How far a bone is turned at rest, beyond what it is in the procedural hand; radians, signed as the joint's angles.
struct RestBend {
  double flexion = 0, abduction = 0;
};

/// Bones in anatomical space (make/hand_anatomy.h: millimetres, a left hand, x radial, y distal, z dorsal) with the
/// wrist's crease at the origin and y along the middle finger's metacarpal.
struct MeasuredHand {
  make::Side side = make::Side::right;
  make::HandAnatomy anatomy;                    // the joints and frames; flesh as of the procedural hand
  std::vector<std::vector<Mesh>> pieces;        // #bones of the anatomy: closed surfaces, facing outwards
  std::vector<RestBend> bent;                   // #bones
  std::vector<std::vector<std::string>> names;  // #bones, as `pieces`: "radius", "scaphoid"; of digits: empty
  /// The forearm turns about the line from the radius's far end, at the elbow, to the ulna's near the hand.
  Vec3d elbow_end{}, ulna_head{};
};

/// Joint centres: of a knuckle or finger joint, the middle of the head of the bone before it; of the metacarpals, where
/// they face the carpus; of the wrist, the head of the capitate. Flexion axes: the wide direction of the heads of the
/// digit's phalanges, whose two condyles are what the next bone turns about. Errors: a bone that is missing, twice
/// there, open, of the other hand, or no bone at all.
Result<MeasuredHand> measure_hand(std::span<const NamedSurface> bones);

}  // namespace supple::phantom
