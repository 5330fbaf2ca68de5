#include "bindings/open_character.h"

#include "supple/author/bake/bake_drivers.h"
#include "supple/deform/drive.h"
#include "supple/deform/part_binding.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/kinodynamics.h"
#include "supple/files/gltf/save.h"

namespace supple::browser {
namespace {

/// Targets that only turn normals are numbered by themselves: mode m of the positions and mode m of the normals go
/// together.
std::vector<std::size_t> modes_of(const Character& character) {
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

/// A character whose skin takes everything from the pose as it is, except for the weights of its examples.
Character with_pose_space_alone(const Character& character) {
  Character result;
  result.name = character.name;
  result.skeleton = character.skeleton;
  result.skins = character.skins;
  result.parts = character.parts;
  result.materials = character.materials;
  result.morph_weights = character.morph_weights;
  result.pose_space = character.pose_space;
  return result;
}

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
  auto wrinkles = build_wrinkle_table(opened->character(), opened->character().wrinkles);
  if (!wrinkles) return wrinkles.error();
  opened->wrinkles_ = std::move(*wrinkles);
  opened->prepare();
  if (opened->weighing_) {
    if (auto skin = opened->skin_of(Blend::linear, true); !skin) return skin.error();
  }
  return opened;
}

void OpenCharacter::prepare() {
  mode_of_weight_ = modes_of(character());
  if (const auto& space = character().pose_space) {
    pose_weights_ = pose_weights_of(*space);
    if (space->influence != JointInfluence::equal) weighing_ = with_pose_space_alone(character());
  }
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
  drivers_ = DriverLayer(character().drivers);
  flesh_.emplace(imported_.character);
  kinodynamics_.emplace(imported_.character);
  fold_points_.resize(wrinkles_.longest);
  update({});
}

void OpenCharacter::correct(Pose& pose, Layers layers) const {
  if (layers.corrections) drivers_.drive(pose);
  for (const MorphDriver& driver : character().drivers) {
    for (std::size_t t = 0; t < driver.targets(); ++t) {
      const std::size_t weight = driver.first_weight + t;
      if (!layers.corrections || mode_of_weight_[weight] >= layers.modes)
        pose.morph_weights[weight] = driver.rest_weights[t];
    }
  }
  if (!pose_weights_) return;
  if (layers.corrections) return drive_pose_space(*pose_weights_, pose.local, pose.morph_weights);
  const auto examples = pose.morph_weights.begin() + pose_weights_->first_weight;
  std::fill_n(examples, character().pose_space->targets(), 0.0f);  // example 0 is the rest shape
}

void OpenCharacter::update(Layers layers) {
  shown_ = pose_;
  correct(shown_, layers);
  weighs_shown_ = weighs(layers);
  flesh_shown_ = layers.flesh;
  if (layers.flesh) {
    flesh_->move(shown_.local);
  } else {
    rest_twins(character().flesh, shown_.local);
  }
  to_world(character().skeleton, shown_.local, world_);
  drive_wrinkles(wrinkles_, world_, fold_points_, shown_.morph_weights);
  for (PartState& part : parts_) make_palette(part.binding, world_, part.matrices);
  for (auto& of_blend : evaluators_)
    for (Evaluator& evaluator : of_blend) evaluator.current = false;
}

std::span<const FleshMotion> OpenCharacter::shown_flesh() const {
  return flesh_shown_ ? flesh_->motions() : std::span<const FleshMotion>();
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

Result<Skin*> OpenCharacter::skin_of(Blend blend, bool weighs) {
  std::optional<Skin>& skin = evaluator(blend, weighs).skin;
  if (!skin) {
    auto made = weighs ? Skin::make(*weighing_, blend, Layers{}) : Skin::make(character(), blend, Layers::as_given());
    if (!made) return made.error();
    skin = std::move(*made);
  }
  return &*skin;
}

Result<const Skin*> OpenCharacter::evaluate(Blend blend) {
  const auto skin = skin_of(blend, weighs_shown_);
  if (!skin) return skin.error();
  bool& current = evaluator(blend, weighs_shown_).current;
  if (!current) {
    if (auto done = (*skin)->evaluate(shown_); !done) return done.error();
    current = true;
  }
  return *skin;
}

Result<const Skin*> OpenCharacter::evaluate(const Pose& pose, Layers layers, Blend blend) {
  beside_ = pose;
  correct(beside_, layers);
  return evaluate_beside(blend, weighs(layers));
}

Result<const Skin*> OpenCharacter::evaluate_without_flesh(Blend blend) {
  beside_ = shown_;
  return evaluate_beside(blend, weighs_shown_);
}

Result<const Skin*> OpenCharacter::evaluate_beside(Blend blend, bool weighs) {
  const auto skin = skin_of(blend, weighs);
  if (!skin) return skin.error();
  rest_twins(character().flesh, beside_.local);
  evaluator(blend, weighs).current = false;
  if (auto done = (*skin)->evaluate(beside_); !done) return done.error();
  return *skin;
}

Result<Bytes> OpenCharacter::to_glb() const {
  // The weights are shown as they are, which is not always what drivers and pose space would make of the pose.
  Character undriven = character();
  undriven.drivers.clear();
  undriven.pose_space.reset();
  Clip clip = snapshot_clip(undriven, shown_, "studio");
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
    const gltf::Places places = gltf::places_of(imported_);
    if (auto put = gltf::put_kinodynamics(document, character().kinodynamics, imported_.sources, places); !put)
      return put.error();
  }
  return gltf::to_glb(document);
}

}  // namespace supple::browser
