// Edits of a document in place: geometry, skins, clips and the rest pose go in, everything else stays.
#pragma once

#include <span>

#include "supple/files/gltf/read.h"

namespace supple::gltf {

/// Which node each joint is, and which nodes carry morph weights.
struct Places {
  std::vector<std::uint32_t> node_of_joint;  // #joints
  std::vector<MorphBlock> morphs;
};
Places places_of(const Imported& imported);

/// Replaces positions, normals, tangents, texture coordinates, triangles, skin weights and morph targets of a
/// primitive. Its material, extras, extensions and other attributes stay; attributes that no longer fit because the
/// number of vertices changed are dropped with a warning. `morph_weights` are the rest weights of the part's own
/// targets.
void put_part(Document& document, const PartSource& source, const Part& part, std::span<const float> morph_weights = {},
              Warnings* warnings = nullptr);

/// Writes the skin weights of parts whose weights had to be repaired when they were read, so that a file that was read
/// with warnings is written without the fault. Returns how many parts that were.
std::size_t put_mended_weights(Document& document, const Imported& imported);

/// Replaces skin number `skin`, or adds one where `skin` is the number of skins.
void put_skin(Document& document, std::size_t skin, const SkinBinding& binding, const Places& places);

/// Replaces the animation of the same name, or adds one; with a number, replaces that animation, or adds one where the
/// number is that of the animations there are. The error names a track whose target the document lacks.
Result<void> put_clip(Document& document, const Clip& clip, const Places& places,
                      std::optional<std::size_t> animation_number = {});

/// Writes down how many metres one unit of the file is, for Supple: other programs take it for metres.
void put_unit(Document& document, double metres);

/// Hangs the nodes of joints that have other `parents` now (#joints) below these, with their transforms of `rest`
/// (#joints).
void put_parents(Document& document, const Skeleton& before, std::span<const JointIndex> parents,
                 std::span<const Transformf> rest, const Places& places);

/// Writes the pose into the nodes' transforms and morph weights.
void put_rest_pose(Document& document, const Pose& pose, const Places& places);
/// One node's transform; parts equal to glTF's defaults are left out.
void put_transform(Json& node, const Transformf& transform);

}  // namespace supple::gltf
