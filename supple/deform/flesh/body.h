// A character's skin at rest as one surface, and whose it is: what flesh is found on.
#pragma once

#include <span>
#include <vector>

#include "supple/deform/flesh/region.h"
#include "supple/rig/character.h"

namespace supple {

/// Every skinned part in the rest pose, one after another: an element may reach over several.
struct FleshBody {
  std::vector<Vec3f> positions, normals;
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> first;  // #parts: of each part's vertices
  std::vector<Affinef> world;        // #joints

  static Result<FleshBody> of(const Character& character);
};

/// How much of each vertex's skin weight the joints have, 0 to 1: fades where other joints take over, so that a region
/// has no edge. Only of the named part and the listed vertices, where there are any.
std::vector<float> membership_of(const Character& character, const FleshBody& body, std::span<const JointIndex> joints,
                                 const std::string& part = {}, std::span<const std::uint32_t> vertices = {});

/// The joints from the driver down to the ends, without these.
std::vector<JointIndex> joints_between(const Skeleton& skeleton, JointIndex driver, std::span<const JointIndex> ends);

VirtualBone virtual_bone(JointIndex driver, std::span<const JointIndex> ends, std::span<const Affinef> world);

}  // namespace supple
