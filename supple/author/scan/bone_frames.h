// Coordinate systems of the bones of a hand after the recommendation of the International Society of Biomechanics (Wu
// et al. 2005, part II, section 4), read off their surfaces, and joint angles between them.
#pragma once

#include <span>

#include "supple/author/scan/joint_motions.h"

namespace supple::scan {

/// How a bone's axes came about.
enum class FrameSource : std::uint8_t {
  isb,           // as the recommendation says: metacarpals and phalanges
  carpus,        // the recommendation is for single carpal bones; applied to all of them as one
  forearm,       // it asks for the elbow's end of the radius, which no scan of a hand shows
  from_template  // no rule: the template's axes, turned with the bone
};
const char* key_of(FrameSource source);  // "isb"
const char* describe(FrameSource source);

/// Right-handed axes: x to the palm, y to the elbow, z = x cross y (of a right hand: to the thumb's side).
struct BoneFrame {
  Affined axes;  // base scan, metres; origin half-way between base and head, of the carpus at its centre of volume
  FrameSource source = FrameSource::from_template;
  Vec3d sd{};  // radians about x, y, z: what other samples of the same surface make of them; 0 where not measured
};
/// One per bone of the template "hand", in its order.
std::vector<BoneFrame> bone_frames(std::span<const ScanBone> bones, bool right);

/// What an angle of a joint is counted from.
struct JointFrames {
  Mat3d proximal, distal;            // base scan: axes fixed in the parent, and in the bone
  Vec3d proximal_sd{}, distal_sd{};  // radians about their axes
  bool from_base = false;  // the parent's own frame says nothing about this joint: angles are 0 in the base scan
};
/// The thumb's metacarpal stands on the trapezium, which is not told apart from the carpus: its angles count from the
/// base scan.
JointFrames joint_frames(std::span<const ScanBone> bones, std::span<const BoneFrame> frames, std::size_t bone);

/// Angles of the joint coordinate system: the bone's axes are the parent's, turned by flexion about the parent's z, by
/// deviation about the axis between and by rotation about the bone's own y. Radians; flexion, ulnar deviation and
/// pronation are positive, on a left hand too, whose data the recommendation mirrors. Slides are of the joint's centre,
/// metres, along the parent's axes: to the palm, to the elbow, to the thumb's side. The deviations are standard ones.
struct AnatomicalAngles {
  double flexion = 0, deviation = 0, rotation = 0;
  double flexion_sd = 0, deviation_sd = 0, rotation_sd = 0;
  Vec3d slide{}, slide_sd{};
};
AnatomicalAngles anatomical_angles(const JointFrames& frames, const JointMotion& motion, Vec3d centre, bool right);

}  // namespace supple::scan
