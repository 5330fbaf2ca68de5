// Names by labels held against what shapes, places and the other scans say.
#include <algorithm>
#include <map>

#include "supple/author/scan/naming_given.h"
#include "supple/geometry/bvh.h"
#include "supple/workflow/study/labelled_scan.h"

namespace supple::workflow {
namespace {

constexpr double believed = 0.6;    // of a bone's points: they lie on another bone's label
constexpr float beside = 0.003f;    // metres: as near to a label is on it
constexpr std::size_t asked = 200;  // points of a bone

}  // namespace

Result<void> doubt_names(const scan::Parts& parts, const BoneTemplate& skeleton, const scan::Naming& naming,
                         const std::set<std::uint32_t>& by_hand, Warnings& warnings) {
  std::vector<std::uint32_t> owner(parts.parts.size(), TemplateBone::none);
  for (const scan::NamedBone& named : naming.bones) {
    for (const std::uint32_t p : named.pieces) {
      owner[p] = named.bone;
      const std::vector<std::uint32_t>& candidates = parts.parts[p].candidates;
      if (candidates.empty() || std::count(candidates.begin(), candidates.end(), named.bone) > 0) continue;
      warnings.push_back("base scan: piece " + std::to_string(p) + " was named " + skeleton.bones[named.bone].joint +
                         ", which its label does not hold: look at it");
    }
  }
  const auto by_shape = scan::find_names(parts.parts, skeleton, nullptr);
  if (!by_shape) return {};
  std::map<std::uint32_t, std::uint32_t> looks_like;  // what a label calls a bone, and what that looks like
  for (const scan::NamedBone& named : by_shape->bones) {
    for (const std::uint32_t p : named.pieces) {
      const bool labelled = parts.parts[p].candidates.size() == 1 && by_hand.count(p) == 0;
      if (labelled && owner[p] != TemplateBone::none && owner[p] != named.bone) looks_like[owner[p]] = named.bone;
    }
  }
  for (const auto& [said, seen] : looks_like) {
    const std::string &a = skeleton.bones[said].joint, &b = skeleton.bones[seen].joint;
    const auto back = looks_like.find(seen);
    if (back != looks_like.end() && back->second == said)
      return Error{"base scan", "the labels of " + a + " and " + b + " look exchanged, by where the bones lie",
                   "exchange them; if they are right, give both bones their pieces under decisions.bones"};
    warnings.push_back("base scan: a label says " + a + " of what looks and lies like the " + b + ": look at it");
  }
  return {};
}

std::vector<LabelMismatch> labels_elsewhere(const scan::Surfaces& surfaces, std::span<const scan::ScanBone> bones,
                                            const scan::Alignment& found) {
  std::vector<LabelMismatch> mismatches;
  if (surfaces.labelled.empty()) return mismatches;
  const Bvh labelled(surfaces.bone.positions, surfaces.bone.triangles);
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (!found.bones[b].found) continue;
    const std::vector<Vec3f>& points = bones[b].surface.positions;
    std::map<std::uint32_t, std::size_t> on;  // bones whose labels its points lie on
    std::size_t all = 0;
    for (std::size_t v = 0; v < points.size(); v += points.size() / asked + 1, ++all) {
      const ClosestPoint nearest = labelled.closest(Vec3f(found.bones[b].motion.point(Vec3d(points[v]))), beside);
      if (nearest.distance < beside) ++on[surfaces.labelled[surfaces.bone.triangles[nearest.triangle][0]]];
    }
    for (const auto& [other, count] : on) {
      if (other == b || other == TemplateBone::none) continue;
      if (static_cast<double>(count) >= believed * static_cast<double>(all)) mismatches.push_back({b, other});
    }
  }
  return mismatches;
}

void doubt_labels(const scan::Surfaces& surfaces, std::span<const scan::ScanBone> bones, const scan::Alignment& found,
                  Warnings& warnings) {
  for (const LabelMismatch& mismatch : labels_elsewhere(surfaces, bones, found))
    warnings.push_back("its labels say " + bones[mismatch.label].name + " where the base's " +
                       bones[mismatch.bone].name + " was found: check that labels are not exchanged");
}

}  // namespace supple::workflow
