// Places of bones and skin that anatomists name, found on the base scan, each with what is known of how well.
#pragma once

#include <span>

#include "supple/author/scan/bone_frames.h"

namespace supple::scan {

enum class LandmarkKind : std::uint8_t {
  base,    // centre of the end of a metacarpal or phalanx that is nearer to the elbow
  head,    // and of the other one
  dorsal,  // where the bone's axis to the back of the hand leaves the skin
  palmar,  // and that to the palm
  tip,     // where the long axis of the last bone of a finger does
  crease   // over a joint between two phalanges, on the palm's side
};
const char* key_of(LandmarkKind kind);  // "base"
inline bool is_on_skin(LandmarkKind kind) { return kind >= LandmarkKind::dorsal; }

struct Landmark {
  LandmarkKind kind = LandmarkKind::base;
  std::uint32_t bone = 0;      // that it moves with
  std::string name;            // "index-finger-phalanx-distal_tip"
  Vec3d at{};                  // base scan, metres
  double sd = 0;               // metres, from what samples of the same surfaces differ by
  double obliquity = 0;        // of skin: radians between the line from the bone and the skin's normal
  double off_second_way = 0;   // of tips, metres: from the farthest place of the skin around, found without bones
  bool at_border = false;      // of skin: where the volume cut it
  std::uint32_t triangle = 0;  // of skin
  Vec3d barycentric{};         // of skin, in its triangle
};

/// One for each that is found. `centres`: of joints, one per bone. `skin` and `border` (vertices where the volume cut
/// it) may be empty: bones alone then.
std::vector<Landmark> find_landmarks(std::span<const ScanBone> bones, std::span<const BoneFrame> frames,
                                     std::span<const Vec3d> centres, const Mesh& skin,
                                     const std::vector<bool>& border = {});

}  // namespace supple::scan
