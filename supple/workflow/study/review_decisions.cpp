// Confidence beside every decision in the project file.
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/landmarks.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

Json confidence_json(const Confidence& confidence) {
  return {{"confidence", rounded(confidence.value)}, {"why", confidence.why}};
}

/// Every point of the list has a confidence of its own.
void state_features(const Chain& chain, Decisions& decisions) {
  for (const ScanWork& work : chain.scans) {
    const Decisions::Path place{"features", work.entry->name};
    const Json* item = chain.project.document.find("decisions");
    for (const std::string& name : place) item = item != nullptr && item->is_object() ? item->find(name) : nullptr;
    const Json* points = item != nullptr && item->is_object() ? item->find("points") : nullptr;
    if (points == nullptr || points->size() != work.fit.scores.size()) continue;
    Json scored = *points;
    for (std::size_t i = 0; i < scored.size(); ++i) {
      const Confidence confidence = confidence_in(work.fit.scores[i]);
      scored[i]["confidence"] = rounded(confidence.value);
      scored[i]["why"] = confidence.why;
    }
    decisions.state(place, {{"points", std::move(scored)}});
  }
}

}  // namespace

void state_confidence(const Chain& chain, Decisions& decisions) {
  for (const ReviewItem& item : chain.review) {
    const Json stated = confidence_json(item.confidence);
    switch (item.decided) {
      case Decided::size: {
        const Vec3d factors = chain.scans[item.scan_number].alignment.scale.factors;
        Json size = stated;
        size["factors"] = {rounded(factors.x), rounded(factors.y), rounded(factors.z)};
        decisions.state({"sizes", item.scan}, size);
        break;
      }
      case Decided::scan:
        decisions.state({"quality", item.scan}, stated);
        break;
      case Decided::side:
        decisions.state({"side"}, stated);
        break;
      case Decided::kind:  // all of them below
      case Decided::feature:
        break;
      case Decided::landmark:
        break;
      default:
        decisions.state(item.field, stated);
    }
  }
  const std::vector<Confidence> kinds = confidence_in_kinds(chain);
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::JointModel* model = chain.kinds[b].model();
    if (chain.bones[b].parent == TemplateBone::none) {
      decisions.state({"joints", chain.bones[b].name},
                      confidence_json({1, "the root: every other bone is seen as moving against it"}));
      continue;
    }
    decisions.state({"joints", chain.bones[b].name},
                    {{"kind", model != nullptr ? scan::name_of(model->type) : "unknown"},
                     {"kind_confidence", rounded(kinds[b].value)},
                     {"kind_why", kinds[b].why}});
  }
  for (const scan::Landmark& landmark : chain.landmarks) {
    Json place = confidence_json(confidence_in(chain, landmark));
    place["at_mm"] = {rounded(landmark.at.x * mm), rounded(landmark.at.y * mm), rounded(landmark.at.z * mm)};
    place["sd_mm"] = rounded(landmark.sd * mm);
    decisions.state({"landmarks", landmark.name}, place);
  }
  state_features(chain, decisions);
}

}  // namespace supple::workflow
