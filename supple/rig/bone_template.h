// What is known of a skeleton before it is scanned: the tree of its bones, about where they lie and how they turn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/mat.h"
#include "supple/rig/skeleton.h"

namespace supple {

struct TemplateBone {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::string joint;            // that moves it: "index-finger-phalanx-proximal"
  std::uint32_t parent = none;  // place in the list; parents come first
  Vec3d head{}, tail{};         // joint centre and far end, metres
  Mat3d axes;         // of the joint at rest, world: columns x (flexion is about -x), y (back of the hand), z = -along
  double radius = 0;  // of the bone half-way, metres, about
  std::vector<Dof> dofs{};  // in `axes`, with limits: where to look for the bone in other poses
  bool compound = false;    // several pieces that move as one: the carpus, radius and ulna
  bool slides = false;      // the joint has no fixed centre: six degrees of freedom (thumb's base, wrist)

  double length() const { return supple::length(tail - head); }
};

/// A single bone of a compound one. It has no joint in the skeleton, but moves for itself where a scan shows it apart.
struct TemplateBody {
  std::string name;        // "scaphoid"
  std::uint32_t bone = 0;  // compound bone that it belongs to
  Vec3d centre{};          // metres, in the space of BoneTemplate::marks; of a root, which a scan cuts anywhere: of the
                           // 15 mm next to its children
  double volume = 0;       // cubic metres; 0: not known, as a scan cuts it anywhere
  enum class Motion {
    leads,    // its motion is that of the compound bone: capitate, radius
    follows,  // hardly moves against the one that leads
    between,  // moves between the one that leads and the compound bone's parent
    turns     // turns about its own length: the ulna, seen from the radius
  } motion = Motion::follows;
};

/// In the pose in which a base scan is taken, about. A mirrored template is of the other side.
struct BoneTemplate {
  std::string name;  // "right hand"
  std::vector<TemplateBone> bones;
  std::vector<TemplateBody> bodies{};
  /// Where the ends of other bones lie in the space that bodies are placed in.
  struct Mark {
    std::uint32_t bone = 0;
    Vec3d base{}, end{};
  };
  std::vector<Mark> marks{};
  /// Joints without a bone: finger tips, from the tail of `parent` (a bone) on.
  struct End {
    std::string joint;
    std::uint32_t parent = 0;
    Vec3d at{};
  };
  std::vector<End> ends;
};

}  // namespace supple
