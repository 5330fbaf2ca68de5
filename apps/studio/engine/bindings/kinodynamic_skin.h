// A character on the page whose skin flows with the bones and keeps its volume, muscles swinging under it; what sliders
// set of both, while it moves.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bindings/kinodynamic_maps.h"
#include "supple/deform/pipeline.h"

namespace supple::browser {

/// What the page's controls set of the flow.
struct FlowParameters {
  FieldSource source = FieldSource::automatic;
  float shortening = 0, spread = 0, reach = 0, contact = 0;  // as in DeformationField
  FlowIntegrator integrator = FlowIntegrator::rk4_limb;
  float step = 0;  // radians
};

/// What the page's sliders set of a muscle.
struct MuscleParameters {
  float frequency = 0;  // Hz
  float damping_ratio = 0;
  float gravity = 0;  // times that of the earth, in the muscle's own direction
  float stretch = 0;  // 1/s^2
  float life = 0;
  float limit = 0;  // of the shortest radius
  float reach = 0;  // of a vortex, in units of the shortest radius
};

class KinodynamicSkin {
 public:
  struct Surface {
    std::span<const Vec3f> positions, normals;  // none of a part that does not flow
  };

  /// The character must outlive it. Tables are made when they are asked for.
  explicit KinodynamicSkin(Character& character);

  /// Other parts are blended as ever: those without a skin, and bones.
  bool flows(std::size_t part) const { return !parts_[part].positions.empty(); }
  /// Of the character, or what one without any flows by.
  const Kinodynamics& parameters() const;
  /// Whether they are no longer those of the file.
  bool edited() const { return edited_; }

  FlowParameters flow() const;
  /// Primitives are proposed where the character has none. What was there before stays where this is refused.
  Result<void> set_flow(const FlowParameters& parameters);
  /// The same at all angles, or as the direction of the turn asks.
  Result<void> set_volume(JointIndex joint, std::optional<VolumeShares> shares);
  MuscleParameters muscle(std::size_t muscle) const;
  Result<void> set_muscle(std::size_t muscle, const MuscleParameters& parameters);
  void set_window(float seconds);
  /// Instead of those that it has.
  Result<void> propose_muscles();

  /// The joints are here: muscles hang still.
  Result<void> settle(std::span<const Affinef> world);
  /// A moment later: they swing.
  Result<void> animate(std::span<const Affinef> world, double seconds);
  /// As the clip leads to this pose. Muscles hang still where it has a single frame.
  Result<void> seek(std::span<const Affinef> world, std::size_t clip, double seconds);

  /// Of the last pose, with flesh on it where any moves.
  Result<Surface> surface(std::size_t part, std::span<const FleshMotion> flesh);
  /// See VolumeMap.
  Result<std::span<const float>> determinants(std::size_t part);
  /// Tables and state of the last pose.
  Result<const KinodynamicLayer*> layer();
  std::span<const Affinef> world() const { return world_; }
  /// Another number whenever the flow has changed.
  std::uint32_t flow_number() const { return flow_number_; }

 private:
  struct PartBuffers {
    std::vector<Vec3f> positions, normals;
    SurfaceLayers surface;
    bool current = false;
  };
  Kinodynamics& edit();
  Result<void> ready();
  Result<void> rebuild(std::optional<Kinodynamics> before, bool keeps_swinging);
  void place(std::span<const Affinef> world);
  void changed();

  Character& character_;
  Kinodynamics none_;
  std::optional<KinodynamicLayer> layer_;
  std::vector<Affinef> world_;
  std::vector<bool> twins_;  // #joints: carry flesh, and no limb
  std::vector<PartBuffers> parts_;
  VolumeMap volume_map_;
  std::uint32_t flow_number_ = 0;
  bool edited_ = false;
};

}  // namespace supple::browser
