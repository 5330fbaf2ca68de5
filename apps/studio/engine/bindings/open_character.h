// A character on the page: the document it came from, the pose that is being made, and what a frame shows of it.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>

#include "bindings/flesh_layer.h"
#include "bindings/kinodynamic_skin.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/pose_space/weights.h"
#include "supple/deform/skin.h"
#include "supple/deform/wrinkle/drive.h"
#include "supple/files/gltf/read.h"

namespace supple::browser {

/// What is shown of the skin. Morph weights and flesh that are left out stand at rest.
struct Layers {
  bool corrections = true;
  std::size_t modes = std::numeric_limits<std::size_t>::max();  // of each driver
  bool flesh = true;
};

/// The matrices of one part, as its blend wants them.
struct Palette {
  std::span<const float> matrices;  // 16 a joint: JointMatrix or JointDualQuat
  std::span<const float> stretch;   // 16 a joint where dual quaternions cannot follow, or empty
  bool scaled = false;              // see has_scale()
  bool dual = false;                // rigid parts are never blended: their matrices are plain ones
};

class OpenCharacter {
 public:
  static Result<std::unique_ptr<OpenCharacter>> open(std::span<const std::byte> contents, const std::string& name);
  OpenCharacter(const OpenCharacter&) = delete;  // skins point into it
  OpenCharacter& operator=(const OpenCharacter&) = delete;

  const Character& character() const { return imported_.character; }
  const gltf::Imported& imported() const { return imported_; }
  /// Joints, clips, drivers, parts and warnings as JSON.
  std::string description() const;

  Pose& pose() { return pose_; }
  FleshLayer& flesh() { return *flesh_; }
  const FleshLayer& flesh() const { return *flesh_; }
  /// None where the last update() left it out.
  std::span<const FleshMotion> shown_flesh() const;
  /// The skin that flows: in the pose that it was last given, which update() does not change.
  KinodynamicSkin& kinodynamics() { return *kinodynamics_; }
  /// Drivers, pose space, flesh, world transforms and palettes of the pose as it is now.
  void update(Layers layers);
  std::span<const float> morph_weights() const { return shown_.morph_weights; }
  std::span<const Affinef> world() const { return world_; }
  Result<Palette> palette(std::size_t part, Blend blend);

  /// Every part on the CPU, as of the last update(); see Skin for the results.
  Result<const Skin*> evaluate(Blend blend);
  Result<const Skin*> evaluate_without_flesh(Blend blend);
  /// A pose beside the one that is shown, its flesh at rest.
  Result<const Skin*> evaluate(const Pose& pose, Layers layers, Blend blend);

  /// The document with the shown pose as a clip called "studio", and with kinodynamics as they were edited.
  Result<Bytes> to_glb() const;

 private:
  struct PartState {
    SkinBinding binding;
    std::vector<JointMatrix> matrices, stretch;
    std::vector<JointDualQuat> motion;
  };
  struct Evaluator {
    std::optional<Skin> skin;
    bool current = false;  // whether it holds what is shown
  };

  OpenCharacter() = default;
  void prepare();
  void correct(Pose& pose, Layers layers) const;
  /// Whether these layers show examples with each vertex's own weights.
  bool weighs(Layers layers) const { return weighing_ && layers.corrections; }
  Evaluator& evaluator(Blend blend, bool weighs) {
    return evaluators_[static_cast<std::size_t>(blend)][static_cast<std::size_t>(weighs)];
  }
  Result<Skin*> skin_of(Blend blend, bool weighs);
  Result<const Skin*> evaluate_beside(Blend blend, bool weighs);

  gltf::Document document_;
  gltf::Imported imported_;
  Warnings warnings_;
  std::vector<std::size_t> mode_of_weight_;  // #morph weights: its place among the modes of its driver
  std::optional<PoseWeights> pose_weights_;  // of a pose space
  std::optional<Character> weighing_;        // of one whose weights are each vertex's own: see with_pose_space_alone()
  Pose pose_, shown_, beside_;
  std::vector<Affinef> world_;
  std::vector<PartState> parts_;
  mutable DriverLayer drivers_;  // its buffers are no state
  std::optional<FleshLayer> flesh_;
  bool flesh_shown_ = false, weighs_shown_ = false;
  std::optional<KinodynamicSkin> kinodynamics_;
  WrinkleTable wrinkles_;
  std::vector<FoldPoint> fold_points_;
  std::array<std::array<Evaluator, 2>, 2> evaluators_;  // by Blend, and by whether vertices weigh examples
};

}  // namespace supple::browser
