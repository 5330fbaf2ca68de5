// The hand as rigid bodies with joints, as programs of biomechanics have it: bodies with masses and surfaces, joints
// with coordinates and limits, landmarks of the skin.
#pragma once

#include "supple/author/scan/bone_frames.h"
#include "supple/author/scan/joint_type.h"
#include "supple/geometry/solid_moments.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

struct ModelCoordinate {
  std::string name;   // "index-finger-phalanx-proximal_flexion"
  bool turns = true;  // radians about the axis; otherwise metres along it
  Vec3d axis{};       // unit, in the body's axes
  double low = 0, high = 0;
};

struct ModelBody {
  static constexpr std::size_t ground = static_cast<std::size_t>(-1);

  std::string name;  // of the bone
  std::size_t parent = ground;
  Affined rest;    // model space, metres: the bone's own axes (scan::BoneFrame) in the base scan's pose
  Vec3d centre{};  // of its joint, in the body's axes
  /// Slides first, then turns, in the order in which they are applied: rest * shift * turn 0 * turn 1 ... about the
  /// centre.
  std::vector<ModelCoordinate> coordinates;
  scan::JointType type = scan::JointType::fixed;
  SolidMoments mass;  // kilograms, in the body's axes
  Mesh surface;       // metres, in the body's axes
  struct Landmark {
    std::string name;  // "index-finger-phalanx-distal_tip"
    Vec3d at{};        // in the body's axes
  };
  std::vector<Landmark> landmarks;  // of the skin, as it lies over the bone in the base scan
};

struct HandModel {
  std::string name;
  std::vector<ModelBody> bodies;  // parents first

  std::size_t coordinate_count() const;
};

struct Densities {
  double bone = 1500, flesh = 1060;  // kg / m^3: of whole bones with their marrow, and of what is around them
};

/// `types`, `frames`: one per bone. Joints are of the kind that was chosen; limits are the rig's, and what the scans
/// show.
Result<HandModel> hand_model(const Chain& chain, std::span<const scan::JointTypeChoice> types,
                             std::span<const scan::BoneFrame> frames, const Densities& densities);

/// Where bodies are, model space, for values of all coordinates, body by body.
std::vector<Affined> body_poses(const HandModel& model, std::span<const double> coordinates);

/// The coordinates that bring a body nearest to `motion`: of the bone against its parent, in the body's axes at rest.
std::vector<double> coordinates_of(const ModelBody& body, const Affined& motion);
/// All of a scan's, body by body; joints of bones that were not found stay at rest.
std::vector<double> coordinates_in(const HandModel& model, const Chain& chain, std::size_t scan);

}  // namespace supple::workflow
