// What a comparison of two skins comes to: the worst of each, what is worse, and how that is told.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/workflow/jobs/compare_skins.h"

namespace supple::workflow {
namespace {

constexpr double unseen_volume = 1e-3;  // of the whole
constexpr double usual_scatter = 0.05;  // of a region's change: what is squeezed to half is squeezed a little otherwise
constexpr double chance = 0.01;         // of crossing triangles
constexpr std::size_t few_crossings = 2;
constexpr double region_of_note = 0.005;  // of the volumes of all regions

double change_of(const SkinFigures& figures) { return std::abs(figures.volume_change.value_or(0)); }

/// With its sign; of a skin that is nowhere there is none.
double signed_change(const SkinFigures& figures, std::size_t region) {
  return figures.broken ? 0.0 : double{figures.region_changes[region]};
}
double region_change(const SkinFigures& figures, std::size_t region) {
  return std::abs(signed_change(figures, region));
}

template <class Size>
const ComparedPose* largest(std::span<const ComparedPose> poses, const Size& size) {
  const ComparedPose* most = nullptr;
  for (const ComparedPose& pose : poses)
    if (most == nullptr || size(pose) > size(*most)) most = &pose;
  return most;
}

std::string where(const WorseSkin& worse, const Skeleton& skeleton) {
  return worse.joint == no_joint ? "" : "about joint '" + skeleton.name(worse.joint) + "' ";
}

}  // namespace

double SkinComparison::mean_volume(Side side) const {
  double sum = 0;
  for (const ComparedPose& pose : poses) sum += change_of(pose.*side);
  return poses.empty() ? 0 : sum / static_cast<double>(poses.size());
}

const ComparedPose* SkinComparison::worst_volume(Side side) const {
  return closed ? largest(poses, [&](const ComparedPose& pose) { return change_of(pose.*side); }) : nullptr;
}

std::size_t SkinComparison::crossing(Side side) const {
  std::size_t sum = 0;
  for (const ComparedPose& pose : poses) sum += (pose.*side).crossing;
  return sum;
}

const ComparedPose* SkinComparison::most_crossing(Side side) const {
  const ComparedPose* most = largest(poses, [&](const ComparedPose& pose) { return (pose.*side).crossing; });
  return most != nullptr && (most->*side).crossing > 0 ? most : nullptr;
}

std::size_t SkinComparison::broken(Side side) const {
  return static_cast<std::size_t>(
      std::count_if(poses.begin(), poses.end(), [&](const ComparedPose& pose) { return (pose.*side).broken; }));
}

const ComparedPose* SkinComparison::first_broken(Side side) const {
  const auto found =
      std::find_if(poses.begin(), poses.end(), [&](const ComparedPose& pose) { return (pose.*side).broken; });
  return found != poses.end() ? &*found : nullptr;
}

const ComparedPose* SkinComparison::worst_of_region(Side side, std::size_t region) const {
  return largest(poses, [&](const ComparedPose& pose) { return region_change(pose.*side, region); });
}

double SkinComparison::worst_change(Side side, std::size_t region) const {
  const ComparedPose* worst = worst_of_region(side, region);
  return worst != nullptr ? signed_change(worst->*side, region) : 0;
}

DamageTotals SkinComparison::damage() const {
  DamageTotals totals;
  for (const ComparedPose& pose : poses) totals.add(pose.damage);
  return totals;
}

bool SkinComparison::tears() const {
  const DamageTotals totals = damage();
  return totals.torn + totals.parted + totals.opened > 0;
}

bool SkinComparison::folds_more() const {
  DamageTotals folds = damage();
  folds.torn = folds.parted = 0;
  return folds.bad(pairs_of_triangles);
}

bool SkinComparison::changes_volume_more() const {
  const ComparedPose *with = worst_volume(&ComparedPose::after), *without = worst_volume(&ComparedPose::before);
  return with != nullptr && without != nullptr && change_of(with->after) > change_of(without->before) + unseen_volume;
}

bool SkinComparison::counts(std::size_t region) const {
  double all = 0;
  for (const SkinRegion& r : regions) all += std::abs(r.volume);
  return std::abs(regions[region].volume) >= region_of_note * all && all > 0;
}

SkinComparison::RegionChange SkinComparison::worst_region(Side side) const {
  RegionChange worst{regions.size(), 0};
  for (std::size_t r = 0; r < regions.size() && !poses.empty(); ++r) {
    const double change = worst_change(side, r);
    if (counts(r) && (worst.region == regions.size() || std::abs(change) > std::abs(worst.change))) worst = {r, change};
  }
  return worst;
}

bool SkinComparison::crosses_more() const {
  const std::size_t with = crossing(&ComparedPose::after), without = crossing(&ComparedPose::before);
  return static_cast<double>(with) > static_cast<double>(without) * (1 + chance) && with > without + few_crossings;
}

std::vector<std::size_t> SkinComparison::worse_regions() const {
  std::vector<double> excess(regions.size());
  std::vector<std::size_t> worse;
  for (std::size_t r = 0; r < regions.size() && !poses.empty(); ++r) {
    if (!counts(r)) continue;
    const double before = std::abs(worst_change(&ComparedPose::before, r));
    excess[r] = std::abs(worst_change(&ComparedPose::after, r)) - before * (1 + usual_scatter);
    if (excess[r] > region_slack) worse.push_back(r);
  }
  std::stable_sort(worse.begin(), worse.end(), [&](std::size_t a, std::size_t b) { return excess[a] > excess[b]; });
  return worse;
}

std::vector<JointIndex> SkinComparison::worse_joints() const {
  std::vector<JointIndex> joints;
  for (const std::size_t r : worse_regions()) joints.push_back(regions[r].joint);
  for (const ComparedPose& pose : poses)
    for (std::size_t r = 0; r < pose.damaged.size(); ++r)
      if (pose.damaged[r] > 0) joints.push_back(regions[r].joint);
  for (std::size_t r = 0; crosses_more() && r < regions.size(); ++r) {
    std::size_t with = 0, without = 0;
    for (const ComparedPose& pose : poses) {
      with += pose.after.broken ? 0 : pose.after.crossed[r];
      without += pose.before.broken ? 0 : pose.before.crossed[r];
    }
    if (with > without) joints.push_back(regions[r].joint);
  }
  std::erase(joints, no_joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

std::vector<WorseSkin> SkinComparison::worse() const {
  std::vector<WorseSkin> all;
  constexpr Side with = &ComparedPose::after, without = &ComparedPose::before;
  using What = WorseSkin::What;
  if (breaks_more())
    all.push_back({What::broken, first_broken(with)->name, no_joint, static_cast<double>(broken(without)),
                   static_cast<double>(broken(with)), 0});
  if (const DamageTotals totals = damage(); tears() || folds_more()) {
    const ComparedPose& pose = poses[totals.worst_frame];
    const auto most = std::ranges::max_element(pose.damaged);
    const bool known = most != pose.damaged.end() && *most > 0;
    const JointIndex joint = known ? regions[static_cast<std::size_t>(most - pose.damaged.begin())].joint : no_joint;
    if (tears())
      all.push_back({What::torn, pose.name, joint, 0, static_cast<double>(totals.torn + totals.parted + totals.opened),
                     pose.moved * unit});
    else
      all.push_back({What::folded, pose.name, joint, static_cast<double>(totals.folded_before),
                     static_cast<double>(totals.folded), pose.moved * unit});
  }
  if (changes_volume_more()) {
    const ComparedPose* pose = worst_volume(with);
    all.push_back({What::volume, pose->name, no_joint, *worst_volume(without)->before.volume_change,
                   *pose->after.volume_change, pose->moved * unit});
  }
  if (const std::vector<std::size_t> found = worse_regions(); !found.empty()) {
    const ComparedPose* pose = worst_of_region(with, found[0]);
    all.push_back({What::region, pose->name, regions[found[0]].joint, worst_change(without, found[0]),
                   worst_change(with, found[0]), pose->moved * unit});
  }
  if (crosses_more()) {
    const ComparedPose* pose = most_crossing(with);
    all.push_back({What::crossing, pose->name, pose->after.crossing_joint, static_cast<double>(crossing(without)),
                   static_cast<double>(crossing(with)), pose->after.longest_crossing * unit});
  }
  return all;
}

std::string sentence_of(const WorseSkin& w, const SkinComparison& c, const Skeleton& skeleton,
                        const std::string& what) {
  switch (w.what) {
    case WorseSkin::What::broken:
      return fmt::format("with {} some vertices are nowhere in {} of {} poses, first in '{}'", what, w.after,
                         c.poses.size(), w.pose);
    case WorseSkin::What::torn:
      return fmt::format(
          "with {} the skin is torn {}at {} places over {} poses, most of all in '{}' (skins up to {:.1f} mm "
          "apart)",
          what, where(w, skeleton), w.after, c.poses.size(), w.pose, w.metres * 1000);
    case WorseSkin::What::folded:
      return fmt::format(
          "with {} the skin lies back on itself at {} edges over {} poses, most of all in '{}', without "
          "it at {}",
          what, w.after, c.poses.size(), w.pose, w.before);
    case WorseSkin::What::volume:
      return fmt::format("with {} the volume changes by {:+.2f} % ('{}'), without it by {:+.2f} %", what, w.after * 100,
                         w.pose, w.before * 100);
    case WorseSkin::What::region:
      return fmt::format(
          "with {} the volume {}changes by {:+.1f} % ('{}', skins up to {:.1f} mm apart), without it by {:+.1f} %",
          what, where(w, skeleton), w.after * 100, w.pose, w.metres * 1000, w.before * 100);
    default:
      return fmt::format(
          "with {} {} triangles cross others that do not at rest, over {} poses (most of all in '{}', {}for {:.1f} "
          "mm), "
          "without it {}",
          what, w.after, c.poses.size(), w.pose, where(w, skeleton), w.metres * 1000, w.before);
  }
}

void warn_of_worse(const SkinComparison& comparison, const Skeleton& skeleton, const std::string& what,
                   const std::string& remedy, Work& work) {
  for (const WorseSkin& worse : comparison.worse())
    work.warnings.push_back(sentence_of(worse, comparison, skeleton, what) + " (" + remedy + ")");
}

const char* words_of(PoseSource source) {
  switch (source) {
    case PoseSource::clips:
      return "the file's clips";
    case PoseSource::limits:
      return "the joints' limits";
    case PoseSource::anatomy:
      return "the usual ranges of a body's joints";
    case PoseSource::shape:
      return "limits guessed from the joints' shape";
    default:
      return "the plan";
  }
}

}  // namespace supple::workflow
