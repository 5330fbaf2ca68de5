// Whether scans have something to teach, said before anyone wonders why the hand they made does not bend.
#pragma once

#include <span>

#include "supple/author/scan/assemble.h"

namespace supple::scan {

/// Too few poses; a pose that hardly differs from the base; scans that are not learnt from because bones were not found
/// in them. `scans`: all but the base.
Warnings doubts_about(std::span<const ScanBone> bones, std::span<const FoundPose> scans);

/// Joints, one per bone, whose centre lies farther from the bone ends that face each other than half the bone's length:
/// no joint of a hand turns about such a place, whoever put it there.
Warnings doubts_about_joints(std::span<const ScanBone> bones, std::span<const JointEstimate> joints);

}  // namespace supple::scan
