// How sure it is where bones lie in each scan, and what joints do.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/base/angle.h"
#include "supple/base/twist.h"
#include "supple/workflow/jobs/units.h"
#include "supple/workflow/study/labelled_scan.h"
#include "supple/workflow/study/review_parts.h"

namespace supple::workflow {
namespace {

// What is tolerated, each at a confidence of 1/2.
constexpr double tolerated_uncovered = 0.4;                     // of a bone's surface, that lies on no bone of the scan
constexpr double tolerated_times = 4, least_residual = 0.0002;  // of what is usual in the study; metres
constexpr double tolerated_turn_sd = 0.75 * degree;             // errors are a few times as large where scans are bad
constexpr double tolerated_gap = 0.0025, tolerated_slide = 0.008;  // metres that ends in a joint move apart
constexpr double tolerated_beyond = 25 * degree;                   // of a turn beyond what such a joint does
constexpr double tolerated_across = 0.001;                         // metres of a centre, across its axis
constexpr double tolerated_eq1 = 0.001;                            // metres of eq. 1's residual; the paper had .91 mm
constexpr double tolerated_distance = 0.5;                         // of a bone's length, from the facing ends
constexpr double inside_head = 0.006;                              // metres: joints turn about places within heads
constexpr double tolerated_along = 0.0025;                         // metres of a centre along the axis of most turning
constexpr double little_range = 20;                                // degrees: of a joint that hardly moves anyway
constexpr double little_matters = 0.6;                             // confidence in what is said of such a joint
constexpr double tolerated_margin = 3;                             // of BIC
constexpr double asked_margin = 10;                                // see scan::choose_joint_types()
constexpr double most_told = 9999;                                 // of BIC
constexpr std::size_t fewest_motions = 3;                          // that tell kinds of joints apart
constexpr double few_motions = 0.2;                                // confidence, for each of fewer

/// Radians of a joint's turn that its degrees of freedom and their limits do not explain.
double beyond_limits(const scan::ScanBone& bone, const Mat3d& turn) {
  const Vec3d all = transpose(bone.axes) * log_rotation(from_matrix(turn));
  Vec3d left = all;
  double beyond = 0;
  for (const Dof& dof : bone.dofs) {
    const Vec3d axis(dof.axis);
    const double angle = dot(all, axis);
    beyond = std::max(beyond, std::abs(angle - std::clamp(angle, double{dof.min}, double{dof.max})));
    left -= axis * dot(left, axis);
  }
  return std::max(beyond, bone.slides ? 0.0 : length(left));
}

/// What is tolerated of residuals: they depend on voxels and noise, which all scans of a study have alike.
double tolerated_residual_of(const Chain& chain) {
  std::vector<double> usual;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) usual.push_back(usual_residual(chain.scans[s].alignment.bones));
  return std::max(tolerated_times * median_of(std::move(usual)), least_residual);
}

/// How a bone, or a single one of a compound bone, lies on what the scan shows.
Evidence evidence_of(const scan::BoneFit& fit, double tolerated) {
  Evidence evidence;
  if (!fit.found) {
    evidence.at_most(0.02, fmt::format("not found: only {:.0f} % of it lies on bone", 100 * fit.overlap));
    return evidence;
  }
  evidence.add(1 - fit.overlap, tolerated_uncovered, fmt::format("{:.0f} % of it lies on bone", 100 * fit.overlap));
  evidence.add(fit.residual, tolerated, fmt::format("lies {:.3f} mm from the bone of the scan", fit.residual * mm));
  evidence.add(fit.rotation_sd, tolerated_turn_sd,
               fmt::format("its turn is known to {:.2f} degrees", fit.rotation_sd * degrees));
  return evidence;
}

Confidence confidence_in_motion(const Chain& chain, std::size_t s, std::uint32_t b, double tolerated) {
  const scan::BoneFit& fit = chain.scans[s].alignment.bones[b];
  const scan::ScanBone& bone = chain.bones[b];
  Evidence evidence = evidence_of(fit, tolerated);
  if (!fit.found) return evidence.weakest();
  if (bone.parent == TemplateBone::none || !chain.scans[s].alignment.bones[bone.parent].found)
    return evidence.weakest();
  const Affined motion = scan::joint_motion(chain.bones, chain.scans[s].alignment, b).motion;
  const double gap = length(motion.point(bone.facing) - bone.facing);
  const double most = bone.slides ? tolerated_slide : tolerated_gap + 0.1 * length(bone.tail - bone.facing);
  evidence.add(std::max(gap - most, 0.0), most,
               fmt::format("its end moved {:.1f} mm away from the bone before it", gap * mm));
  const double beyond = beyond_limits(bone, motion.linear);
  evidence.add(beyond, tolerated_beyond,
               fmt::format("turned by {:.0f} degrees that such a joint does not turn by", beyond * degrees));
  return evidence.weakest();
}

/// Degrees that the joint turns by at most between the base and the scans to learn from; how many show it.
struct Turned {
  double most = 0;
  std::size_t scans = 0;
};
Turned turned(const Chain& chain, std::size_t b) {
  Turned result;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const scan::Alignment& alignment = chain.scans[s].alignment;
    if (chain.scans[s].entry->role != Role::train) continue;
    if (!alignment.bones[b].found || !alignment.bones[chain.bones[b].parent].found) continue;
    ++result.scans;
    const Mat3d turn = scan::joint_motion(chain.bones, alignment, b).motion.linear;
    result.most = std::max(result.most, length(log_rotation(from_matrix(turn))) * degrees);
  }
  return result;
}

