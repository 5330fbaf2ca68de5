// How sure it is where landmarks lie, and where they went in each scan.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/base/angle.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/biomechanics/csv.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/landmarks.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

// What is tolerated, each at a confidence of 1/2.
constexpr double tolerated_sd_bone = 0.001, tolerated_sd_skin = 0.003;  // metres
constexpr double tolerated_obliquity = 65 * degree;
constexpr double tolerated_second_way = 0.008;  // metres
constexpr double tolerated_log_length = 0.4;    // of a bone's length over the template's
constexpr double tolerated_end_cut = 0.4;       // of an end's surface, cut from a neighbour
constexpr double joint_to_bone = 0.003;         // metres from a joint's centre, in the head before it, to the bone
constexpr double between_ends = 0.825;          // of a bone's length, between the centres of its ends
constexpr double near_end = 0.006;              // metres
constexpr double around_feature = 0.025;        // metres
constexpr double unseen_skin = 0.45, cut_skin = 0.1;

/// Of the surface around a place.
double share_cut_near(const scan::ScanBone& bone, Vec3d place) {
  double cut = 0, all = 0;
  for (std::size_t v = 0; v < bone.touches.size(); ++v) {
    if (length(Vec3d(bone.surface.positions[v]) - place) > near_end) continue;
    ++all;
    cut += bone.touches[v] ? 1 : 0;
  }
  return all > 0 ? cut / all : 0;
}

/// Of a bone's ends over what the template, laid over the hand, expects.
double log_length(const Chain& chain, std::uint32_t b) {
  const TemplateBone& bone = chain.skeleton.bones[chain.naming.bones[b].bone];
  const double scale = length(chain.naming.to_scan.vector({1, 0, 0}));
  const double expected = (bone.length() - joint_to_bone) * scale;
  Vec3d ends[2]{};
  for (const scan::Landmark& landmark : chain.landmarks) {
    if (landmark.bone != b || scan::is_on_skin(landmark.kind)) continue;
    ends[landmark.kind == scan::LandmarkKind::base ? 0 : 1] = landmark.at;
  }
  const double measured = length(ends[1] - ends[0]) / between_ends;
  return measured > 0 && expected > 0 ? std::log(measured / expected) : 0;
}

/// A feature that went astray takes the skin around it along the surface, where no distance shows it.
void weigh_features(const Chain& chain, const scan::FittedSkin& fit, Vec3d place, Evidence& evidence) {
  for (std::size_t i = 0; i < fit.scores.size(); ++i) {
    const scan::Feature& feature = fit.features[i];
    if (length(Vec3d(chain.base_skin.positions[feature.vertex]) - place) > around_feature) continue;
    const Confidence confidence = confidence_in(fit.scores[i]);
    if (confidence.value < look_below) evidence.at_most(confidence.value, "a feature near it: " + confidence.why);
  }
}

ReviewItem item_of(const Chain& chain, const scan::Landmark& landmark) {
  ReviewItem item;
  item.decided = Decided::landmark;
  item.scan = chain.scans[0].entry->name;
  item.item = landmark.name;
  item.bone = landmark.bone;
  item.place = landmark.at;
  item.confidence = confidence_in(chain, landmark);
  item.remedy = scan::is_on_skin(landmark.kind)
                    ? "look at bone and skin there: it follows bones." + chain.bones[landmark.bone].name +
                          " and the threshold of skin"
                    : "look whether the bone is whole: bones." + chain.bones[landmark.bone].name + ", pieces.marker";
  return item;
}

}  // namespace

Confidence confidence_in(const Chain& chain, const scan::Landmark& landmark) {
  const bool on_skin = scan::is_on_skin(landmark.kind);
  const scan::ScanBone& bone = chain.bones[landmark.bone];
  Evidence evidence;
  evidence.add(landmark.sd, on_skin ? tolerated_sd_skin : tolerated_sd_bone,
               fmt::format("known to {:.2f} mm", landmark.sd * mm));
  if (scan::is_on_skin(landmark.kind)) {
    evidence.add(landmark.obliquity, tolerated_obliquity,
                 fmt::format("the line from the bone meets the skin at {:.0f} degrees from its normal",
                             landmark.obliquity * degrees));
    if (landmark.at_border) evidence.at_most(cut_skin, "lies where the volume cuts the skin off");
  } else {
    const double cut = share_cut_near(bone, landmark.at);
    evidence.add(cut, tolerated_end_cut,
                 fmt::format("{:.0f} % of the surface around it was cut from a neighbour", 100 * cut));
  }
  if (landmark.kind == scan::LandmarkKind::tip)
    evidence.add(landmark.off_second_way, tolerated_second_way,
                 fmt::format("the farthest skin around, found without bones, lies {:.1f} mm away",
                             landmark.off_second_way * mm));
  const double ratio = scan::is_long(bone) ? log_length(chain, landmark.bone) : 0;
  evidence.add(std::abs(ratio), tolerated_log_length,
               fmt::format("its bone is {:.2f} times as long as expected in such a hand", std::exp(ratio)));
  return evidence.weakest();
}

void review_landmarks(const Chain& chain, ReviewItems& items) {
  for (const scan::Landmark& landmark : chain.landmarks) items.push_back(item_of(chain, landmark));
}

LandmarkInScan landmark_in(const Chain& chain, const scan::Landmark& landmark, std::size_t s) {
  LandmarkInScan result{landmark.at, confidence_in(chain, landmark)};
  if (s == 0) return result;
  const ScanWork& work = chain.scans[s];
  result.at = work.alignment.bones[landmark.bone].motion.point(landmark.at);
  Evidence evidence;
  evidence.at_most(result.confidence.value, result.confidence.why);
  for (const ReviewItem& item : chain.review)
    if (item.decided == Decided::alignment && item.scan_number == s && item.bone == landmark.bone)
      evidence.at_most(item.confidence.value, "its bone: " + item.confidence.why);
  if (scan::is_on_skin(landmark.kind) && work.shows_skin() && !work.fit.positions.empty()) {
    result.at = {};
    bool seen = true;
    const Triangle& t = chain.base_skin.triangles[landmark.triangle];
    for (std::size_t k = 0; k < 3; ++k) {
      result.at += Vec3d(work.fit.positions[t[k]]) * landmark.barycentric[k];
      seen = seen && (work.fit.reliable.empty() || work.fit.reliable[t[k]]);
    }
    if (!seen) evidence.at_most(unseen_skin, "the scan does not show the skin there");
    weigh_features(chain, work.fit, landmark.at, evidence);
  } else if (scan::is_on_skin(landmark.kind)) {
    evidence.at_most(unseen_skin, "the scan has no skin: carried by its bone");
  }
  result.confidence = evidence.weakest();
  return result;
}

std::string landmarks_csv(const Chain& chain) {
  CsvTable table({"landmark", "bone", "on", "scan", "x_mm", "y_mm", "z_mm", "sd_in_base_mm", "confidence", "why"});
  for (const scan::Landmark& landmark : chain.landmarks) {
    for (std::size_t s = 0; s < chain.scans.size(); ++s) {
      const LandmarkInScan found = landmark_in(chain, landmark, s);
      const Vec3d at = found.at * mm;
      table.add(landmark.name).add(chain.bones[landmark.bone].name);
      table.add(scan::is_on_skin(landmark.kind) ? "skin" : "bone").add(chain.scans[s].entry->name);
      table.add(at.x).add(at.y).add(at.z).add(landmark.sd * mm).add(rounded(found.confidence.value));
      table.add(found.confidence.why).end_row();
    }
  }
  return table.text();
}

}  // namespace supple::workflow
