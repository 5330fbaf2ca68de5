#include "supple/workflow/study/chain_runner.h"

#include <set>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_given.h"
#include "supple/author/scan/pose_doubts.h"
#include "supple/make/hand_template.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/decision_check.h"
#include "supple/workflow/study/fields.h"

namespace supple::workflow {

/// Which pieces people or labels gave each bone; bones that they did not touch keep what the program found.
Result<void> ChainRunner::names() {
  std::vector<std::optional<std::vector<std::uint32_t>>> pieces =
      scan::pieces_by_label(chain_.parts.parts, chain_.skeleton);
  Key key;
  key.add(parts_key_).add(chain_.project.skeleton).add(chain_.project.right);
  std::set<std::uint32_t> by_hand;
  for (std::size_t b = 0; b < pieces.size(); ++b) {
    const std::string& joint = chain_.skeleton.bones[b].joint;
    const auto given = decisions_.by_hand({"bones", joint});
    if (!given) continue;
    auto list = pieces_of(*given, chain_.parts, item({"bones", joint}));
    if (!list) return list.error();
    by_hand.insert(list->begin(), list->end());
    pieces[b] = std::move(*list);
  }
  auto bodies = scan::bodies_by_label(chain_.parts.parts, chain_.skeleton);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string& name = chain_.skeleton.bodies[i].name;
    const auto given = decisions_.by_hand({"bones", name});
    if (!given) continue;
    auto list = pieces_of(*given, chain_.parts, item({"bones", name}));
    if (!list) return list.error();
    for (auto& other : bodies)
      if (other) std::erase_if(*other, [&](std::uint32_t p) { return std::count(list->begin(), list->end(), p) > 0; });
    bodies[i] = std::move(*list);
  }
  for (const auto& body : bodies) {
    key.add(body ? body->size() : 0);
    for (const std::uint32_t piece : body.value_or(std::vector<std::uint32_t>())) key.add(piece);
  }
  for (std::size_t b = 0; b < pieces.size(); ++b) {
    // What somebody gave to another bone is no longer the label's.
    if (pieces[b] && !decisions_.by_hand({"bones", chain_.skeleton.bones[b].joint}))
      std::erase_if(*pieces[b], [&](std::uint32_t p) { return by_hand.count(p) > 0; });
    key.add(pieces[b] ? pieces[b]->size() : 0);
    for (const std::uint32_t piece : pieces[b].value_or(std::vector<std::uint32_t>())) key.add(piece);
  }
  names_key_ = key.value();
  auto made = stages_.run<scan::Naming>("names of bones", names_key_, [&]() -> Result<scan::Naming> {
    const bool labelled = !base().labels.empty();
    if (labelled)
      if (auto side = scan::check_side(chain_.parts.parts, chain_.skeleton); !side) return side.error();
    auto naming = scan::name_bones(chain_.parts.parts, chain_.skeleton, pieces, &work_.warnings, bodies);
    if (labelled && !naming)
      return Error{naming.error().item, naming.error().problem,
                   "give every bone a label of its own, or correct the label that holds several"};
    if (!labelled) return naming;
    if (auto fit = doubt_names(chain_.parts, chain_.skeleton, *naming, by_hand, work_.warnings); !fit)
      return fit.error();
    return naming;
  });
  if (!made) return Error{base().name + ", " + made.error().item, made.error().problem, made.error().remedy};
  chain_.naming = std::move(*made);
  for (const scan::NamedBone& bone : chain_.naming.bones) {
    decisions_.decide({"bones", chain_.skeleton.bones[bone.bone].joint}, bone_json(bone, chain_.parts),
                      {"centres_mm", "doubt"});
  }
  for (const scan::NamedBody& body : chain_.naming.bodies) {
    if (body.bodies.size() == 1)
      decisions_.decide({"bones", scan::body_name(body, chain_.skeleton)},
                        bone_json({0, body.pieces, body.doubt}, chain_.parts), {"centres_mm", "doubt"});
  }
  chain_.bones = scan::scan_bones(chain_.parts.parts, chain_.skeleton, chain_.naming);
  chain_.bodies = scan::scan_bodies(chain_.parts.parts, chain_.skeleton, chain_.naming, chain_.bones);
  return {};
}

