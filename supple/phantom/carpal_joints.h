// Joints for the bones that a hand's skeleton has no joint for: carpals beside the capitate, and the ulna.
#pragma once

#include <string>
#include <vector>

#include "supple/phantom/bone_anatomy.h"
#include "supple/rig/pose.h"

namespace supple::phantom {

/// The joint that moves a single bone of the forearm or the carpus: radius and capitate are what the joints "forearm"
/// and "wrist" move, the others have joints of their own names.
std::string joint_of_single(const std::string& name);

/// Adds them to the joints of a hand's skeleton `made`, which `joints` lists in its order. Scaphoid, lunate, triquetrum
/// and pisiform hang on the forearm and turn about the head of the capitate with the wrist's axes, which their motions
/// against the capitate were seen to go through (Moritomo et al., J. Hand Surg. 29A, 2004). Trapezium, trapezoid and
/// hamate hang on the wrist and stay where they are: with the capitate they are one row. The ulna turns about the
/// forearm's axis: "pronation" of the hand away from the pose of the bones. Ring and little finger's metacarpals
/// deviate and turn about their length as well. Errors: no radius or no ulna.
Result<void> add_carpal_joints(const MeasuredHand& hand, const Skeleton& made, std::vector<RawJoint>& joints);

/// Turns the row of carpals next to the forearm by its share of the wrist's angles; nothing where the skeleton has no
/// joints for them.
void carry_carpals(const Skeleton& skeleton, Pose& pose);

}  // namespace supple::phantom
