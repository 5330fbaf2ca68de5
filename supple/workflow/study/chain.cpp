#include "supple/workflow/study/chain.h"

#include <chrono>
#include <set>

#include "supple/author/scan/naming_bodies.h"
#include "supple/author/scan/naming_given.h"
#include "supple/author/scan/pose_doubts.h"
#include "supple/author/scan/surface.h"
#include "supple/make/hand_template.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/decision_check.h"
#include "supple/workflow/study/decisions.h"
#include "supple/workflow/study/fields.h"
#include "supple/workflow/study/review_parts.h"
#include "supple/workflow/study/sources.h"
#include "supple/workflow/study/stages.h"

namespace supple::workflow {
namespace {

/// A number that somebody gave; check_decisions() has seen to its type.
std::optional<double> number_in(const std::optional<Json>& given, const char* key) {
  if (!given || !given->contains(key)) return std::nullopt;
  return (*given)[key].get<double>();
}

/// The stages, in order; each adds to the chain and leaves the key of what it made.
class Runner {
 public:
  Runner(Chain& chain, const Workspace& workspace, Work& work)
      : chain_(chain),
        work_(work),
        memory_(workspace.memory()),
        decisions_(chain.project, workspace.remembered()),
        stages_(workspace, chain.stages, work) {}

  Result<void> run() {
    using Stage = Result<void> (Runner::*)();
    for (const Stage stage :
         {&Runner::surfaces, &Runner::pieces, &Runner::names, &Runner::alignments, &Runner::joints, &Runner::base_skin,
          &Runner::landmarks, &Runner::fits, &Runner::review, &Runner::assembly}) {
      const Result<void> done = (this->*stage)();
      // What was decided so far is written even where this stage failed: that is what has to be corrected.
      const Result<void> written = write_project(chain_.project, memory_, decisions_.remembered());
      if (!done) return done;
      if (!written) return written;
    }
    return {};
  }

 private:
  /// What errors call an item.
  std::string item(const Decisions::Path& path) const {
    std::string text = chain_.project.file.string() + ", decisions";
    for (const std::string& name : path) text += "." + name;
    return text;
  }
  const ScanEntry& base() const { return chain_.project.scans.front(); }
  LabelledHand labelled_hand() const {
    const Project& project = chain_.project;
    return {chain_.skeleton, project.right, project.label_blur, project.refine_labels, project.smallest_mm3 * 1e-9};
  }

  Result<void> surfaces() {
    const Project& project = chain_.project;
    for (const ScanEntry& entry : project.scans) {
      const Decisions::Path place{"thresholds", entry.name};
      scan::ExtractOptions options;
      options.bone_blur = project.bone_blur;
      options.skin_blur = project.skin_blur;
      const auto given = decisions_.by_hand(place);
      options.bone = number_in(given, "bone");
      options.skin = number_in(given, "skin");
      const std::uint64_t key = Key()
                                    .add(source_fingerprint(entry, project.file.parent_path()))
                                    .add(options.bone)
                                    .add(options.skin)
                                    .add(project.bone_blur)
                                    .add(project.skin_blur)
                                    .add(entry.labels.empty() ? 0 : project.label_blur)
                                    .add(entry.labels.empty() ? 0 : project.smallest_mm3)
                                    .add(entry.labels.empty() || project.right)
                                    .add(entry.labels.empty() || project.refine_labels)
                                    .value();
      auto made = stages_.run<scan::Surfaces>("surfaces of " + entry.name, key,
                                              [&] { return surfaces_of(entry, options, labelled_hand(), work_); });
      if (!made) return made.error();
      if (!entry.volume.empty() && entry.labels.empty()) {
        decisions_.decide(place, {{"bone", rounded(made->thresholds.bone)}, {"skin", rounded(made->thresholds.skin)}});
      } else if (made->thresholds.skin != 0) {
        decisions_.decide(place, {{"skin", rounded(made->thresholds.skin)}});
      }
      ScanWork work;
      work.entry = &entry;
      work.surfaces = std::move(*made);
      chain_.scans.push_back(std::move(work));
      surface_keys_.push_back(key);
    }
    return {};
  }

