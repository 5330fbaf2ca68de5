// Reads the name of one joint, without regard to its neighbours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "supple/rig/anatomy.h"

namespace supple {

/// Some names are ambiguous without their neighbours: "LeftLeg" is a shin below "LeftUpLeg", and a thigh otherwise.
struct NamedJoint {
  JointKind kind = JointKind::unknown;
  BodySide side = BodySide::unknown;
  bool arm = false, leg = false;     // "arm", "leg" alone: any joint of it
  bool hip = false;                  // the hip joint, or a joint that carries it
  bool shoulder = false;             // the collar bone, or the upper arm itself
  bool needs_hand = false;           // "middle": a finger below a hand only
  bool front = false, back = false;  // of the legs of an animal
  int digit = -1;
  std::vector<int> numbers{};  // of a finger called by number: "finger 1 2"
  std::string stem;            // the words without side and numbers
  std::string mirrored;        // the name of the joint on the other side, plain; empty: the name has no side
  std::string plain;           // the name in the same form
};

NamedJoint read_joint_name(std::string_view name);

}  // namespace supple
