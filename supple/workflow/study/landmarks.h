// Landmarks of bones and skin in every scan of a study.
#pragma once

#include "supple/author/scan/bone_ends.h"
#include "supple/workflow/study/chain.h"

namespace supple::workflow {

/// How sure it is that a landmark of the base scan is where it should be.
Confidence confidence_in(const Chain& chain, const scan::Landmark& landmark);

/// In a scan: bones' landmarks go with their bone, those of skin with the fitted skin, where there is one.
struct LandmarkInScan {
  Vec3d at{};  // metres, the scan's own space
  Confidence confidence;
};
LandmarkInScan landmark_in(const Chain& chain, const scan::Landmark& landmark, std::size_t scan);

/// A row for each landmark and scan.
std::string landmarks_csv(const Chain& chain);

}  // namespace supple::workflow
