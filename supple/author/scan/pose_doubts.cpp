#include "supple/author/scan/pose_doubts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "supple/base/quat.h"

namespace supple::scan {
namespace {

constexpr std::size_t least_poses = 3;                     // with the base
constexpr double least_turn = 2 * std::numbers::pi / 180;  // of any bone: a hand held as still as people can
constexpr std::size_t most_named = 4;                      // bones in one message
constexpr double farthest_centre = 0.5;                    // from the facing ends, in lengths of the bone

/// The most that a bone turns against its parent, radians.
double largest_turn(std::span<const ScanBone> bones, const Alignment& alignment) {
  double largest = 0;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].parent == TemplateBone::none || !alignment.bones[b].found) continue;
    const Affined& parent = alignment.bones[bones[b].parent].motion;
    const Quatd turn = from_matrix(transpose(parent.linear) * alignment.bones[b].motion.linear);
    largest = std::max(largest, 2 * std::atan2(length(turn.xyz()), std::abs(turn.w)));
  }
  return largest;
}

std::string names_of_lost(std::span<const ScanBone> bones, const Alignment& alignment) {
  std::string names;
  std::size_t lost = 0;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (alignment.bones[b].found) continue;
    if (lost++ < most_named) names += (names.empty() ? "" : ", ") + bones[b].name;
  }
  return lost > most_named ? names + " and " + std::to_string(lost - most_named) + " more" : names;
}

}  // namespace

Warnings doubts_about(std::span<const ScanBone> bones, std::span<const FoundPose> scans) {
  Warnings doubts;
  if (scans.size() + 1 < least_poses) {
    doubts.push_back("only " + std::to_string(scans.size() + 1) +
                     " poses in all: joints turn about what one motion shows, and nothing tells how good the hand is; "
                     "add scans of other poses, and one to be held out");
  }
  for (const FoundPose& scan : scans) {
    const std::string lost = names_of_lost(bones, *scan.alignment);
    if (scan.role == Role::train && !lost.empty()) {
      doubts.push_back("scan '" + scan.name + "': its skin is not learnt from, as bones were not found in it: " + lost +
                       "; set their motions by hand, or take the scan out");
    }
    if (lost.empty() && largest_turn(bones, *scan.alignment) < least_turn) {
      doubts.push_back("scan '" + scan.name +
                       "': is the pose of the base, no bone turns by more than 2 degrees against its neighbour; "
                       "it says nothing about joints");
    }
  }
  return doubts;
}

Warnings doubts_about_joints(std::span<const ScanBone> bones, std::span<const JointEstimate> joints) {
  Warnings doubts;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (bones[b].parent == TemplateBone::none) continue;
    const double away = length(joints[b].centre - joints[b].prior), bone = length(bones[b].tail - bones[b].facing);
    if (!(away > farthest_centre * bone)) continue;
    char text[160];
    std::snprintf(text, sizeof text,
                  "its centre lies %.0f mm from the ends of bone that face each other, and the bone is %.0f mm long; "
                  "the scans carry it %.1f mm away",
                  1000 * away, 1000 * bone, 1000 * joints[b].residual);
    doubts.push_back("joint '" + bones[b].name + "': " + text + "; look at it in the report, and set its centre_mm");
  }
  return doubts;
}

}  // namespace supple::scan
