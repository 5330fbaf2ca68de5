#include "supple/rig/bind_pose.h"

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

}  // namespace supple
