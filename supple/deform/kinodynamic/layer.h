// Kinodynamic skinning of one character: the flow to a pose, and the muscles' dynamics on top of it (section 6).
#pragma once

#include <span>
#include <vector>

#include "supple/deform/field/job.h"
#include "supple/deform/kinodynamic/held_skin.h"
#include "supple/deform/kinodynamic/normals.h"
#include "supple/deform/kinodynamic/pose_scale.h"
#include "supple/deform/vortex/job.h"

namespace supple {

/// Tables and state of one instance, made once; nothing else allocates. A rig without Character::kinodynamics flows by
/// the automatic field.
class KinodynamicLayer {
 public:
  static Result<KinodynamicLayer> make(const Character& character, Warnings* warnings = nullptr);
  /// A copy has no pose until one is set: the state of the flow points into the tables.
  KinodynamicLayer(const KinodynamicLayer& other)
      : field_(other.field_),
        state_(field_),
        scale_(other.scale_),
        vortices_(other.vortices_),
        swing_(other.swing_),
        parts_(other.parts_) {}
  KinodynamicLayer(KinodynamicLayer&&) = default;
  KinodynamicLayer& operator=(KinodynamicLayer&&) = default;

  /// What a rig says that needs no new tables: volume curves, steps, integrator. (Muscles' parameters are read every
  /// time.)
  void retune(const Kinodynamics& kinodynamics);

  /// The joints are here: muscles hang still, as the pose lets them.
  void settle(const Character& character, std::span<const Affinef> world);
  /// A moment later: they swing on.
  void advance(const Character& character, std::span<const Affinef> world, double seconds);
  /// As in a take, see play_muscles(): #samples.
  void show(std::span<const Affinef> world, std::span<const Vec3f> vorticity);
  /// A state that was sought out, see seek_muscles().
  void show(std::span<const Affinef> world, const VortexState& state);

  /// Whether a part flows: see flowing_parts().
  bool flows(std::size_t part) const { return parts_[part].flows; }
  /// The skin of a part that flows, world space. Where the pose scales joints otherwise than the rest pose does, the
  /// flow follows them without, and skin weights put it on: far from joints the skin is scaled as by linear blend.
  void deform(std::size_t part, std::span<Vec3f> positions, std::span<Vec3f> normals, unsigned threads);

  const FieldTable& field() const { return field_; }
  const FieldState& field_state() const { return state_; }
  const VortexTable& muscles() const { return vortices_; }
  const VortexState& muscle_state() const { return swing_; }
  /// The skin of a part at rest: where the flow begins.
  std::span<const Vec3f> rest(std::size_t part) const { return parts_[part].rest; }
  /// Of a part's vertices, see FieldTable; none where all are as thick as their limbs.
  std::span<const float> thinness(std::size_t part) const { return parts_[part].thinness; }

 private:
  struct PartTables {
    bool flows = false;
    std::vector<Vec3f> rest;
    std::vector<float> thinness;
    FieldBlocks blocks;
    StretchWeights stretch;
    MuscleWeights weights;
    HeldSkin held;
    MovingNormals normals;
    std::vector<Vec3f> faces;
  };
  KinodynamicLayer(const Character& character, FieldTable field, VortexTable vortices)
      : field_(std::move(field)), state_(field_), scale_(character), vortices_(std::move(vortices)) {}
  /// The joints without what the pose scales: what the flow and the muscles follow.
  std::span<const Affinef> follow(std::span<const Affinef> world);
  const Kinodynamics& parameters(const Character& character) const {
    return character.kinodynamics ? *character.kinodynamics : none_;
  }

  FieldTable field_;
  FieldState state_;
  PoseScale scale_;
  VortexTable vortices_;
  VortexState swing_;
  std::vector<PartTables> parts_;
  Kinodynamics none_;
};

}  // namespace supple
