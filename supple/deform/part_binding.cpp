#include "supple/deform/part_binding.h"

#include <algorithm>

#include "supple/geometry/topology.h"

namespace supple {

SkinBinding binding_of(const Character& character, const Part& part) {
  if (part.skin) return character.skins[*part.skin];
  if (part.node != no_joint) return {part.name, {part.node}, {Affinef{}}};
  return {};
}

std::size_t palette_size(const SkinBinding& binding) { return std::max<std::size_t>(binding.joints.size(), 1); }

SkinWeights weights_of(const Part& part) {
  if (part.skin) return part.weights;
  SkinWeights weights;
  const Influence whole{0, 1.0f};
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) weights.push_vertex({&whole, 1});
  return weights;
}

std::vector<Vec3f> rest_normals(const Part& part) {
  if (!part.mesh.normals.empty()) return part.mesh.normals;
  std::vector<Vec3f> normals(part.mesh.positions.size());
  compute_normals(part.mesh.positions, part.mesh.triangles, normals, weld(part.mesh.positions).to_point);
  return normals;
}

}  // namespace supple