Result<void> ChainRunner::alignments() {
  alignment_keys_.assign(1, 0);
  for (std::size_t s = 1; s < chain_.scans.size(); ++s) {
    ScanWork& work = chain_.scans[s];
    const std::string& name = work.entry->name;
    std::vector<std::optional<Affined>> given(chain_.bones.size() + chain_.bodies.size());
    const auto bone = [&](std::size_t b) -> const scan::ScanBone& {
      return b < chain_.bones.size() ? chain_.bones[b] : chain_.bodies[b - chain_.bones.size()];
    };
    Key key;
    key.add(names_key_).add(surface_keys_[s]);
    for (std::size_t b = 0; b < given.size(); ++b) {
      const Decisions::Path place{"alignment", name, bone(b).name};
      const auto by_hand = decisions_.by_hand(place);
      key.add(by_hand.has_value());
      if (!by_hand) continue;
      auto motion = motion_of(*by_hand, bone(b), item(place));
      if (!motion) return motion.error();
      given[b] = *motion;
      key.add((*by_hand)["turn_degrees"].dump()).add((*by_hand)["shift_mm"].dump());
    }
    alignment_keys_.push_back(key.value());
    const auto align = [&] {
      auto found = scan::align_bones(chain_.bones, work.surfaces.bone, {}, given, &work_.warnings, work_.progress,
                                     chain_.bodies);
      if (found) doubt_labels(work.surfaces, chain_.bones, *found, work_.warnings);
      return found;
    };
    auto made = stages_.run<scan::Alignment>("bones of " + name, key.value(), align, name);
    if (!made) return Error{"scan '" + name + "', " + made.error().item, made.error().problem, made.error().remedy};
    work.alignment = std::move(*made);
    for (std::size_t b = 0; b < given.size(); ++b) {
      const scan::BoneFit& fit =
          b < chain_.bones.size() ? work.alignment.bones[b] : work.alignment.bodies[b - chain_.bones.size()];
      decisions_.decide({"alignment", name, bone(b).name}, motion_json(fit, bone(b)), {"residual_mm", "overlap"});
    }
  }
  return {};
}

/// Joints come from the scans to learn from; those held out must not have a say.
Result<void> ChainRunner::joints() {
  std::vector<scan::Alignment> training;
  for (const ScanWork& work : chain_.scans) {
    if (work.entry != &base() && work.entry->role == Role::train) training.push_back(work.alignment);
  }
  for (std::size_t b = 0; b < chain_.bones.size(); ++b) {
    const auto given = decisions_.by_hand({"joints", chain_.bones[b].name});
    if (given && given->contains("slides")) chain_.bones[b].slides = (*given)["slides"];
  }
  chain_.joints = scan::estimate_joints(chain_.bones, training);
  for (std::size_t b = 0; b < chain_.bones.size(); ++b) {
    scan::JointEstimate& joint = chain_.joints[b];
    const Decisions::Path place{"joints", chain_.bones[b].name};
    if (const auto given = decisions_.by_hand(place)) {
      const auto centre = centre_of_joint(*given, item(place));
      if (!centre) return centre.error();
      if (*centre) scan::place_centre(chain_.bones, training, b, **centre, joint);
    }
    decisions_.decide(place, joint_json(joint), {"residual_mm", "uncertainty_mm", "directions_seen"});
  }
  std::vector<Vec3d> centres;
  for (const scan::JointEstimate& joint : chain_.joints) centres.push_back(joint.centre);
  chain_.kinds = scan::choose_joint_types(chain_.bones, training, centres);
  for (std::string& doubt : scan::doubts_about_joints(chain_.bones, chain_.joints))
    work_.warnings.push_back(std::move(doubt));
  return {};
}

}  // namespace supple::workflow
