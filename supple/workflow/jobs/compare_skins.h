// Two skins of one character side by side, pose by pose: what each does to the volume inside, as a whole and region by
// region, where it cuts through itself, and what an eye sees torn, parted or folded in the second. What every job asks
// that promises to be no worse than linear blend.
#pragma once

#include <memory>
#include <optional>

#include "supple/deform/skin.h"
#include "supple/measure/skin_damage.h"
#include "supple/workflow/jobs/comparison_poses.h"
#include "supple/workflow/jobs/work.h"

namespace supple::workflow {

/// A connected piece of the skin, as far as it follows one joint most.
struct SkinRegion {
  JointIndex joint = no_joint;
  std::size_t part = 0;
  double volume = 0;  // cubic metres at rest, closed where it ends; see measure::RegionVolumes
};

/// One skin in one pose.
struct SkinFigures {
  bool broken = false;                   // it puts vertices nowhere (not a number); then there is nothing else
  std::optional<double> volume_change;   // relative to rest; none of an open skin
  std::size_t crossing = 0;              // triangles that cross others where they do not at rest
  std::vector<float> region_changes;     // #regions: of their volumes, relative to rest
  std::vector<std::uint32_t> crossed;    // #regions: of those triangles
  double longest_crossing = 0;           // units of the file, of the line along which two triangles cross
  JointIndex crossing_joint = no_joint;  // which skin crosses there
};

struct ComparedPose {
  std::string name;
  std::vector<Transformf> local;  // #joints
  SkinFigures before, after;
  SkinDamage damage;                   // what an eye sees wrong in the second skin, where neither is broken
  std::vector<std::uint32_t> damaged;  // #regions: triangles at torn, parted or opened places
  double moved = 0;                    // units of the file between the two skins, at the vertex where it is most
  std::size_t moved_part = 0;
  std::uint32_t moved_vertex = 0;
};

/// Something that the second skin does worse than the first.
struct WorseSkin {
  enum class What { broken, torn, folded, volume, region, crossing };
  What what = What::volume;
  std::string pose;              // in which it is worst
  JointIndex joint = no_joint;   // where
  double before = 0, after = 0;  // poses, places, folds, shares of a volume with their signs, or triangles
  double metres = 0;             // how far vertices lie apart there, or how long the worst crossing is
};

struct SkinComparison {
  PoseSource source = PoseSource::clips;
  std::vector<ComparedPose> poses;
  std::vector<SkinRegion> regions;
  bool closed = false;                 // volumes of the whole were measured
  std::size_t pairs_of_triangles = 0;  // that can fold
  double unit = 1;                     // metres per unit of the file
  /// Of a region's volume, by which it may change more than in the first skin: where it is cut from its neighbours
  /// moves by about as much.
  double region_slack = 0.02;

  using Side = SkinFigures ComparedPose::*;
  /// Mean over the poses of the size of the volume's change.
  double mean_volume(Side side) const;
  /// The pose with the largest change of volume; null where there is none.
  const ComparedPose* worst_volume(Side side) const;
  std::size_t crossing(Side side) const;
  /// The pose with most crossing triangles; null where none cross.
  const ComparedPose* most_crossing(Side side) const;
  std::size_t broken(Side side) const;
  /// The first broken pose; null where there is none.
  const ComparedPose* first_broken(Side side) const;
  /// The pose in which a region's volume changes most.
  const ComparedPose* worst_of_region(Side side, std::size_t region) const;

  /// By how much, with its sign.
  double worst_change(Side side, std::size_t region) const;
  /// Whether a region is large enough to be judged: a two-hundredth of the body or more.
  bool counts(std::size_t region) const;
  /// The region whose volume changes most and by how much, with its sign; the number of regions where none counts.
  struct RegionChange {
    std::size_t region = 0;
    double change = 0;
  };
  RegionChange worst_region(Side side) const;

  /// Damage of all poses together.
  DamageTotals damage() const;
  /// Torn edges, parted pieces or open seams that the first skin does not have.
  bool tears() const;
  /// More new folds than an eye lets pass, see DamageTotals::bad().
  bool folds_more() const;
  /// By more than a thousandth of the volume, which nobody sees.
  bool changes_volume_more() const;
  /// By more than a hundredth, which is chance, and more than two triangles in all.
  bool crosses_more() const;
  bool breaks_more() const { return broken(&ComparedPose::after) > broken(&ComparedPose::before); }
  /// Regions that count and whose volume changes more by two hundredths of it; the worst first.
  std::vector<std::size_t> worse_regions() const;
  /// Joints whose skin is torn, changes its volume more, or crosses more often where the whole does; rising, each once.
  std::vector<JointIndex> worse_joints() const;
  /// All of it, one of each kind at most; empty: the second skin is never worse.
  std::vector<WorseSkin> worse() const;
};

struct CompareOptions {
  std::vector<std::size_t> parts{};  // to look at; empty: all that follow more than one joint, see flowing_parts()
  Blend before = Blend::linear, after = Blend::linear;
  double region_slack = 0.02;  // see SkinComparison
};

/// Evaluates both characters, which have the same triangles in these parts, in every pose. Several parts are one
/// surface: where one goes through another counts.
Result<SkinComparison> compare_skins(const Character& before, const Character& after, const ComparisonPoses& poses,
                                     const CompareOptions& options, Work& work);

/// The first skin's figures stay as they are while the second is changed again and again.
class SkinJudge {
 public:
  static Result<SkinJudge> make(const Character& before, const ComparisonPoses& poses, const CompareOptions& options,
                                Work& work);
  /// `after` is posed as `poses` say, which have the moments that make() had.
  Result<SkinComparison> compare(const Character& after, const ComparisonPoses& poses, Work& work) const;
  std::span<const std::size_t> parts() const;

  SkinJudge(SkinJudge&&) noexcept;
  SkinJudge& operator=(SkinJudge&&) noexcept;
  ~SkinJudge();

 private:
  struct Surface;
  SkinJudge();
  std::unique_ptr<Surface> surface_;
  CompareOptions options_;
  SkinComparison figures_;                     // `before` of all poses
  std::vector<std::vector<Vec3f>> positions_;  // #poses by #V
};

/// What is worse in a sentence, with its place: `what` is what the second skin has and the first has not.
std::string sentence_of(const WorseSkin& worse, const SkinComparison& comparison, const Skeleton& skeleton,
                        const std::string& what);

/// Warns of all that is worse with the deformer called `what` than without, where and by how much, and of the remedy.
void warn_of_worse(const SkinComparison& comparison, const Skeleton& skeleton, const std::string& what,
                   const std::string& remedy, Work& work);

/// "the file's clips"
const char* words_of(PoseSource source);

}  // namespace supple::workflow
