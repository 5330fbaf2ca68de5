// Whether a deformer does the skin good: volume and self-intersection over poses, with it and without.
#pragma once

#include <optional>
#include <string>

#include "supple/deform/skin.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// One way of posing a part, over all poses.
struct PosedFigures {
  std::size_t broken = 0;   // poses that put vertices nowhere (not a number); they do not count in what follows
  std::string broken_pose;  // the first of them
  /// The largest change of volume, relative to rest, with its sign; none of a skin that is open at rest.
  std::optional<double> worst_volume_change;
  std::string worst_volume_pose;
  std::size_t new_triangles = 0;  // that cross others where they do not at rest, of all poses together
  std::size_t most_new_triangles = 0;
  std::string most_new_pose;
};

struct ComparedPoses {
  std::size_t poses = 0;
  bool of_clips = false;  // or of the joints' limits
  PosedFigures with, without;

  /// By more than a thousandth of the volume, which nobody sees.
  bool changes_volume_more() const;
  bool breaks_more() const { return with.broken > without.broken; }
  bool crosses_more() const { return with.new_triangles > without.new_triangles; }
};

/// Poses the part with all that the character carries, blended by `blend`, and without this kind of deformer, by linear
/// blend: at some sixty moments of its clips, or where it has none in as many poses within its joints' limits. Nothing,
/// with a warning, where it has neither; warnings with `remedy` where the part comes out worse with the deformer.
Result<std::optional<ComparedPoses>> compare_poses(const Character& character, std::size_t part,
                                                   const DeformerKind& kind, Blend blend, const std::string& remedy,
                                                   Work& work);

}  // namespace supple::workflow
