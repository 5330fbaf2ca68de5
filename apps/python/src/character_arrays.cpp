#include "character_arrays.h"

#include "errors.h"

namespace supple::python {
namespace {

Skeleton skeleton_of(const std::vector<std::string>& names, const std::vector<std::int64_t>& parents,
                     std::span<const Vec3f> places) {
  std::vector<RawJoint> joints(names.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (parents[j] >= static_cast<std::int64_t>(j) || parents[j] < -1)
      throw nb::value_error(("parents: that of joint '" + names[j] + "' must come before it, or be -1").c_str());
    joints[j].name = names[j];
    joints[j].in_skin = true;
    joints[j].rest.translation = places[j];
    if (parents[j] >= 0) {
      joints[j].parent = static_cast<std::size_t>(parents[j]);
      joints[j].rest.translation = places[j] - places[*joints[j].parent];
    }
  }
  auto built = take(build_skeleton(joints));
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (built.remap.to_joint[j] != j) throw nb::value_error("parents: children must follow their parents, depth first");
  return std::move(built.skeleton);
}

}  // namespace

Character character_of(const ArrayLike& positions, const ArrayLike& triangles, const std::vector<std::string>& joints,
                       const std::vector<std::int64_t>& parents, const ArrayLike& joint_positions,
                       const ArrayLike& weights, const std::string& name) {
  if (joints.empty()) throw nb::value_error("joints: there must be one at least");
  if (parents.size() != joints.size()) throw nb::value_error("parents: must be as many as joints");
  const InArray<float> vertices(positions, "positions", {any_size, 3});
  const InArray<std::uint32_t> corners(triangles, "triangles", {any_size, 3});
  if (corners.size(0) == 0) throw nb::value_error("triangles: there must be one at least");
  const InArray<float> places(joint_positions, "joint_positions", {joints.size(), 3});
  Character character;
  character.name = name;
  character.skeleton = skeleton_of(joints, parents, places.as<Vec3f>());
  SkinBinding skin;
  skin.name = name;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    skin.joints.push_back(static_cast<JointIndex>(j));
    Affinef inverse;
    inverse.linear = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    inverse.translation = places.as<Vec3f>()[j] * -1.0f;
    skin.inverse_bind.push_back(inverse);
  }
  Part part;
  part.name = name;
  part.mesh.positions.assign(vertices.as<Vec3f>().begin(), vertices.as<Vec3f>().end());
  part.mesh.triangles.assign(corners.as<Triangle>().begin(), corners.as<Triangle>().end());
  take(validate(part.mesh));
  part.mesh.normals.resize(part.mesh.positions.size());
  compute_normals(part.mesh.positions, part.mesh.triangles, part.mesh.normals);
  part.weights = weights_from_dense(weights, part.mesh.positions.size(), skin.joints, joints.size());
  warn(clean(part.weights, joints.size()).describe());
  part.skin = 0;
  part.node = 0;
  character.skins.push_back(std::move(skin));
  character.parts.push_back(std::move(part));
  take(validate(character));
  return character;
}

SkinWeights weights_from_dense(const ArrayLike& given, std::size_t vertices, std::span<const JointIndex> joints,
                               std::size_t joint_count) {
  const InArray<float> dense(given, "weights", {vertices, joint_count});
  std::vector<std::uint32_t> place(joint_count, no_joint);
  for (std::size_t k = 0; k < joints.size(); ++k) place[joints[k]] = static_cast<std::uint32_t>(k);
  SkinWeights weights;
  std::vector<Influence> influences;
  for (std::size_t v = 0; v < vertices; ++v) {
    influences.clear();
    for (std::size_t j = 0; j < joint_count; ++j) {
      const float weight = dense.data()[v * joint_count + j];
      if (weight == 0) continue;
      if (place[j] == no_joint)
        throw nb::value_error(("weights: vertex " + std::to_string(v) + " follows joint " + std::to_string(j) +
                               ", which the part is not bound to")
                                  .c_str());
      influences.push_back({place[j], weight});
    }
    weights.push_vertex(influences);
  }
  return weights;
}

OutArray<float> weights_to_dense(const Character& character, const Part& part) {
  const std::size_t joints = character.skeleton.size(), vertices = part.mesh.positions.size();
  std::vector<float> dense(vertices * joints, 0.0f);
  if (part.skin) {
    for (std::size_t v = 0; v < vertices; ++v)
      for (const Influence& i : part.weights.of(v))
        dense[v * joints + character.skins[*part.skin].joints[i.joint]] += i.weight;
  }
  return owned(std::move(dense), {vertices, joints});
}

OutArray<float> inverse_binds(const Character& character, const Part& part) {
  if (!part.skin) return matrices({});
  return matrices(character.skins[*part.skin].inverse_bind);
}

OutArray<float> morph_offsets(const Part& part, std::size_t number) {
  if (number >= part.morphs.size()) throw nb::index_error("the part has no morph target of that number");
  const MorphTarget& morph = part.morphs[number];
  const std::size_t vertices = part.mesh.positions.size();
  std::vector<float> offsets(vertices * 3, 0.0f);
  for (std::size_t i = 0; i < morph.positions.size(); ++i) {
    const std::size_t v = morph.vertices.empty() ? i : morph.vertices[i];
    for (std::size_t axis = 0; axis < 3; ++axis) offsets[v * 3 + axis] = morph.positions[i][axis];
  }
  return owned(std::move(offsets), {vertices, 3});
}

Clip make_clip(const Skeleton& skeleton, const std::string& name, const ArrayLike& times, const ArrayLike& rotations,
               const ArrayLike& translations) {
  const std::size_t joints = skeleton.size();
  const InArray<float> keys(times, "times", {any_size});
  const std::size_t count = keys.size(0);
  if (count == 0) throw nb::value_error("times: there must be one at least");
  const InArray<float> turns(rotations, "rotations", {count, joints, 4});
  Clip clip;
  clip.name = name;
  const auto add = [&](Channel channel, std::uint32_t width, const float* values) {
    for (std::size_t j = 0; j < joints; ++j) {
      Track track;
      track.channel = channel;
      track.target = static_cast<std::uint32_t>(j);
      track.width = width;
      track.times.assign(keys.scalars().begin(), keys.scalars().end());
      for (std::size_t k = 0; k < count; ++k) {
        const float* value = values + (k * joints + j) * width;
        track.values.insert(track.values.end(), value, value + width);
      }
      clip.tracks.push_back(std::move(track));
    }
  };
  add(Channel::rotation, 4, turns.data());
  if (!translations.is_none()) {
    const InArray<float> moves(translations, "translations", {count, joints, 3});
    add(Channel::translation, 3, moves.data());
  }
  return clip;
}

}  // namespace supple::python
