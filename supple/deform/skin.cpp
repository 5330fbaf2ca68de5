#include "supple/deform/skin.h"

#include <algorithm>

#include "supple/deform/kinodynamic/hidden_morphs.h"

namespace supple {

Result<Skin> Skin::make(const Character& character, Blend blend, const Layers& layers, Warnings* warnings) {
  if (auto ok = validate(character); !ok) return ok.error();
  Skin skin(character, layers);
  skin.world_.resize(character.skeleton.size());
  skin.morph_weights_.resize(character.morph_weights.size());
  skin.flesh_.motions.resize(character.flesh.elements.size());
  if (layers.pose_space == LayerSource::live && character.pose_space) {
    auto layer = PoseSpaceLayer::make(character);
    if (!layer) return layer.error();
    skin.pose_space_ = std::move(*layer);
  }
  for (std::size_t p = 0; p < character.parts.size(); ++p)
    if (auto ok = skin.add_part(p, blend); !ok) return ok.error();
  auto weights = WeightLayers::make(character, layers);
  if (!weights) return weights.error();
  skin.weights_ = std::move(*weights);
  if (blend == Blend::kinodynamic) {
    auto layer = KinodynamicLayer::make(character, warnings);
    if (!layer) return layer.error();
    skin.kinodynamics_ = std::move(*layer);
    if (warnings != nullptr) warn_of_hidden_morphs(character, *warnings);
  }
  if (auto ok = skin.set_rest(); !ok) return ok.error();
  return skin;
}

Result<void> Skin::add_part(std::size_t number, Blend blend) {
  const Part& part = character_->parts[number];
  const SplitWeights weights = split_weights(*character_, part, layers_);
  auto made = PartBlend::make(*character_, number, blend, layers_, weights.bones, pose_space());
  if (!made) return made.error();
  const std::size_t vertices = part.mesh.positions.size();
  parts_.push_back({std::move(*made), SurfaceLayers(*character_, number, layers_, weights.flesh),
                    std::vector<Vec3f>(vertices), std::vector<Vec3f>(vertices)});
  return {};
}

/// Shows the rest pose, and tells it to layers that must leave it as it is: with the weights that it has when all
/// layers are live, wherever they come from in frames.
Result<void> Skin::set_rest() {
  Pose rest = character_->rest();
  if (std::any_of(parts_.begin(), parts_.end(), [](const PartState& state) { return state.surface.wants_rest(); }))
    drive_morph_weights(*character_, rest);
  if (auto ok = evaluate(rest); !ok) return ok;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    if (!flows(p)) parts_[p].surface.set_rest(parts_[p].positions, parts_[p].normals);
  return {};
}

Result<void> Skin::check(const Pose& pose) const {
  if (pose.local.size() != character_->skeleton.size()) {
    return Error{"pose",
                 "has " + std::to_string(pose.local.size()) + " joints where the character has " +
                     std::to_string(character_->skeleton.size()),
                 ""};
  }
  if (pose.morph_weights.size() != character_->morph_weights.size()) {
    return Error{"pose",
                 "has " + std::to_string(pose.morph_weights.size()) + " morph weights where the character has " +
                     std::to_string(character_->morph_weights.size()),
                 ""};
  }
  return {};
}

Result<void> Skin::evaluate(const Pose& pose, unsigned threads) {
  if (auto ok = check(pose); !ok) return ok;
  to_world(character_->skeleton, pose.local, world_);
  if (!flesh_given_) read_twins(character_->flesh, world_, pose.local, flesh_.motions);
  if (kinodynamics_ && muscles_.empty()) kinodynamics_->settle(*character_, world_);
  if (kinodynamics_ && !muscles_.empty()) kinodynamics_->show(world_, muscles_);
  return evaluate_parts(pose, threads);
}

Result<void> Skin::animate(const Pose& pose, double seconds, unsigned threads) {
  if (auto ok = check(pose); !ok) return ok;
  to_world(character_->skeleton, pose.local, world_);
  if (has_moved_) {
    advance(character_->flesh, world_, seconds, flesh_);
    if (kinodynamics_) kinodynamics_->advance(*character_, world_, seconds);
  } else {
    settle(character_->flesh, world_, flesh_);
    if (kinodynamics_) kinodynamics_->settle(*character_, world_);
    has_moved_ = true;
  }
  return evaluate_parts(pose, threads);
}

Result<void> Skin::set_flesh(std::span<const FleshMotion> motions) {
  if (!motions.empty() && motions.size() != flesh_.motions.size())
    return Error{"flesh",
                 "is given for " + std::to_string(motions.size()) + " elements where the character has " +
                     std::to_string(flesh_.motions.size()),
                 ""};
  flesh_given_ = motions.size() == flesh_.motions.size();
  if (flesh_given_) std::copy(motions.begin(), motions.end(), flesh_.motions.begin());
  has_moved_ = false;
  return {};
}

Result<void> Skin::set_muscles(std::span<const Vec3f> vorticity) {
  const std::size_t samples = kinodynamics_ ? kinodynamics_->muscles().positions.size() : 0;
  if (!vorticity.empty() && vorticity.size() != samples)
    return Error{
        "muscles",
        "are given for " + std::to_string(vorticity.size()) + " samples where the skin has " + std::to_string(samples),
        kinodynamics_ ? "" : "make the skin with Blend::kinodynamic"};
  muscles_.assign(vorticity.begin(), vorticity.end());
  has_moved_ = false;
  return {};
}

Result<void> Skin::evaluate_parts(const Pose& pose, unsigned threads) {
  if (layers_.flesh == LayerSource::at_rest) std::fill(flesh_.motions.begin(), flesh_.motions.end(), FleshMotion{});
  std::copy(pose.morph_weights.begin(), pose.morph_weights.end(), morph_weights_.begin());
  weights_.drive(layers_, pose.local, world_, flesh_.motions, morph_weights_);
  const PartBlend::Frame frame{pose.local, world_, morph_weights_};
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    auto& [blend, surface, positions, normals] = parts_[p];
    if (flows(p)) {
      kinodynamics_->deform(p, positions, normals, threads);
    } else if (auto ok = blend.run(frame, pose_space(), positions, normals, threads); !ok) {
      return ok;
    }
    surface.apply(flesh_.motions, positions, normals, threads);
  }
  return {};
}

}  // namespace supple
