// A character on the page: the document it came from, the pose that is being made, and what a frame shows of it.
#pragma once

#include <memory>
#include <optional>

#include "bindings/flesh_layer.h"
#include "bindings/kinodynamic_skin.h"
#include "supple/deform/skin.h"
#include "supple/files/gltf/read.h"

namespace supple::browser {

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
  /// The pose of the last update(), with the flesh that it has.
  const Pose& shown() const { return shown_; }
  FleshLayer& flesh() { return *flesh_; }
  const FleshLayer& flesh() const { return *flesh_; }
  /// None where the last update() left it out.
  std::span<const FleshMotion> shown_flesh() const;
  /// The skin that flows: in the pose that it was last given, which update() does not change.
  KinodynamicSkin& kinodynamics() { return *kinodynamics_; }
  /// Flesh, world transforms, morph weights and palettes of the pose as it is now. Flesh that is live is what flesh()
  /// says, not what the pose has in its twins.
  void update(const Layers& layers);
  std::span<const float> morph_weights() const { return shown_.morph_weights; }
  std::span<const Affinef> world() const { return world_; }
  Result<Palette> palette(std::size_t part, Blend blend);

  /// Whether morph weights and palette() do not tell all of the part's shape as of the last update(): only evaluate()
  /// does.
  bool is_computed(std::size_t part) const;
  /// A part on the CPU, as of the last update(); results are those of this part of the Skin.
  Result<const Skin*> evaluate(std::size_t part, Blend blend);
  Result<const Skin*> evaluate_without_flesh(std::size_t part, Blend blend);
  /// A pose beside the one that is shown, its flesh at rest.
  Result<const Skin*> evaluate(std::size_t part, const Pose& pose, const Layers& layers, Blend blend);

  /// See rig_file.h.
  Result<Bytes> to_rig_file() const;
  /// The document with the shown pose as a clip called "studio", and with kinodynamics as they were edited.
  Result<Bytes> to_glb() const;

 private:
  struct PartState {
    SkinBinding binding;
    std::vector<JointMatrix> matrices, stretch;
    std::vector<JointDualQuat> motion;
  };
  /// A skin of poses whose morph weights and twins are known.
  struct Evaluator {
    Blend blend;
    Layers layers;  // see layers_beyond_weights()
    Skin skin;
    bool current = false;  // whether it holds what is shown
  };

  OpenCharacter() = default;
  void prepare();
  /// Made where there is none yet for a part that is shown so.
  Result<Evaluator*> evaluator(std::size_t part, Blend blend, const Layers& layers);
  Result<const Skin*> evaluate_beside(std::size_t part, Blend blend, const Layers& layers);

  gltf::Document document_;
  gltf::Imported imported_;
  Warnings warnings_;
  Pose pose_, shown_, beside_;
  Layers layers_;  // that are shown
  std::vector<Affinef> world_;
  std::vector<PartState> parts_;
  WeightLayers weights_;
  std::optional<FleshLayer> flesh_;
  std::optional<KinodynamicSkin> kinodynamics_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
};

}  // namespace supple::browser
