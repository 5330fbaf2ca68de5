#include "supple/deform/pose_space/layer.h"

#include "supple/deform/pose_space/build.h"

namespace supple {

Result<PoseSpaceLayer> PoseSpaceLayer::make(const Character& character) {
  const PoseSpace& space = *character.pose_space;
  PoseSpaceLayer layer;
  layer.part_ = space.part;
  layer.weighted_ = space.influence != JointInfluence::equal;
  if (!layer.weighted_) return layer;
  auto table = build_pose_space_table(character, space);
  if (!table) return table.error();
  layer.table_ = std::move(*table);
  layer.scratch_.resize(layer.table_.distances.size());
  return layer;
}

void PoseSpaceLayer::shape(std::span<const Transformf> local, std::span<const Vec3f> positions,
                           std::span<const Vec3f> normals, std::span<Vec3f> out_positions, std::span<Vec3f> out_normals,
                           unsigned threads) {
  PoseSpaceJob{&table_, local, positions, normals, out_positions, out_normals, scratch_, threads, nullptr}.run();
}

std::vector<MorphTarget> PoseSpaceLayer::other_targets(const Part& part, const PoseSpace& space) {
  std::vector<MorphTarget> targets = part.morphs;
  for (std::size_t m = 0; m < targets.size(); ++m)
    if (space.owns(part.first_morph_weight + m)) targets[m] = MorphTarget{targets[m].name, {}, {}, {}, {}};
  return targets;
}

}  // namespace supple
