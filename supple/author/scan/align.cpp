// Outwards from the palm: every bone is looked for where its neighbour lets it be.
#include "supple/author/scan/align.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "supple/author/scan/bone_search.h"
#include "supple/base/parallel.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

// So many bones that were not found are reason to try the mirror image, which is right if fewer are missing then and it
// overlaps by so much more.
constexpr std::size_t suspicious = 2;
constexpr double mirror_margin = 0.03;

/// Of all their surface, by area.
Vec3d middle_of(std::span<const ScanBone> bones) {
  Vec3d sum{};
  double area = 0;
  for (const ScanBone& bone : bones) {
    const double size = surface_area(bone.surface.positions, bone.surface.triangles);
    sum += surface_centre(bone.surface) * size;
    area += size;
  }
  return area > 0 ? sum / area : sum;
}

std::vector<ScanBone> mirror_image(std::span<const ScanBone> bones) {
  std::vector<ScanBone> result(bones.begin(), bones.end());
  const auto mirror = [](auto& v) { v.x = -v.x; };
  for (ScanBone& bone : result) {
    for (Vec3f& p : bone.surface.positions) mirror(p);
    for (Vec3f& n : bone.surface.normals) mirror(n);
    for (Triangle& t : bone.surface.triangles) std::swap(t[1], t[2]);
    mirror(bone.facing);
    mirror(bone.tail);
    // Back and length are mirrored as arrows; the axis across turns round, and with it turns about the other two.
    mirror(bone.axes.c1);
    mirror(bone.axes.c2);
    bone.axes.c0 = cross(bone.axes.c1, bone.axes.c2);
    for (Dof& dof : bone.dofs) dof.axis = {dof.axis.x, -dof.axis.y, -dof.axis.z};
  }
  return result;
}

/// A bone to be looked for from a neighbour, or settled from a motion that is known.
struct Visit {
  std::uint32_t bone = 0;
  std::uint32_t neighbour = TemplateBone::none;
  std::uint32_t joint = 0;
};

/// From `first` up to the root, then down to the tips, parents before children.
std::vector<Visit> order_from(std::uint32_t first, std::span<const ScanBone> bones) {
  std::vector<Visit> order{{first, TemplateBone::none, first}};
  std::vector<char> seen(bones.size());
  seen[first] = 1;
  for (std::uint32_t b = first; bones[b].parent != TemplateBone::none; b = bones[b].parent) {
    order.push_back({bones[b].parent, b, b});
    seen[bones[b].parent] = 1;
  }
  for (bool more = true; more;) {  // one generation at a time: neighbours claim their surfaces before tips are sought
    more = false;
    const std::vector<char> before = seen;
    for (std::uint32_t b = 0; b < bones.size(); ++b) {
      if (before[b] || bones[b].parent == TemplateBone::none || !before[bones[b].parent]) continue;
      order.push_back({b, bones[b].parent, b});
      seen[b] = 1;
      more = true;
    }
  }
  return order;
}

/// Bones that were found and the mean of what all overlap by.
struct Success {
  std::size_t found = 0;
  double overlap = 0;
};
Success success_of(const Alignment& alignment) {
  Success s;
  for (const BoneFit& fit : alignment.bones) {
    s.found += fit.found ? 1 : 0;
    s.overlap += fit.overlap / static_cast<double>(alignment.bones.size());
  }
  return s;
}

ScanScale scale_of(std::span<const BoneFit> fits, std::span<const SurfaceSamples> samples,
                   const TargetSurface& target) {
  std::vector<SurfaceSamples> found;
  std::vector<Affined> motions;
  for (std::size_t b = 0; b < fits.size(); ++b) {
    if (!fits[b].found) continue;
    found.push_back(samples[b]);
    motions.push_back(fits[b].motion);
  }
  return estimate_scale(found, motions, target);
}

using Given = std::span<const std::optional<Affined>>;

