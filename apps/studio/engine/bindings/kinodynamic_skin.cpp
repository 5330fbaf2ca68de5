#include "bindings/kinodynamic_skin.h"

#include <algorithm>

#include "supple/author/bake/play_muscles.h"
#include "supple/author/propose/propose_limbs.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/deform/field/limbs.h"

namespace supple::browser {
namespace {

constexpr float muscle_gravity = 9.81f;         // m/s^2
constexpr double longest_muscle_moment = 0.25;  // seconds: a page that slept does not shake the muscles when it wakes

}  // namespace

KinodynamicSkin::KinodynamicSkin(Character& character)
    : character_(character),
      world_(to_world(character.skeleton, character.rest())),
      twins_(twin_joints(character.flesh, character.skeleton.size())) {
  const std::vector<bool> flows = flowing_parts(character);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    PartBuffers& buffers = parts_.emplace_back();
    if (!flows[p]) continue;
    buffers.positions.resize(part.mesh.positions.size());
    buffers.normals.resize(part.mesh.positions.size());
    buffers.surface = SurfaceLayers(character, p, {}, split_weights(character, part, {}).flesh);
  }
}

const Kinodynamics& KinodynamicSkin::parameters() const {
  return character_.kinodynamics ? *character_.kinodynamics : none_;
}

Kinodynamics& KinodynamicSkin::edit() {
  if (!character_.kinodynamics) character_.kinodynamics.emplace();
  edited_ = true;
  return *character_.kinodynamics;
}

FlowParameters KinodynamicSkin::flow() const {
  const DeformationField& f = parameters().field;
  return {f.source, f.shortening, f.spread, f.reach, f.contact, f.integrator, f.step};
}

Result<void> KinodynamicSkin::set_flow(const FlowParameters& p) {
  std::vector<TissuePrimitive> proposed;
  if (p.source == FieldSource::primitives && parameters().field.primitives.empty()) {
    auto tissue = propose_tissue(character_);
    if (!tissue) return tissue.error();
    proposed = std::move(*tissue);
  }
  const std::optional<Kinodynamics> before = character_.kinodynamics;
  const FlowParameters was = flow();
  DeformationField& field = edit().field;
  if (!proposed.empty()) field.primitives = std::move(proposed);
  field.source = p.source;
  field.shortening = p.shortening;
  field.spread = p.spread;
  field.reach = p.reach;
  field.contact = p.contact;
  field.integrator = p.integrator;
  field.step = p.step;
  if (p.source != was.source || p.shortening != was.shortening || p.spread != was.spread || p.reach != was.reach ||
      p.contact != was.contact)
    return rebuild(before, true);
  if (auto valid = validate(parameters(), character_); !valid) {
    character_.kinodynamics = before;
    return valid.error();
  }
  changed();
  return {};
}

Result<void> KinodynamicSkin::set_volume(JointIndex joint, std::optional<VolumeShares> shares) {
  const std::optional<Kinodynamics> before = character_.kinodynamics;
  std::vector<VolumeCurve>& curves = edit().field.volume;
  std::erase_if(curves, [&](const VolumeCurve& curve) { return curve.joint == joint; });
  if (shares) curves.push_back({joint, {{0, static_cast<float>(shares->alpha), static_cast<float>(shares->beta)}}});
  if (auto valid = validate(parameters(), character_); !valid) {
    character_.kinodynamics = before;
    return valid.error();
  }
  changed();
  return {};
}

MuscleParameters KinodynamicSkin::muscle(std::size_t muscle) const {
  const VortexMuscle& m = parameters().muscles[muscle];
  return {m.frequency, m.damping_ratio, length(m.gravity) / muscle_gravity, m.stretch, m.life, m.limit, m.reach};
}