bool stays_still(const Chain& chain, std::size_t b) {
  const scan::JointModel* kind = chain.kinds[b].model();
  return chain.bones[b].dofs.empty() && !chain.bones[b].slides &&
         (kind == nullptr || kind->type == scan::JointType::fixed);
}

/// Degrees that joints of its name can turn by, all in all.
double range_of(const scan::ScanBone& bone) {
  double range = 0;
  for (const Dof& dof : bone.dofs) range += double{dof.max - dof.min} * degrees;
  return range;
}

/// As free as joints of its name are.
scan::JointType expected_kind(const scan::ScanBone& bone) {
  if (bone.slides) return scan::JointType::free;
  return static_cast<scan::JointType>(std::min<std::size_t>(bone.dofs.size(), 3));
}

/// By how much evidence could change before another kind would be chosen.
double margin_of(const scan::JointTypeChoice& choice) {
  const double own = choice.tried[choice.chosen].bic;
  double margin = 1e9;
  for (std::size_t t = 0; t < choice.tried.size(); ++t) {
    if (t == choice.chosen) continue;
    margin = std::min(margin, choice.tried[t].bic - own + (t < choice.chosen ? -asked_margin : asked_margin));
  }
  return std::max(margin, 0.0);
}

std::size_t motions_to_learn_from(const Chain& chain) {
  std::size_t motions = 0;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) motions += chain.scans[s].entry->role == Role::train ? 1 : 0;
  return motions;
}

std::string count_of(std::size_t motions) { return motions == 1 ? "one motion" : std::to_string(motions) + " motions"; }

}  // namespace

void review_alignment(const Chain& chain, ReviewItems& items) {
  const double tolerated = tolerated_residual_of(chain);
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    const std::vector<LabelMismatch> mismatches = labels_elsewhere(work.surfaces, chain.bones, work.alignment);
    const auto about = [&](const scan::ScanBone& bone) {
      ReviewItem item;
      item.decided = Decided::alignment;
      item.scan = work.entry->name;
      item.item = bone.name;
      item.field = {"alignment", item.scan, item.item};
      item.scan_number = s;
      item.remedy = "set \"turn_degrees\" and \"shift_mm\"; near is enough, it is refined";
      return item;
    };
    for (std::uint32_t b = 0; b < chain.bones.size(); ++b) {
      ReviewItem item = about(chain.bones[b]);
      item.bone = b;
      item.confidence = confidence_in_motion(chain, s, b, tolerated);
      if (!work.alignment.bones[b].found)
        item.remedy =
            "set \"turn_degrees\" and \"shift_mm\", which are its neighbour's now; near is enough, it is refined where "
            "the scan shows the bone";
      for (const LabelMismatch& mismatch : mismatches) {
        if (mismatch.bone != b || item.confidence.value < 0.1) continue;
        item.confidence = {0.1, "the labels of the scan say " + chain.bones[mismatch.label].name + " where it lies"};
        item.remedy = "see whether labels of the scan are exchanged, and exchange them";
      }
      items.push_back(std::move(item));
    }
    for (std::size_t b = 0; b < work.alignment.bodies.size(); ++b) {
      ReviewItem item = about(chain.bodies[b]);
      item.place = work.alignment.bodies[b].motion.point(chain.bodies[b].facing);
      item.confidence = evidence_of(work.alignment.bodies[b], tolerated).weakest();
      items.push_back(std::move(item));
    }
  }
}

