// The layers that shape a character's skin, and the order in which they act. The order is written here and nowhere
// else:
//
//   WeightLayers     from the joints of a pose to its morph weights:
//                      1. drivers     weights of learnt modes
//                      2. pose space  weights of example shapes
//                      3. wrinkles    weights of folds, which see the weights so far and the flesh
//   PartBlend        from rest to the posed surface of a part (part_blend.h):
//                      4. the examples of a pose space whose weights are each vertex's own, morph targets, skinning;
//                         or KinodynamicLayer in their place
//   SurfaceLayers    on the posed surface of a part:
//                      5. delta mush  not on parts that flow
//                      6. flesh       what swings behind the bones
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "supple/deform/delta_mush/layer.h"
#include "supple/deform/driver_layer.h"
#include "supple/deform/flesh/job.h"
#include "supple/deform/flesh/split.h"
#include "supple/deform/pose_space/weights.h"
#include "supple/deform/wrinkle/layer.h"
#include "supple/rig/character.h"

namespace supple {

/// Where that comes from which a layer contributes.
enum class LayerSource {
  live,      // from the joints of the pose; of flesh, from its springs too
  as_given,  // from the morph weights and twin joints of the pose, as a clip has them into which the layer was baked
  at_rest,   // from nowhere: the layer is switched off, and what it moves stands at rest
};

/// What is shown of the layers, in their order. Delta mush is on where it is live: a pose cannot carry it.
struct Layers {
  LayerSource drivers = LayerSource::live;
  LayerSource pose_space = LayerSource::live;
  LayerSource wrinkles = LayerSource::live;
  LayerSource delta_mush = LayerSource::live;
  LayerSource flesh = LayerSource::live;
  /// Modes of each driver that count; the others stand at rest. Targets that only turn normals are numbered by
  /// themselves: mode m of the positions and mode m of the normals go together.
  std::size_t max_modes = std::numeric_limits<std::size_t>::max();

  /// Nothing but morph targets and skinning of the pose as it is: an engine that knows no layers plays a clip so.
  static constexpr Layers as_given() {
    constexpr LayerSource given = LayerSource::as_given;
    return {given, given, given, given, given};
  }
  friend bool operator==(const Layers&, const Layers&) = default;
};

/// Some of a character's morph weights.
struct WeightRange {
  std::uint32_t first = 0, count = std::numeric_limits<std::uint32_t>::max();
  bool holds(std::uint32_t weight) const { return weight >= first && weight - first < count; }
};

/// Layers 1 to 3. Owns what a frame needs, made once; drive() does not allocate. The character must outlive it and keep
/// its shape.
class WeightLayers {
 public:
  WeightLayers() = default;  // of no character: drives nothing
  /// Of a valid character, those that are live in `layers`, as far as they move weights in `only` (drivers: all). The
  /// error names the wrinkle that does not fit the character.
  static Result<WeightLayers> make(const Character& character, const Layers& layers = {}, WeightRange only = {});

  /// Sets the weights that layers move; the others stay. What is live in `layers` must have been so in make(). `local`
  /// and `world` are the joints; `motions` what the flesh does, one per element. Without any, twins are where `world`
  /// has them.
  void drive(const Layers& layers, std::span<const Transformf> local, std::span<const Affinef> world,
             std::span<const FleshMotion> motions, std::span<float> morph_weights);
  /// The same for a pose whose twins are where the flesh is.
  void drive(const Layers& layers, Pose& pose);

  const WrinkleTable& wrinkles() const { return wrinkles_.table(); }

 private:
  void rest_modes(std::size_t first, std::span<float> morph_weights) const;

  const Character* character_ = nullptr;
  DriverLayer drivers_;
  std::vector<std::size_t> mode_of_weight_;  // #morph weights: place among the modes of its driver
  std::optional<PoseWeights> pose_space_;
  WrinkleLayer wrinkles_;
  std::vector<Affinef> world_;  // #joints
};

/// The morph weights of a valid character in a single pose, twins as the pose has them. Frames keep WeightLayers.
void drive_morph_weights(const Character& character, Pose& pose, const Layers& layers = {});

/// The skin weights that a part is blended by: flesh that the pose carries in its twins is left with them.
SplitWeights split_weights(const Character& character, const Part& part, const Layers& layers);

/// Layers 5 and 6 of one part. Owns what a frame needs; apply() does not allocate. The character must outlive it.
class SurfaceLayers {
 public:
  SurfaceLayers() = default;  // changes nothing
  /// Of a part whose skin weights were split, see split_weights().
  SurfaceLayers(const Character& character, std::size_t part, const Layers& layers, std::span<const FleshEntry> flesh);

  /// Whether a layer is made from the posed surface of the rest pose, and does nothing until set_rest() is called.
  bool wants_rest() const { return unmade_ != nullptr; }
  /// The surface that apply() is to leave as it is, #V positions and normals in the world.
  void set_rest(std::span<const Vec3f> positions, std::span<const Vec3f> normals);

  /// #V positions and normals in the world: as skinned or flown in, as shown out. `motions` are what the flesh does,
  /// one per element; none: nothing.
  void apply(std::span<const FleshMotion> motions, std::span<Vec3f> positions, std::span<Vec3f> normals,
             unsigned threads);

 private:
  std::span<const Triangle> triangles_;
  const DeltaMush* unmade_ = nullptr;
  std::optional<DeltaMushLayer> mush_;
  FleshTable flesh_;
};

/// Whether delta mush smooths the part once it is posed.
bool is_smoothed(const Character& character, std::size_t part);

/// What is left to do for a part in a pose whose morph weights and twins WeightLayers and flesh have set already. It is
/// Layers::as_given() where nothing is: then morph targets and skinning, as any vertex shader does them, show all of
/// `layers`.
Layers layers_beyond_weights(const Character& character, std::size_t part, const Layers& layers);

}  // namespace supple
