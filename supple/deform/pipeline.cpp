#include "supple/deform/pipeline.h"

#include <algorithm>

#include "supple/deform/part_binding.h"

namespace supple {
namespace {

/// See Layers::max_modes.
std::vector<std::size_t> modes_of_weights(const Character& character) {
  std::vector<bool> moves(character.morph_weights.size());
  for (const Part& part : character.parts)
    for (std::size_t t = 0; t < part.morphs.size(); ++t)
      if (!part.morphs[t].positions.empty()) moves[part.first_morph_weight + t] = true;
  std::vector<std::size_t> modes(moves.size());
  for (const MorphDriver& driver : character.drivers) {
    std::size_t seen[2] = {0, 0};
    for (std::size_t t = 0; t < driver.targets(); ++t)
      modes[driver.first_weight + t] = seen[moves[driver.first_weight + t] ? 1 : 0]++;
  }
  return modes;
}

bool has_own_weights(const Character& character, std::size_t part) {
  const std::optional<PoseSpace>& space = character.pose_space;
  return space && space->part == part && space->influence != JointInfluence::equal;
}

}  // namespace

Result<WeightLayers> WeightLayers::make(const Character& character, const Layers& layers, WeightRange only) {
  WeightLayers made;
  made.character_ = &character;
  if (layers.drivers == LayerSource::live) made.drivers_ = DriverLayer(character.drivers);
  made.mode_of_weight_ = modes_of_weights(character);
  const std::optional<PoseSpace>& space = character.pose_space;
  if (layers.pose_space == LayerSource::live && space && only.holds(space->first_weight))
    made.pose_space_ = pose_weights_of(*space);
  if (layers.wrinkles == LayerSource::live) {
    std::vector<Wrinkle> wrinkles = character.wrinkles;
    std::erase_if(wrinkles, [&](const Wrinkle& wrinkle) { return !only.holds(wrinkle.weight); });
    auto layer = WrinkleLayer::make(character, wrinkles);
    if (!layer) return layer.error();
    made.wrinkles_ = std::move(*layer);
  }
  made.world_.resize(character.skeleton.size());
  return made;
}

void WeightLayers::drive(const Layers& layers, std::span<const Transformf> local, std::span<const Affinef> world,
                         std::span<const FleshMotion> motions, std::span<float> morph_weights) {
  if (character_ == nullptr) return;
  if (layers.drivers == LayerSource::live) drivers_.drive(local, morph_weights);
  rest_modes(layers.drivers == LayerSource::at_rest ? 0 : layers.max_modes, morph_weights);

  const std::optional<PoseSpace>& space = character_->pose_space;
  if (layers.pose_space == LayerSource::live && pose_space_) drive_pose_space(*pose_space_, local, morph_weights);
  if (layers.pose_space == LayerSource::at_rest && space)  // example 0 is the rest shape
    std::fill_n(morph_weights.begin() + space->first_weight, space->targets(), 0.0f);

  if (layers.wrinkles == LayerSource::live) wrinkles_.drive(world, motions, morph_weights);
  if (layers.wrinkles == LayerSource::at_rest)
    for (const Wrinkle& wrinkle : character_->wrinkles) morph_weights[wrinkle.weight] = 0;
}

/// Those of each driver from `first` on.
void WeightLayers::rest_modes(std::size_t first, std::span<float> morph_weights) const {
  if (first == Layers{}.max_modes) return;
  for (const MorphDriver& driver : character_->drivers) {
    for (std::size_t t = 0; t < driver.targets(); ++t) {
      const std::size_t weight = driver.first_weight + t;
      if (mode_of_weight_[weight] >= first) morph_weights[weight] = driver.rest_weights[t];
    }
  }
}

void WeightLayers::drive(const Layers& layers, Pose& pose) {
  if (character_ != nullptr && wrinkles().size() > 0) to_world(character_->skeleton, pose.local, world_);
  drive(layers, pose.local, world_, {}, pose.morph_weights);
}

void drive_morph_weights(const Character& character, Pose& pose, const Layers& layers) {
  WeightLayers::make(character, layers).value().drive(layers, pose);  // a valid character has them
}

SplitWeights split_weights(const Character& character, const Part& part, const Layers& layers) {
  if (layers.flesh == LayerSource::as_given) return {weights_of(part), {}};
  return split_flesh(character, part);
}

SurfaceLayers::SurfaceLayers(const Character& character, std::size_t part, const Layers& layers,
                             std::span<const FleshEntry> flesh)
    : triangles_(character.parts[part].mesh.triangles) {
  if (layers.delta_mush == LayerSource::live) {
    for (const DeltaMush& mush : character.delta_mush)
      if (mush.part == part) unmade_ = &mush;
  }
  if (!flesh.empty())
    flesh_ = build_flesh_table(flesh, character.parts[part].mesh.positions.size(), character.flesh.elements.size());
}

void SurfaceLayers::set_rest(std::span<const Vec3f> positions, std::span<const Vec3f> normals) {
  if (unmade_ == nullptr) return;
  mush_.emplace(build_delta_mush_table(*unmade_, positions, normals, triangles_));
  unmade_ = nullptr;
}

void SurfaceLayers::apply(std::span<const FleshMotion> motions, std::span<Vec3f> positions, std::span<Vec3f> normals,
                          unsigned threads) {
  if (mush_) mush_->apply(positions, normals, threads);
  if (!flesh_.entries.empty() && !motions.empty()) FleshJob{&flesh_, motions, positions, normals, threads}.run();
}

bool is_smoothed(const Character& character, std::size_t part) {
  return std::any_of(character.delta_mush.begin(), character.delta_mush.end(),
                     [&](const DeltaMush& mush) { return mush.part == part; });
}

Layers layers_beyond_weights(const Character& character, std::size_t part, const Layers& layers) {
  Layers left = Layers::as_given();
  if (layers.pose_space == LayerSource::live && has_own_weights(character, part)) left.pose_space = LayerSource::live;
  if (layers.delta_mush == LayerSource::live && is_smoothed(character, part)) {
    left.delta_mush = LayerSource::live;
    left.flesh = LayerSource::live;  // which is added to the smooth surface, by what the twins say
  }
  return left;
}

}  // namespace supple
