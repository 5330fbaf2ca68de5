#include "supple/deform/skin.h"

#include <algorithm>

#include "supple/deform/morph/job.h"
#include "supple/deform/part_binding.h"
#include "supple/deform/skinning/job.h"

namespace supple {
namespace {

/// Of the part's size, what one target at full weight may be off: far below what can be seen (a tenth of a micrometre
/// of a hand), and what 16 bits hold of offsets up to a fortieth of that size, in half the memory.
constexpr double morph_tolerance = 4e-7;

/// Twins have no weights where flesh is a layer of its own; they stand last in a binding, as attach_flesh() put them.
void leave_out_twins(SkinBinding& binding, const Flesh& flesh, std::size_t joint_count) {
  const std::vector<bool> twins = twin_joints(flesh, joint_count);
  while (!binding.joints.empty() && twins[binding.joints.back()]) {
    binding.joints.pop_back();
    binding.inverse_bind.pop_back();
  }
}

}  // namespace

Result<Skin> Skin::make(const Character& character, Blend blend, Driven driven, Warnings* warnings) {
  if (auto ok = validate(character); !ok) return ok.error();
  Skin skin(character, blend, driven);
  skin.world_.resize(character.skeleton.size());
  skin.morph_weights_.resize(character.morph_weights.size());
  skin.flesh_.motions.resize(character.flesh.elements.size());
  if (driven == Driven::live && character.pose_space) {
    auto layer = PoseSpaceLayer::make(character);
    if (!layer) return layer.error();
    skin.pose_space_ = std::move(*layer);
  }
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    if (auto ok = skin.add_part(p); !ok)
      return Error{"part '" + character.parts[p].name + "', " + ok.error().item, ok.error().problem, ok.error().remedy};
  }
  if (driven == Driven::live) {
    skin.drivers_ = DriverLayer(character.drivers);
    auto wrinkles = WrinkleLayer::make(character);
    if (!wrinkles) return wrinkles.error();
    skin.wrinkles_ = std::move(*wrinkles);
  }
  if (blend == Blend::kinodynamic) {
    auto layer = KinodynamicLayer::make(character, warnings);
    if (!layer) return layer.error();
    skin.kinodynamics_ = std::move(*layer);
  }
  if (auto ok = skin.evaluate(character.rest()); !ok) return ok.error();
  if (driven == Driven::live) skin.make_mush();
  return skin;
}

Result<void> Skin::add_part(std::size_t number) {
  const Part& part = character_->parts[number];
  PartState state;
  const std::size_t vertices = part.mesh.positions.size();
  state.binding = binding_of(*character_, part);
  if (driven_ == Driven::live) leave_out_twins(state.binding, character_->flesh, character_->skeleton.size());
  const std::size_t joints = palette_size(state.binding);
  SplitWeights weights = driven_ == Driven::live ? split_flesh(*character_, part) : SplitWeights{weights_of(part), {}};
  auto table = build_skin_table(weights.bones, joints);
  if (!table) return table.error();
  state.table = std::move(*table);
  state.palette.assign(joints, pack({}));  // a part on no node stays where it is
  if (blend_ == Blend::dual_quaternion) {
    state.stretch.resize(joints);
    state.motion.resize(joints);
  }
  state.rest_normals = rest_normals(part);
  if (!part.morphs.empty()) {
    const bool shaped = pose_space_ && pose_space_->shapes(number);
    const double tolerance = morph_tolerance * double{bounds(part.mesh.positions).diagonal()};
    state.morphs =
        shaped ? build_morph_table(PoseSpaceLayer::other_targets(part, *character_->pose_space), vertices, tolerance)
               : build_morph_table(part.morphs, vertices, tolerance);
  }
  if (!weights.flesh.empty())
    state.flesh = build_flesh_table(weights.flesh, vertices, character_->flesh.elements.size());
  state.positions.resize(vertices);
  state.normals.resize(vertices);
  parts_.push_back(std::move(state));
  return {};
}

