// Two skins of one character side by side, pose by pose: what each does to the volume inside and where it cuts through
// itself.
#pragma once

#include <optional>

#include "supple/rig/character.h"
#include "supple/rig/pose_plan.h"

namespace supple::workflow {

struct SkinFigures {
  std::optional<double> volume_change;  // relative to rest; none of an open skin
  std::size_t crossing = 0;             // triangles that cross others where they do not at rest
};

struct ComparedPose {
  std::string name;
  std::vector<Transformf> local;  // #joints
  SkinFigures before, after;
  double moved = 0;  // metres between the two skins, at the vertex where it is most
  std::uint32_t moved_vertex = 0;
};

struct SkinComparison {
  std::vector<ComparedPose> poses;
  bool closed = false;  // volumes were measured

  /// Mean over the poses of the size of the volume's change.
  double mean_volume(SkinFigures ComparedPose::*side) const;
  /// The pose with the largest change of volume.
  const ComparedPose* worst_volume(SkinFigures ComparedPose::*side) const;
  std::size_t crossing(SkinFigures ComparedPose::*side) const;
};

/// Evaluates both characters, which have the same joints and the same triangles in `part`, in every pose of a plan.
Result<SkinComparison> compare_skins(const Character& before, const Character& after, std::size_t part,
                                     const PosePlan& plan);

}  // namespace supple::workflow
