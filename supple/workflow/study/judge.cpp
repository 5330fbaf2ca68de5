#include "supple/workflow/study/judge.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "supple/author/learn/pose_space.h"
#include "supple/author/scan/pose_doubts.h"
#include "supple/base/parallel.h"
#include "supple/deform/skin.h"
#include "supple/geometry/bvh.h"
#include "supple/workflow/study/sources.h"

namespace supple::workflow {
namespace {

Result<Character> taught(const Chain& chain, JointInfluence influence, Work& work) {
  Character character = chain.assembled.character;
  const std::array<std::size_t, 1> parts{0};
  learn::PoseSpaceOptions options;
  options.influence = influence;
  auto space =
      learn::train_pose_space(chain.assembled.examples, character, parts, options, &work.warnings, work.progress);
  if (!space) return space.error();
  return character;
}

constexpr double much_left_out = 0.25;  // of the skin: worth a warning

void warn_of_poor_teachers(const Chain& chain, Warnings& warnings) {
  std::vector<scan::FoundPose> poses;
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    const ScanWork& work = chain.scans[s];
    poses.push_back({work.entry->name, work.entry->role, &work.alignment, work.fit.positions, work.shows_skin()});
  }
  for (std::string& doubt : scan::doubts_about(chain.bones, poses)) warnings.push_back(std::move(doubt));
}

/// Vertices of the base skin that a volume cut off, the base's or this scan's: scans are never cropped alike.
std::vector<bool> cut_off(const Chain& chain, const ScanWork& work, const Bvh& scanned) {
  std::vector<bool> result = border_of(work.fit.blended, work.surfaces, scanned);
  for (std::size_t v = 0; v < result.size(); ++v) result[v] = result[v] || chain.base_border[v];
  return result;
}

/// Vertices of the base skin that this scan does not show.
std::vector<bool> not_shown(const Chain& chain, const ScanWork& work, const Bvh& scanned) {
  std::vector<bool> result = border_of(work.fit.positions, work.surfaces, scanned);
  for (std::size_t v = 0; v < result.size(); ++v)
    result[v] = result[v] || chain.base_border[v] || !work.fit.reliable[v];
  return result;
}

/// A scan's skin as the model sees it: from its root bone, in model space.
Mesh measured_in_model_space(const Chain& chain, const ScanWork& work) {
  const Affined to_model = chain.assembled.to_model * inverse(work.alignment.bones[0].motion);
  Mesh skin = work.surfaces.skin;
  for (Vec3f& p : skin.positions) p = Vec3f(to_model.point(Vec3d(p)));
  return skin;
}

Result<measure::ErrorSummary> distance_to(const Bvh& measured, std::span<const Vec3f> skin,
                                          const std::vector<bool>& left_out) {
  std::vector<double> distance(skin.size());
  parallel_for(skin.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      distance[v] = left_out[v] ? 0.0 : double{measured.closest(skin[v]).distance};
  });
  std::vector<double> errors;
  std::vector<Vec3f> places;
  for (std::size_t v = 0; v < skin.size(); ++v) {
    if (left_out[v]) continue;
    errors.push_back(distance[v]);
    places.push_back(skin[v]);
  }
  return measure::summarize(errors, places);
}

}  // namespace

double Judged::rms(SkinMethod method, Role role, const Chain& chain) const {
  double sum = 0, count = 0;
  for (const ScanError& error : errors) {
    if (chain.scans[error.scan].entry->role != role) continue;
    if (chain.assembled.examples.examples[error.scan - 1].role != role) continue;
    const measure::ErrorSummary& e = error.methods[static_cast<std::size_t>(method)];
    sum += e.rms * e.rms * static_cast<double>(e.count);
    count += static_cast<double>(e.count);
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

Result<Judged> judge(const Chain& chain, Work& work) {
  warn_of_poor_teachers(chain, work.warnings);
  Judged result;
  result.characters.fill(chain.assembled.character);
  if (!chain.has_skin()) return result;
  auto psd = taught(chain, JointInfluence::equal, work);
  if (!psd) return psd.error();
  result.characters[1] = std::move(*psd);
  work.warnings.erase(std::unique(work.warnings.begin(), work.warnings.end()), work.warnings.end());
  auto weighted = taught(chain, JointInfluence::subtree, work);
  if (!weighted) return weighted.error();
  result.characters[2] = std::move(*weighted);
  std::vector<Skin> skins;
  for (const Character& character : result.characters) {
    auto skin = Skin::make(character);
    if (!skin) return skin.error();
    skins.push_back(std::move(*skin));
  }
  for (std::size_t s = 1; s < chain.scans.size(); ++s) {
    if (!chain.scans[s].shows_skin()) continue;
    report(work.progress, "measuring", static_cast<double>(s) / static_cast<double>(chain.scans.size()));
    const Mesh measured = measured_in_model_space(chain, chain.scans[s]);
    const Bvh surface(measured.positions, measured.triangles);
    ScanError error;
    error.scan = s;
    const Mesh& skin = chain.scans[s].surfaces.skin;
    const Bvh scanned(skin.positions, skin.triangles);
    const std::vector<bool> left_out = not_shown(chain, chain.scans[s], scanned),
                            cut = cut_off(chain, chain.scans[s], scanned);
    error.share_left_out = static_cast<double>(std::count(left_out.begin(), left_out.end(), true)) /
                           static_cast<double>(std::max<std::size_t>(left_out.size(), 1));
    if (error.share_left_out > much_left_out)
      work.warnings.push_back(fmt::format("scan '{}': does not show {:.0f} % of the base's skin, which is not judged",
                                          chain.scans[s].entry->name, 100 * error.share_left_out));
    for (std::size_t m = 0; m < skins.size(); ++m) {
      Pose pose = chain.assembled.examples.pose(s - 1);
      pose.morph_weights = result.characters[m].morph_weights;
      if (auto ok = skins[m].evaluate(pose); !ok) return ok.error();
      auto distance = distance_to(surface, skins[m].positions(0), left_out);
      if (!distance) return Error{"scan '" + chain.scans[s].entry->name + "'", distance.error().problem, ""};
      error.methods[m] = *distance;
      auto whole = distance_to(surface, skins[m].positions(0), cut);
      if (!whole) return Error{"scan '" + chain.scans[s].entry->name + "'", whole.error().problem, ""};
      error.whole[m] = *whole;
    }
    result.errors.push_back(error);
  }
  return result;
}

}  // namespace supple::workflow
