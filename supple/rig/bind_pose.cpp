#include "supple/rig/bind_pose.h"

#include <cmath>
#include <optional>

#include "supple/base/decompose.h"

namespace supple {

std::vector<Transformf> bind_pose(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<std::optional<Affined>> bound(skeleton.size());
  for (const SkinBinding& skin : character.skins) {
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (!bound[skin.joints[k]]) bound[skin.joints[k]] = inverse(Affined(skin.inverse_bind[k]));
  }
  std::vector<Transformf> pose(skeleton.rest().begin(), skeleton.rest().end());
  for (JointIndex j = 0; j < skeleton.size(); ++j) {
    const JointIndex parent = skeleton.parent(j);
    if (parent == no_joint || !bound[j] || !bound[parent]) continue;
    const RotationSvd svd = rotation_svd((inverse(*bound[parent]) * *bound[j]).linear);
    pose[j].rotation = Quatf(from_matrix(svd.u * transpose(svd.v)));
  }
  return pose;
}

double mesh_to_world(const Character& character, const Part& part) {
  if (!part.skin) return 1;
  const std::vector<Affinef> world = to_world(character.skeleton, character.rest());
  const SkinBinding& skin = character.skins[*part.skin];
  double sum = 0;
  for (std::size_t k = 0; k < skin.joints.size(); ++k)
    sum += std::cbrt(std::abs(determinant((Affined(world[skin.joints[k]]) * Affined(skin.inverse_bind[k])).linear)));
  const double mean = skin.joints.empty() ? 1 : sum / static_cast<double>(skin.joints.size());
  constexpr double rounding_of_matrices = 1e-4;
  return mean > 0 && std::abs(mean - 1) > rounding_of_matrices ? mean : 1;
}

}  // namespace supple
