#include "bindings/open_character.h"

#include "bindings/rig_file.h"
#include "supple/author/bake/bake_drivers.h"
#include "supple/deform/flesh/dynamics.h"
#include "supple/deform/part_binding.h"
#include "supple/files/gltf/deformers.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/save.h"

namespace supple::browser {
namespace {

template <class Matrix>
std::span<const float> floats_of(const std::vector<Matrix>& matrices) {
  static_assert(sizeof(Matrix) == 16 * sizeof(float));
  return {reinterpret_cast<const float*>(matrices.data()), 16 * matrices.size()};
}

}  // namespace

Result<std::unique_ptr<OpenCharacter>> OpenCharacter::open(std::span<const std::byte> contents,
                                                           const std::string& name) {
  std::unique_ptr<OpenCharacter> opened(new OpenCharacter);
  auto document = gltf::parse_document(contents, name);
  if (!document) return document.error();
  opened->document_ = std::move(*document);
  auto imported = gltf::to_character(opened->document_, &opened->warnings_);
  if (!imported) return imported.error();
  opened->imported_ = std::move(*imported);
  auto weights = WeightLayers::make(opened->character());
  if (!weights) return weights.error();
  opened->weights_ = std::move(*weights);
  opened->prepare();
  for (std::size_t p = 0; p < opened->parts_.size(); ++p) {
    if (!opened->is_computed(p)) continue;
    if (auto made = opened->evaluator(p, Blend::linear, opened->layers_); !made) return made.error();
  }
  return opened;
}

void OpenCharacter::prepare() {
  world_.resize(character().skeleton.size());
  for (const Part& part : character().parts) {
    PartState state;
    state.binding = binding_of(character(), part);
    state.matrices.assign(palette_size(state.binding), pack({}));
    if (part.skin) {
      state.stretch.resize(state.matrices.size());
      state.motion.resize(state.matrices.size());
    }
    parts_.push_back(std::move(state));
  }
  pose_ = character().rest();
  flesh_.emplace(imported_.character);
  kinodynamics_.emplace(imported_.character);
  update({});
}

void OpenCharacter::update(const Layers& layers) {
  shown_ = pose_;
  layers_ = layers;
  if (layers.flesh == LayerSource::live) {
    flesh_->move(shown_.local);
  } else {
    rest_twins(character().flesh, shown_.local);
  }
  to_world(character().skeleton, shown_.local, world_);
  weights_.drive(layers, shown_.local, world_, {}, shown_.morph_weights);
  for (PartState& part : parts_) make_palette(part.binding, world_, part.matrices);
  for (const auto& evaluator : evaluators_) evaluator->current = false;
}

std::span<const FleshMotion> OpenCharacter::shown_flesh() const {
  return layers_.flesh == LayerSource::live ? flesh_->motions() : std::span<const FleshMotion>();
}

Result<Palette> OpenCharacter::palette(std::size_t part, Blend blend) {
  PartState& state = parts_[part];
  if (blend == Blend::linear || state.motion.empty())
    return Palette{floats_of(state.matrices), {}, has_scale(state.matrices), false};
  bool stretched = false;
  if (auto made = make_dual_palette(state.matrices, state.motion, state.stretch, stretched); !made) {
    const Error& e = made.error();
    return Error{"part '" + character().parts[part].name + "', " + e.item, e.problem, e.remedy};
  }
  return Palette{floats_of(state.motion), stretched ? floats_of(state.stretch) : std::span<const float>(), false, true};
}

bool OpenCharacter::is_computed(std::size_t part) const {
  return layers_beyond_weights(character(), part, layers_) != Layers::as_given();
}

Result<OpenCharacter::Evaluator*> OpenCharacter::evaluator(std::size_t part, Blend blend, const Layers& layers) {
  const Layers left = layers_beyond_weights(character(), part, layers);
  for (const auto& made : evaluators_)
    if (made->blend == blend && made->layers == left) return made.get();
  auto skin = Skin::make(character(), blend, left);
  if (!skin) return skin.error();
  evaluators_.push_back(std::make_unique<Evaluator>(Evaluator{blend, left, std::move(*skin)}));
  return evaluators_.back().get();
}

Result<const Skin*> OpenCharacter::evaluate(std::size_t part, Blend blend) {
  const auto found = evaluator(part, blend, layers_);
  if (!found) return found.error();
  Evaluator& own = **found;
  if (!own.current) {
    if (auto done = own.skin.evaluate(shown_); !done) return done.error();
    own.current = true;
  }
  return &own.skin;
}

Result<const Skin*> OpenCharacter::evaluate(std::size_t part, const Pose& pose, const Layers& layers, Blend blend) {
  beside_ = pose;
  rest_twins(character().flesh, beside_.local);
  weights_.drive(layers, beside_);
  return evaluate_beside(part, blend, layers);
}

Result<const Skin*> OpenCharacter::evaluate_without_flesh(std::size_t part, Blend blend) {
  beside_ = shown_;
  rest_twins(character().flesh, beside_.local);
  return evaluate_beside(part, blend, layers_);
}

Result<const Skin*> OpenCharacter::evaluate_beside(std::size_t part, Blend blend, const Layers& layers) {
  const auto found = evaluator(part, blend, layers);
  if (!found) return found.error();
  Evaluator& own = **found;
  own.current = false;
  if (auto done = own.skin.evaluate(beside_); !done) return done.error();
  return &own.skin;
}

Result<Bytes> OpenCharacter::to_rig_file() const { return rig_file(document_, imported_); }

Result<Bytes> OpenCharacter::to_glb() const {
  // The weights are shown as they are, which is not always what the layers would make of the pose.
  Clip clip = snapshot_clip(character(), shown_, "studio", Layers::as_given());
  if (clip.tracks.empty() && !shown_.local.empty()) {  // at rest; an animation must move something
    const Quatf q = shown_.local[0].rotation;
    clip.tracks.push_back(
        {Channel::rotation, Interpolation::linear, 0, 4, {0, 1}, {q.x, q.y, q.z, q.w, q.x, q.y, q.z, q.w}});
  }
  gltf::Document document = document_;
  if (!clip.tracks.empty()) {
    if (auto put = gltf::put_clip(document, clip, gltf::places_of(imported_)); !put) return put.error();
  }
  if (kinodynamics_->edited()) {
    if (auto put = gltf::put_deformer(document, kinodynamic_kind, imported_); !put) return put.error();
  }
  return gltf::to_glb(document);
}

}  // namespace supple::browser