  Result<void> pieces() {
    const Decisions::Path place{"pieces"};
    const auto given = decisions_.by_hand(place);
    scan::PartOptions options;
    options.iso = chain_.scans[0].surfaces.thresholds.bone;
    options.blur = chain_.project.bone_blur;
    options.smallest = chain_.project.smallest_mm3 * 1e-9;
    options.marker = number_in(given, "marker");
    parts_key_ = Key().add(surface_keys_[0]).add(options.marker).add(options.smallest).value();
    auto made = stages_.run<scan::Parts>("pieces of bone", parts_key_, [&] {
      auto parts = parts_of(base(), options, labelled_hand(), work_);
      // Surfaces that somebody made and labels are bones because they say so.
      if (parts && !base().volume.empty() && base().labels.empty())
        scan::drop_outside(*parts, chain_.scans[0].surfaces.skin, &work_.warnings);
      return parts;
    });
    if (!made) return made.error();
    chain_.parts = std::move(*made);
    decisions_.decide(place, pieces_json(chain_.parts), {"dropped", "found"});
    return {};
  }

  Result<void> names();
  Result<void> alignments();
  Result<void> joints();

  Result<void> base_skin() {
    const Project& project = chain_.project;
    if (!chain_.has_skin()) {
      work_.warnings.push_back("scan '" + base().name +
                               "': shows no skin: what is built is a skeleton that can be posed, of bones alone");
      return {};
    }
    const std::uint64_t key = Key().add(surface_keys_[0]).add(project.skin_triangles).value();
    auto skin = stages_.run<Mesh>("base skin", key, [&]() -> Result<Mesh> {
      const Mesh& measured = chain_.scans[0].surfaces.skin;
      // Also where there are few enough: an iso-surface has slivers, and fits fold them.
      return scan::reduce(measured, std::min(project.skin_triangles, measured.triangles.size()), work_.progress);
    });
    if (!skin) return Error{base().name + ", skin", skin.error().problem, skin.error().remedy};
    chain_.base_skin = std::move(*skin);
    chain_.base_border = border_of(chain_.base_skin, chain_.scans[0].surfaces);
    weights_key_ = Key().add(key).add(names_key_).value();
    auto weights = stages_.run<SkinWeights>(
        "skin weights", weights_key_, [&] { return scan::bind_base(chain_.base_skin, chain_.bones, work_.progress); });
    if (!weights) return weights.error();
    chain_.weights = std::move(*weights);
    return {};
  }

  Result<void> landmarks() {
    std::vector<Vec3d> centres;
    for (const scan::JointEstimate& joint : chain_.joints) centres.push_back(joint.centre);
    chain_.frames = scan::bone_frames(chain_.bones, chain_.project.right);
    chain_.landmarks = scan::find_landmarks(chain_.bones, chain_.frames, centres, chain_.base_skin, chain_.base_border);
    return {};
  }

  Result<void> fits();
  Result<void> assembly();
  /// How sure each decision is, beside what was decided.
  Result<void> review() {
    chain_.review = review_of(chain_);
    state_confidence(chain_, decisions_);
    return {};
  }

