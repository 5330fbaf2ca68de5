#include "supple/deform/part_blend.h"

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

Result<PartBlend> PartBlend::make(const Character& character, std::size_t number, Blend blend, const Layers& layers,
                                  const SkinWeights& weights, const PoseSpaceLayer* pose_space) {
  const Part& part = character.parts[number];
  PartBlend made(character, number, blend);
  const std::size_t vertices = part.mesh.positions.size();
  made.binding_ = binding_of(character, part);
  if (layers.flesh != LayerSource::as_given) leave_out_twins(made.binding_, character.flesh, character.skeleton.size());
  const std::size_t joints = palette_size(made.binding_);
  auto table = build_skin_table(weights, joints);
  if (!table)
    return Error{"part '" + part.name + "', " + table.error().item, table.error().problem, table.error().remedy};
  made.table_ = std::move(*table);
  made.palette_.assign(joints, pack({}));  // a part on no node stays where it is
  if (blend == Blend::dual_quaternion) {
    made.stretch_.resize(joints);
    made.motion_.resize(joints);
  }
  made.rest_normals_ = rest_normals(part);
  if (!part.morphs.empty()) {
    const bool shaped = pose_space != nullptr && pose_space->shapes(number);
    const double tolerance = morph_tolerance * double{bounds(part.mesh.positions).diagonal()};
    made.morphs_ =
        shaped ? build_morph_table(PoseSpaceLayer::other_targets(part, *character.pose_space), vertices, tolerance)
               : build_morph_table(part.morphs, vertices, tolerance);
  }
  return made;
}

Result<void> PartBlend::run(const Frame& frame, PoseSpaceLayer* pose_space, std::span<Vec3f> positions,
                            std::span<Vec3f> normals, unsigned threads) {
  const Part& part = character_->parts[number_];
  std::span<const Vec3f> rest_positions = part.mesh.positions, rest_normals = rest_normals_;
  if (pose_space && pose_space->shapes(number_)) {
    pose_space->shape(frame.local, rest_positions, rest_normals, positions, normals, threads);
    rest_positions = positions;
    rest_normals = normals;
  }
  VertexStreams streams{rest_positions, rest_normals, {}, positions, normals, {}};
  Morphing morphs;
  if (!morphs_.entries.empty())
    morphs = {&morphs_, frame.morph_weights.subspan(part.first_morph_weight, part.morphs.size())};
  make_palette(binding_, frame.world, palette_);
  // A node that carries a rigid part may mirror it: dual quaternions have nothing to blend there.
  if (blend_ != Blend::dual_quaternion || !part.skin) {
    LinearJob{&table_, palette_, streams, has_scale(palette_), threads, nullptr, morphs}.run();
    return {};
  }
  bool stretched = false;
  if (auto ok = make_dual_palette(palette_, motion_, stretch_, stretched); !ok) {
    const auto mirrors = std::find_if(palette_.begin(), palette_.end(),
                                      [](const JointMatrix& m) { return !(determinant(unpack(m).linear) > 0); });
    const JointIndex joint = binding_.joints[static_cast<std::size_t>(mirrors - palette_.begin())];
    return Error{"part '" + part.name + "', joint '" + character_->skeleton.name(joint) + "'", ok.error().problem,
                 ok.error().remedy};
  }
  const std::span<const JointMatrix> stretch =
      stretched ? std::span<const JointMatrix>(stretch_) : std::span<const JointMatrix>();
  if (stretched && morphs.table != nullptr) {
    MorphJob{morphs.table, morphs.weights, rest_positions, rest_normals, positions, normals, threads, nullptr}.run();
    streams.positions = std::span<const Vec3f>(positions);
    streams.normals = std::span<const Vec3f>(normals);
    morphs = {};
  }
  DualQuaternionJob{&table_, motion_, stretch, streams, threads, nullptr, morphs}.run();
  return {};
}

}  // namespace supple
