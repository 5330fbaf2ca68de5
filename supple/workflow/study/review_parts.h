// The decisions of single stages, as items of a review.
#pragma once

#include <span>

#include "supple/workflow/study/chain.h"
#include "supple/workflow/study/decisions.h"

namespace supple::workflow {

using ReviewItems = std::vector<ReviewItem>;

// Of scans as a whole, and of the base's bones: review_scans.cpp and review_names.cpp.
void review_sizes(const Chain& chain, ReviewItems& items);
void review_thresholds(const Chain& chain, ReviewItems& items);
void review_scans(const Chain& chain, ReviewItems& items);
void review_side(const Chain& chain, ReviewItems& items);
void review_pieces(const Chain& chain, ReviewItems& items);
void review_names(const Chain& chain, ReviewItems& items);
// Of bones in scans, and of joints: review_bones.cpp.
void review_alignment(const Chain& chain, ReviewItems& items);
void review_centres(const Chain& chain, ReviewItems& items);
void review_kinds(const Chain& chain, ReviewItems& items);
// Of places on both: review_landmarks.cpp.
void review_landmarks(const Chain& chain, ReviewItems& items);
// Of skins: review_skins.cpp.
void review_features(const Chain& chain, ReviewItems& items);
void review_fits(const Chain& chain, ReviewItems& items);

Confidence confidence_in(const scan::FeatureScore& score);
std::vector<Confidence> confidence_in_kinds(const Chain& chain);  // #bones; the root's means nothing

/// Writes the confidence of every decision, and why, beside it.
void state_confidence(const Chain& chain, Decisions& decisions);

/// Root mean square distances (metres) that alignment left, of bones that were found: their median. None: 0.
double usual_residual(std::span<const scan::BoneFit> bones);
double median_of(std::vector<double> values);  // 0 where there are none
/// Whether a person decided the item of "decisions" at that path.
bool is_by_hand(const Chain& chain, const std::vector<std::string>& path);

}  // namespace supple::workflow