void review_centres(const Chain& chain, ReviewItems& items) {
  for (std::uint32_t b = 0; b < chain.bones.size(); ++b) {
    const scan::ScanBone& bone = chain.bones[b];
    if (bone.parent == TemplateBone::none) continue;
    const scan::JointEstimate& joint = chain.joints[b];
    ReviewItem item;
    item.decided = Decided::centre;
    item.item = bone.name;
    item.field = {"joints", bone.name};
    item.bone = b;
    item.place = joint.centre;
    const Vec3d ends = joint.prior * mm;
    item.remedy =
        fmt::format("set \"centre_mm\"; the facing ends meet at [{:.1f}, {:.1f}, {:.1f}]", ends.x, ends.y, ends.z);
    Evidence evidence;
    const double away = length(joint.centre - joint.prior), size = length(bone.tail - bone.facing);
    evidence.add(std::max(away - inside_head, 0.0), tolerated_distance * size,
                 fmt::format("lies {:.1f} mm from the ends that face each other; the bone is {:.0f} mm long", away * mm,
                             size * mm));
    const Turned turn = turned(chain, b);
    if (stays_still(chain, b)) {
      evidence.at_most(0.95, "does not move, as such joints hardly do: where its centre lies is of no account");
    } else if (joint.seen == 0) {
      evidence.at_most(range_of(bone) < little_range ? little_matters : 0.15,
                       fmt::format("hardly turns, {:.1f} degrees at most in {} scans: its centre is only where the "
                                   "bones face each other",
                                   turn.most, turn.scans));
      item.remedy += "; or scan a pose in which it bends";
    } else {
      evidence.add(joint.across_axis, tolerated_across,
                   fmt::format("known to {:.2f} mm across its axis", joint.across_axis * mm));
      const scan::JointModel* kind = chain.kinds[b].model();
      if (kind != nullptr && kind->type > scan::JointType::hinge)
        evidence.add(joint.along_axis, tolerated_along,
                     fmt::format("known only to {:.1f} mm along the axis that it turns most about, and it has others",
                                 joint.along_axis * mm));
    }
    if (!joint.slides)
      evidence.add(
          joint.residual, tolerated_eq1,
          fmt::format("the scans carry it {:.2f} mm away, {:.2f} at most", joint.residual * mm, joint.worst * mm));
    item.confidence = evidence.weakest();
    items.push_back(std::move(item));
  }
}

std::vector<Confidence> confidence_in_kinds(const Chain& chain) {
  const std::size_t motions = motions_to_learn_from(chain);
  std::vector<Confidence> result;
  for (std::size_t b = 0; b < chain.bones.size(); ++b) {
    const scan::JointTypeChoice& choice = chain.kinds[b];
    Evidence evidence;
    if (choice.model() == nullptr) {
      evidence.at_most(0.05, "no scan shows how it moves");
    } else {
      const scan::JointType kind = choice.model()->type, expected = expected_kind(chain.bones[b]);
      const double margin = margin_of(choice);
      const std::string is = std::string(scan::name_of(kind));
      evidence.at_most(
          margin / (margin + tolerated_margin),
          fmt::format("{}; with a BIC worse by {:.0f} it would be another", is, std::min(margin, most_told)));
      if (motions < fewest_motions)
        evidence.at_most(few_motions * static_cast<double>(motions),
                         fmt::format("{}, by {} only", is, count_of(motions)));
      if (kind == scan::JointType::fixed && expected != kind)
        evidence.at_most(range_of(chain.bones[b]) < little_range ? little_matters : 0.3,
                         is + ": it hardly moves in these scans, as joints of its name would");
      if (kind > expected)
        evidence.at_most(expected == scan::JointType::fixed ? little_matters : 0.45,
                         fmt::format("{}, where joints of its name are {}", is, scan::name_of(expected)));
    }
    result.push_back(evidence.weakest());
  }
  return result;
}

void review_kinds(const Chain& chain, ReviewItems& items) {
  const std::vector<Confidence> confidences = confidence_in_kinds(chain);
  const std::size_t motions = motions_to_learn_from(chain);
  constexpr const char* remedy =
      "scan more poses; \"slides\": true makes it one of six degrees of freedom; joint_types.csv of `supple scan "
      "biomechanics` has what every kind leaves";
  if (motions < fewest_motions) {  // the same of all of them
    ReviewItem item;
    item.decided = Decided::kind;
    item.item = "every joint";
    item.confidence = {few_motions * static_cast<double>(motions),
                       "hinge, universal and ball joint cannot be told apart by " + count_of(motions)};
    item.remedy = "scan more poses: " + std::to_string(fewest_motions) + " or more beside the base";
    items.push_back(std::move(item));
    return;
  }
  for (std::uint32_t b = 0; b < chain.bones.size(); ++b) {
    if (chain.bones[b].parent == TemplateBone::none) continue;
    ReviewItem item;
    item.decided = Decided::kind;
    item.item = chain.bones[b].name;
    item.field = {"joints", item.item};
    item.bone = b;
    item.place = chain.joints[b].centre;
    item.confidence = confidences[b];
    item.remedy = remedy;
    items.push_back(std::move(item));
  }
}

}  // namespace supple::workflow