Result<void> KinodynamicSkin::set_muscle(std::size_t muscle, const MuscleParameters& p) {
  const std::optional<Kinodynamics> before = character_.kinodynamics;
  VortexMuscle& m = edit().muscles[muscle];
  const bool reaches_otherwise = m.reach != p.reach;
  m.frequency = p.frequency;
  m.damping_ratio = p.damping_ratio;
  m.gravity = normalized(m.gravity, Vec3f{0, -1, 0}) * (p.gravity * muscle_gravity);
  m.stretch = p.stretch;
  m.life = p.life;
  m.limit = p.limit;
  m.reach = p.reach;
  if (reaches_otherwise) return rebuild(before, false);
  if (auto valid = validate(parameters(), character_); !valid) {
    character_.kinodynamics = before;
    return valid.error();
  }
  return {};
}

void KinodynamicSkin::set_window(float seconds) { edit().window = seconds; }

Result<void> KinodynamicSkin::propose_muscles() {
  auto muscles = supple::propose_muscles(character_);
  if (!muscles) return muscles.error();
  const std::optional<Kinodynamics> before = character_.kinodynamics;
  edit().muscles = std::move(*muscles);
  return rebuild(before, false);
}

/// Curves, steps and the integrator need no new tables.
void KinodynamicSkin::changed() {
  if (!layer_) return;
  layer_->retune(parameters());
  layer_->show(world_, layer_->muscle_state());
  ++flow_number_;
  for (PartBuffers& part : parts_) part.current = false;
}

Result<void> KinodynamicSkin::rebuild(std::optional<Kinodynamics> before, bool keeps_swinging) {
  auto made = KinodynamicLayer::make(character_);
  if (!made) {
    character_.kinodynamics = std::move(before);
    return made.error();
  }
  if (layer_ && keeps_swinging) {
    made->show(world_, layer_->muscle_state());
  } else {
    made->settle(character_, world_);
  }
  layer_.emplace(std::move(*made));
  volume_map_.forget();
  changed();
  return {};
}

Result<void> KinodynamicSkin::ready() { return layer_ ? Result<void>{} : rebuild(character_.kinodynamics, false); }

void KinodynamicSkin::place(std::span<const Affinef> world) {
  bool moved = false;
  for (std::size_t j = 0; j < world_.size(); ++j) moved = moved || (!twins_[j] && !(world[j] == world_[j]));
  if (moved) ++flow_number_;
  world_.assign(world.begin(), world.end());
  for (PartBuffers& part : parts_) part.current = false;
}

Result<void> KinodynamicSkin::settle(std::span<const Affinef> world) {
  if (auto made = ready(); !made) return made;
  place(world);
  layer_->settle(character_, world_);
  return {};
}

Result<void> KinodynamicSkin::animate(std::span<const Affinef> world, double seconds) {
  if (auto made = ready(); !made) return made;
  place(world);
  layer_->advance(character_, world_, std::clamp(seconds, 0.0, longest_muscle_moment));
  return {};
}

Result<void> KinodynamicSkin::seek(std::span<const Affinef> world, std::size_t clip, double seconds) {
  if (parameters().muscles.empty() || !(character_.clips[clip].duration() > 0)) return settle(world);
  if (auto made = ready(); !made) return made;
  auto state = seek_muscles(character_, layer_->muscles(), character_.clips[clip], seconds);
  if (!state) return state.error();
  place(world);
  carry(layer_->muscles(), world_, *state);  // from the nearest step of the clip to the moment itself
  layer_->show(world_, *state);
  return {};
}

Result<KinodynamicSkin::Surface> KinodynamicSkin::surface(std::size_t part, std::span<const FleshMotion> flesh) {
  if (auto made = ready(); !made) return made.error();
  PartBuffers& buffers = parts_[part];
  if (!buffers.current && !buffers.positions.empty()) {
    layer_->deform(part, buffers.positions, buffers.normals, 1);
    buffers.surface.apply(flesh, buffers.positions, buffers.normals, 1);
    buffers.current = true;
  }
  return Surface{buffers.positions, buffers.normals};
}

Result<std::span<const float>> KinodynamicSkin::determinants(std::size_t part) {
  if (auto made = ready(); !made) return made.error();
  return volume_map_.determinants(*layer_, part);
}

Result<const KinodynamicLayer*> KinodynamicSkin::layer() {
  if (auto made = ready(); !made) return made.error();
  return &*layer_;
}

}  // namespace supple::browser
