// How sure it is that scans are what they say: their size, their thresholds, their quality.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/base/twist.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/joint_analysis.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

// What is tolerated, each at a confidence of 1/2.
constexpr double tolerated_stretch = 0.02, stretch_deviations = 3;
constexpr double tolerated_bone_change = 0.35, tolerated_skin_change = 0.15;  // shares, see scan::change_at()
constexpr double tolerated_offset = 0.0003;                                   // metres of bone's surface outwards
constexpr double tolerated_residual = 0.0005;                                 // metres, of half a scan's bones
constexpr double tolerated_growth = 1;                                        // of a scan's residual over the others'
constexpr double tolerated_share_lost = 0.15;                                 // of bones
constexpr double least_turn = 2;                                              // degrees of any joint

ReviewItem item_of_scan(const Chain& chain, std::size_t s, Decided decided) {
  ReviewItem item;
  item.decided = decided;
  item.scan = chain.scans[s].entry->name;
  item.scan_number = s;
  return item;
}

/// Degrees that the joint turns most by which turns most.
double most_turned(const Chain& chain, std::size_t s) {
  double most = 0;
  const scan::Alignment& alignment = chain.scans[s].alignment;
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    if (chain.bones[b].parent == TemplateBone::none || !alignment.bones[b].found) continue;
    const Mat3d turn = scan::joint_motion(chain.bones, alignment, b).motion.linear;
    most = std::max(most, length(log_rotation(from_matrix(turn))) * degrees);
  }
  return most;
}

/// What half of the other scans' bones are left off by at most; 0 where there is no other scan.
double residual_of_others(const Chain& chain, std::size_t own) {
  std::vector<double> others;
  for (std::size_t s = 1; s < chain.scans.size(); ++s)
    if (s != own) others.push_back(usual_residual(chain.scans[s].alignment.bones));
  return median_of(std::move(others));
}

}  // namespace

void review_sizes(const Chain& chain, ReviewItems& items) {
  const std::size_t first = items.size();
  std::size_t doubted = 0;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const scan::ScanScale& scale = chain.scans[s].alignment.scale;
    std::size_t worst = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (std::abs(scale.factors[k] - 1) > std::abs(scale.factors[worst] - 1)) worst = k;
    const double factor = scale.factors[worst];
    const Vec3d axis = scale.axes[worst];
    ReviewItem item = item_of_scan(chain, s, Decided::size);
    item.confidence =
        Evidence()
            .add(std::abs(factor - 1), std::max(tolerated_stretch, stretch_deviations * scale.sd),
                 scale.sd == 0
                     ? "too little bone was found to compare its size with the base's"
                     : fmt::format("its bones are {:.3f} times as large as the base's along ({:.2f}, {:.2f}, {:.2f}), "
                                   "known to {:.3f}",
                                   factor, axis.x, axis.y, axis.z, scale.sd))
            .weakest();
    if (scale.sd == 0) item.confidence.value = std::min(item.confidence.value, 0.4);
    item.remedy = fmt::format(
        "divide the spacing along that axis in the header of '{}' by {:.3f}, or take the scan out if it is of another "
        "hand",
        item.scan, factor);
    doubted += item.to_look_at() ? 1 : 0;
    items.push_back(std::move(item));
  }
  const std::size_t compared = items.size() - first;
  if (compared < 2 || doubted < compared) return;
  for (std::size_t i = first; i < items.size(); ++i)
    items[i].remedy += "; every scan differs from the base '" + chain.scans[0].entry->name +
                       "', so look at the spacing of the base first";
}

void review_thresholds(const Chain& chain, ReviewItems& items) {
  for (std::size_t s = 0; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    const scan::Surfaces& surfaces = work.surfaces;
    const bool bone = surfaces.thresholds.bone != 0 || surfaces.changes.bone != 0;
    const bool skin = surfaces.thresholds.skin != 0 || surfaces.changes.skin != 0;
    if (!bone && !skin) continue;
    ReviewItem item = item_of_scan(chain, s, Decided::threshold);
    item.field = {"thresholds", item.scan};
    Evidence evidence;
    const auto changes = [](const char* what, double threshold, double change) {
      return fmt::format(
          "moving the threshold of {}, {:.0f}, by a twentieth of all values changes its volume by "
          "{:.0f} %",
          what, threshold, 100 * change);
    };
    if (bone)
      evidence.add(surfaces.changes.bone, tolerated_bone_change,
                   changes("bone", surfaces.thresholds.bone, surfaces.changes.bone));
    if (skin)
      evidence.add(surfaces.changes.skin, tolerated_skin_change,
                   changes("skin", surfaces.thresholds.skin, surfaces.changes.skin));
    if (s > 0 && bone)
      evidence.add(
          work.alignment.scale.offset, tolerated_offset,
          fmt::format("its bone reaches {:.2f} mm farther out than the base's", work.alignment.scale.offset * mm));
    item.confidence = evidence.weakest();
    item.remedy = bone ? "set \"bone\" and \"skin\" between what `supple scan inspect` shows of its values"
                       : "set \"skin\" between what `supple scan inspect` shows of its values";
    items.push_back(std::move(item));
  }
}

void review_scans(const Chain& chain, ReviewItems& items) {
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const std::vector<scan::BoneFit>& bones = chain.scans[s].alignment.bones;
    const auto lost = std::count_if(bones.begin(), bones.end(), [](const scan::BoneFit& fit) { return !fit.found; });
    const double residual = usual_residual(bones), others = residual_of_others(chain, s);
    Evidence evidence;
    evidence.add(residual, tolerated_residual,
                 fmt::format("half of its bones lie within {:.3f} mm of the base's", residual * mm));
    if (others > 0)
      evidence.add(std::max(residual / others - 1, 0.0), tolerated_growth,
                   fmt::format("its bones lie {:.3f} mm from the base's, {:.1f} times as far as in other scans: noise, "
                               "coarse samples, motion in the scanner",
                               residual * mm, residual / others));
    if (lost > 0)
      evidence.add(static_cast<double>(lost) / static_cast<double>(bones.size()), tolerated_share_lost,
                   fmt::format("{} of {} bones were not found in it", lost, bones.size()));
    const double turn = most_turned(chain, s);
    if (turn < least_turn)
      evidence.at_most(0.3, fmt::format("no joint turns by more than {:.1f} degrees: it is the base's pose", turn));
    ReviewItem item = item_of_scan(chain, s, Decided::scan);
    item.confidence = evidence.weakest();
    item.remedy =
        "look at its slices (`supple scan inspect --preview`); give a better scan, or take it out of \"scans\"";
    items.push_back(std::move(item));
  }
}

}  // namespace supple::workflow
