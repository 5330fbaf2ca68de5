#include "supple/workflow/study/chain_runner.h"

#include <chrono>

#include "supple/author/scan/surface.h"
#include "supple/geometry/bvh.h"
#include "supple/workflow/study/decided.h"
#include "supple/workflow/study/fields.h"

namespace supple::workflow {

Result<void> ChainRunner::base_skin() {
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
  const scan::Surfaces& base = chain_.scans[0].surfaces;
  chain_.base_border = border_of(chain_.base_skin.positions, base, Bvh(base.skin.positions, base.skin.triangles));
  weights_key_ = Key().add(key).add(names_key_).value();
  auto weights = stages_.run<SkinWeights>(
      "skin weights", weights_key_, [&] { return scan::bind_base(chain_.base_skin, chain_.bones, work_.progress); });
  if (!weights) return weights.error();
  chain_.weights = std::move(*weights);
  return {};
}

Result<void> ChainRunner::landmarks() {
  std::vector<Vec3d> centres;
  for (const scan::JointEstimate& joint : chain_.joints) centres.push_back(joint.centre);
  chain_.frames = scan::bone_frames(chain_.bones, chain_.project.right);
  chain_.landmarks = scan::find_landmarks(chain_.bones, chain_.frames, centres, chain_.base_skin, chain_.base_border);
  return {};
}

Result<void> ChainRunner::fits() {
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

Result<void> ChainRunner::assembly() {
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

}  // namespace supple::workflow