  Chain& chain_;
  Work& work_;
  std::filesystem::path memory_;
  Decisions decisions_;
  Stages stages_;
  std::vector<std::uint64_t> surface_keys_, alignment_keys_;  // by scan; of the base: 0
  std::uint64_t parts_key_ = 0, names_key_ = 0, weights_key_ = 0;
};

/// Which pieces people or labels gave each bone; bones that they did not touch keep what the program found.
Result<void> Runner::names() {
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

Result<void> Runner::alignments() {
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
Result<void> Runner::joints() {
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

Result<void> Runner::fits() {
  for (std::size_t s = 1; s < chain_.scans.size() && chain_.has_skin(); ++s) {
    ScanWork& work = chain_.scans[s];
    const std::string& name = work.entry->name;
    if (!work.shows_skin()) {
      work_.warnings.push_back("scan '" + name +
                               "': shows no skin: its bones tell of joints, its skin is neither learnt nor judged");
      work.fit.blended = scan::blend(chain_.base_skin.positions, chain_.weights, work.alignment.bones);
      work.fit.positions = work.fit.blended;
      continue;
    }
    const Decisions::Path place{"features", name};
    std::optional<std::vector<scan::Feature>> features;
    Key key;
    key.add(weights_key_).add(alignment_keys_[s]).add(surface_keys_[s]);
    if (const auto by_hand = decisions_.by_hand(place)) {
      auto given = features_of(*by_hand, chain_.base_skin, item(place));
      if (!given) return given.error();
      features = std::move(given->features);
      key.add(features->size());
      for (const scan::Feature& f : *features)
        key.add(f.name).add(f.vertex).add(f.target.x).add(f.target.y).add(f.target.z);
      decisions_.decide(place, std::move(given->item), {"points", "base_skin"});
    }
    const auto fit = [&] {
      const std::vector<Vec3f> blended = scan::blend(chain_.base_skin.positions, chain_.weights, work.alignment.bones);
      return scan::fit_skin(chain_.base_skin, blended, work.surfaces.skin, features, {}, chain_.base_border,
                            work.surfaces.skin_border, &work_.warnings, work_.progress);
    };
    auto made = stages_.run<scan::FittedSkin>("skin of " + name, key.value(), fit, name);
    if (!made) return Error{"scan '" + name + "', " + made.error().item, made.error().problem, made.error().remedy};
    work.fit = std::move(*made);
    decisions_.decide(place, features_json(work.fit.features, chain_.base_skin));
  }
  return {};
}

Result<void> Runner::assembly() {
  const auto start = std::chrono::steady_clock::now();
  std::vector<scan::FoundPose> poses;
  for (std::size_t s = 1; s < chain_.scans.size(); ++s) {
    const ScanWork& work = chain_.scans[s];
    poses.push_back({work.entry->name, work.entry->role, &work.alignment, work.fit.positions, work.shows_skin()});
  }
  scan::AssembleOptions options;
  options.name = chain_.project.name;
  options.origin = "supple scan build " + chain_.project.file.filename().string();
  auto made = scan::assemble(chain_.base_skin, chain_.weights, chain_.bones, chain_.joints, chain_.skeleton,
                             chain_.naming, poses, options, work_.progress);
  if (!made) {
    // A bone with a wrong name is not found in any scan: what is doubted before it is where to begin.
    const bool doubted = !chain_.review.empty() && chain_.review.front().to_look_at();
    const Error& error = made.error();
    return Error{error.item, error.problem,
                 doubted ? "look first at: " + chain_.review.front().title() + ", " +
                               chain_.review.front().confidence.why + "; " + error.remedy
                         : error.remedy};
  }
  chain_.assembled = std::move(*made);
  chain_.stages.push_back({"character", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                           memory_used_mb(), false});
  return {};
}

}  // namespace

Result<std::unique_ptr<Chain>> run_chain(Project project, Work& work) {
  auto workspace = Workspace::open(project.work_folder());
  if (!workspace) return workspace.error();
  auto chain = std::make_unique<Chain>();  // scans point into its project
  chain->project = std::move(project);
  chain->skeleton = make::hand_template(chain->project.right ? make::Side::right : make::Side::left);
  if (auto ok = check_decisions(chain->project, workspace->remembered(), chain->skeleton, work.warnings); !ok)
    return ok.error();
  if (auto ok = Runner(*chain, *workspace, work).run(); !ok) return ok.error();
  return chain;
}

}  // namespace supple::workflow
