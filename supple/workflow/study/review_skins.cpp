// How sure it is that one mesh lies alike on all skins.
#include <fmt/core.h>

#include <algorithm>

#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

// What is tolerated, each at a confidence of 1/2; metres.
constexpr double tolerated_off_skin = 0.0015, tolerated_unlike = 0.003, tolerated_off_fit = 0.003;
constexpr double tolerated_worst = 0.008, tolerated_rms = 0.0005;
constexpr double tolerated_unseen = 0.35;  // of the skin
constexpr double folded = 0.4;             // confidence in a skin that is folded over or drawn out

}  // namespace

Confidence confidence_in(const scan::FeatureScore& score) {
  return Evidence()
      .add(score.off_skin, tolerated_off_skin,
           fmt::format("its target lies {:.2f} mm from the skin of the scan", score.off_skin * mm))
      .add(score.off_neighbours, tolerated_unlike,
           fmt::format("its way differs by {:.2f} mm from those of the features around it", score.off_neighbours * mm))
      .add(score.off_fit, tolerated_off_fit,
           fmt::format("the fitted skin ends {:.2f} mm from its target", score.off_fit * mm))
      .weakest();
}

void review_features(const Chain& chain, ReviewItems& items) {
  for (std::size_t s = 1; s < chain.scans.size() && chain.has_skin(); ++s) {
    const scan::FittedSkin& fit = chain.scans[s].fit;
    ReviewItem least;  // of the scan, where none is to be looked at
    least.confidence.value = 2;
    for (std::size_t i = 0; i < fit.scores.size(); ++i) {
      const scan::Feature& feature = fit.features[i];
      ReviewItem item;
      item.decided = Decided::feature;
      item.scan = chain.scans[s].entry->name;
      item.item = feature.name.empty() ? "point " + std::to_string(i) : feature.name;
      item.field = {"features", item.scan, "points[" + std::to_string(i) + "]"};
      item.scan_number = s;
      item.place = feature.target;
      item.confidence = confidence_in(fit.scores[i]);
      const Vec3d skin = Vec3d(fit.positions[feature.vertex]) * mm;
      item.remedy = fmt::format(
          "correct \"target_mm\" (its vertex lies at [{:.1f}, {:.1f}, {:.1f}] in the fit), or take "
          "the point away",
          skin.x, skin.y, skin.z);
      if (item.to_look_at()) items.push_back(item);
      if (item.confidence.value < least.confidence.value) least = std::move(item);
    }
    if (least.confidence.value >= look_below && least.confidence.value <= 1) items.push_back(std::move(least));
  }
}

void review_fits(const Chain& chain, ReviewItems& items) {
  for (std::size_t s = 1; s < chain.scans.size() && chain.has_skin(); ++s) {
    const ScanWork& work = chain.scans[s];
    if (!work.shows_skin()) continue;
    const scan::FitQuality& q = work.fit.quality;
    ReviewItem item;
    item.decided = Decided::fit;
    item.scan = work.entry->name;
    item.field = {"features", item.scan};
    item.scan_number = s;
    item.place = Vec3d(work.fit.positions[q.whole_worst]);
    item.remedy = "correct \"points\" where it slid, or add some: a place on the base skin, and where it belongs";
    Evidence evidence;
    evidence.add(q.forward_rms, tolerated_rms, fmt::format("lies {:.3f} mm from the scan's skin", q.forward_rms * mm));
    evidence.add(q.whole_max, tolerated_worst,
                 fmt::format("lies up to {:.1f} mm from the scan's skin", q.whole_max * mm));
    const double unseen =
        static_cast<double>(q.unreliable) / static_cast<double>(std::max<std::size_t>(work.fit.reliable.size(), 1));
    evidence.add(unseen, tolerated_unseen, fmt::format("{:.0f} % of it found no skin to lie on", 100 * unseen));
    if (q.flipped > 0) evidence.at_most(folded, fmt::format("{} of its triangles are folded over", q.flipped));
    if (q.stretched > 0) evidence.at_most(folded, fmt::format("{} of its triangles are drawn out", q.stretched));
    if (work.fit.features.empty()) evidence.at_most(0.6, "no feature points lead it");
    item.confidence = evidence.weakest();
    items.push_back(std::move(item));
  }
}

}  // namespace supple::workflow