/// From the skin at rest, which is what smoothing must leave as it is.
void Skin::make_mush() {
  for (const DeltaMush& mush : character_->delta_mush) {
    if (kinodynamics_ && kinodynamics_->flows(mush.part)) continue;
    PartState& state = parts_[mush.part];
    state.mush.emplace(
        build_delta_mush_table(mush, state.positions, state.normals, character_->parts[mush.part].mesh.triangles));
  }
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
  std::copy(pose.morph_weights.begin(), pose.morph_weights.end(), morph_weights_.begin());
  if (driven_ == Driven::live) {
    drivers_.drive(pose.local, morph_weights_);
    if (pose_space_) pose_space_->drive(pose.local, morph_weights_);
    wrinkles_.drive(world_, flesh_.motions, morph_weights_);
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (auto ok = evaluate_part(p, pose, threads); !ok) return ok;
    if (parts_[p].mush) parts_[p].mush->apply(parts_[p].positions, parts_[p].normals, threads);
    add_flesh(parts_[p], threads);
  }
  return {};
}

void Skin::add_flesh(PartState& state, unsigned threads) const {
  if (state.flesh.entries.empty()) return;
  FleshJob{&state.flesh, flesh_.motions, state.positions, state.normals, threads}.run();
}

Result<void> Skin::evaluate_part(std::size_t number, const Pose& pose, unsigned threads) {
  const Part& part = character_->parts[number];
  PartState& state = parts_[number];
  if (kinodynamics_ && kinodynamics_->flows(number)) {
    kinodynamics_->deform(number, state.positions, state.normals, threads);
    return {};
  }
  std::span<const Vec3f> rest_positions = part.mesh.positions, rest_normals = state.rest_normals;
  if (pose_space_ && pose_space_->shapes(number)) {
    pose_space_->shape(pose.local, rest_positions, rest_normals, state.positions, state.normals, threads);
    rest_positions = state.positions;
    rest_normals = state.normals;
  }
  VertexStreams streams{rest_positions, rest_normals, {}, std::span(state.positions), std::span(state.normals), {}};
  Morphing morphs;
  if (!state.morphs.entries.empty())
    morphs = {&state.morphs, std::span(morph_weights_).subspan(part.first_morph_weight, part.morphs.size())};
  make_palette(state.binding, world_, state.palette);
  // A node that carries a rigid part may mirror it: dual quaternions have nothing to blend there.
  if (blend_ != Blend::dual_quaternion || !part.skin) {
    LinearJob{&state.table, state.palette, streams, has_scale(state.palette), threads, nullptr, morphs}.run();
    return {};
  }
  bool stretched = false;
  if (auto ok = make_dual_palette(state.palette, state.motion, state.stretch, stretched); !ok) {
    const auto mirrors = std::find_if(state.palette.begin(), state.palette.end(),
                                      [](const JointMatrix& m) { return !(determinant(unpack(m).linear) > 0); });
    const JointIndex joint = state.binding.joints[static_cast<std::size_t>(mirrors - state.palette.begin())];
    return Error{"part '" + part.name + "', joint '" + character_->skeleton.name(joint) + "'", ok.error().problem,
                 ok.error().remedy};
  }
  const std::span<const JointMatrix> stretch =
      stretched ? std::span<const JointMatrix>(state.stretch) : std::span<const JointMatrix>();
  if (stretched && morphs.table != nullptr) {
    MorphJob{morphs.table,    morphs.weights, rest_positions, rest_normals,
             state.positions, state.normals,  threads,        nullptr}
        .run();
    streams.positions = std::span(std::as_const(state.positions));
    streams.normals = std::span(std::as_const(state.normals));
    morphs = {};
  }
  DualQuaternionJob{&state.table, state.motion, stretch, streams, threads, nullptr, morphs}.run();
  return {};
}

}  // namespace supple
