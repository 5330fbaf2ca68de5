// Builds the scene of a posed character: its parts with ambient occlusion, and its bones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supple/render/scene.h"
#include "supple/rig/skeleton.h"

namespace supple::render {

/// One part as the deformers leave it. Spans stay the caller's; they are copied.
struct PosedPart {
  std::string name;
  std::span<const Vec3f> positions;     // #V, world space
  std::span<const Vec3f> normals;       // #V, or empty: computed
  std::span<const Triangle> triangles;  // #T
  std::span<const Vec3f> colours;       // #V linear RGB that stand for data, or empty: `colour`
  Vec3f colour = skin_colour;           // linear RGB
  float opacity = 1;
  Finish finish = Finish::skin;                       // with `colours`: data
  std::shared_ptr<const Texture> texture{};           // shown where there are no `colours`
  std::span<const std::array<float, 2>> texcoords{};  // #V where there is a texture
  Alpha alpha = Alpha::ignored;
  float alpha_cutoff = 0.5f;
};

/// Joints in world space. Bones go from each shown joint to its shown children; a joint that is not shown (a node above
/// the skeleton) has neither dot nor bone.
struct PosedJoints {
  std::span<const JointIndex> parents;  // #joints
  std::span<const Vec3f> positions;     // #joints
  std::vector<bool> shown;              // #joints, or empty: all
};

struct CharacterLook {
  bool occlusion = true;
  bool bones = false;
  float skin_opacity_with_bones = 0.5f;  // what opaque parts become when bones are shown
  bool bones_by_category = false;        // each bone in category_colour(joint), as weights are drawn
  Style style;
};

/// Errors name the part or joint at fault.
Result<Scene> character_scene(std::span<const PosedPart> parts, const PosedJoints& joints = {},
                              const CharacterLook& look = {});

}  // namespace supple::render