Result<Alignment> align_all(std::span<const ScanBone> base, const Mesh& surface, const AlignOptions& options,
                            Given given, const Progress& progress) {
  const Error stopped{"alignment", "stopped on request", ""};
  if (!report(progress, "palm", 0)) return stopped;
  TargetSurface target(surface);
  std::vector<SurfaceSamples> samples(base.size());
  parallel_for(base.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      samples[b] = sample_surface(base[b].surface, base[b].touches, options.points, b);
    }
  });
  for (std::size_t b = 0; b < base.size(); ++b) {
    if (samples[b].size() == 0) {
      return Error{base[b].name, "has no surface of its own in the base scan", "give it a piece"};
    }
  }
  BoneSearch search(base, samples, target, options);
  // A bone that was set by hand is where the others are looked for from, if the scan shows it there.
  std::uint32_t first = 0;
  while (first < given.size() && !(given[first] && search.shows(first, *given[first]))) ++first;
  Affined start;
  if (first < given.size()) {
    start = *given[first];
  } else {
    const std::vector<std::uint32_t> palm = stiffest_group(base, samples);
    first = palm.front();
    start = find_anywhere(joined_samples(samples, palm), target, middle_of(base), search.icp()).motion;
  }
  std::size_t done = 0;
  for (const Visit& visit : order_from(first, base)) {
    const std::uint32_t b = visit.bone;
    if (!report(progress, base[b].name, static_cast<double>(++done) / static_cast<double>(base.size()))) return stopped;
    if (b < given.size() && given[b]) {
      search.settle_given(b, *given[b]);
    } else if (visit.neighbour == TemplateBone::none) {
      search.settle(b, start);
    } else if (base[b].motion == TemplateBody::Motion::between) {
      search.look_between(b);
    } else {
      search.look(b, visit.neighbour, visit.joint);
    }
  }
  search.doubt_bodies(given);
  for (std::uint32_t leader = 0; leader < base.size(); ++leader) {
    std::vector<std::uint32_t> bodies;
    for (std::uint32_t b = 0; b < base.size(); ++b)
      if (base[b].motion != TemplateBody::Motion::leads && base[b].parent == leader) bodies.push_back(b);
    search.join(leader, bodies);
  }
  return Alignment{search.fits(), {}, scale_of(search.fits(), samples, target)};
}

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

}  // namespace

Result<Alignment> align_bones(std::span<const ScanBone> bones, const Mesh& surface, const AlignOptions& options,
                              std::span<const std::optional<Affined>> given, Warnings* warnings,
                              const Progress& progress, std::span<const ScanBone> bodies) {
  std::vector<ScanBone> base;
  for (const ScanBone& bone : bones) base.push_back(without_apart(bone));
  base.insert(base.end(), bodies.begin(), bodies.end());
  if (base.empty()) return Error{"base scan", "has no bones to look for", "name its pieces first"};
  if (surface.triangles.empty()) return Error{"scan", "shows no bone", "check the bone threshold"};
  Result<Alignment> result = align_all(base, surface, options, given, progress);
  if (!result) return result;
  const Success here = success_of(*result);
  if (here.found + suspicious <= base.size()) {
    const Result<Alignment> mirrored = align_all(mirror_image(base), surface, options, {}, progress);
    if (!mirrored) return mirrored;
    const Success there = success_of(*mirrored);
    if (there.found + suspicious > base.size() && there.overlap > here.overlap + mirror_margin) {
      return Error{"scan", "shows the mirror image of the base scan: the other hand",
                   "take it out; if it is the same hand, the orientation of one of the volumes is mirrored"};
    }
  }
  if (std::string doubt = doubt_about(result->scale); warnings != nullptr && !doubt.empty())
    warnings->push_back(std::move(doubt));
  for (std::size_t b = 0; b < base.size() && warnings != nullptr; ++b) {
    const BoneFit& fit = result->bones[b];
    const std::string covered = "only " + percent(fit.overlap) + " of it lies on bone";
    if (!fit.found) {
      const std::string why = fit.overlap < BoneSearch::believed_overlap ? covered : "bone near it has another shape";
      warnings->push_back(base[b].name + ": not found, " + why + "; set its motion by hand");
    } else if (fit.overlap < BoneSearch::believed_overlap) {
      warnings->push_back(base[b].name + ": left where it was set by hand, " + covered);
    }
  }
  const auto first_body = result->bones.begin() + static_cast<std::ptrdiff_t>(bones.size());
  result->bodies.assign(first_body, result->bones.end());
  result->bones.erase(first_body, result->bones.end());
  return result;
}

}  // namespace supple::scan
