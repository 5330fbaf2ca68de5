#include "supple/author/scan/align_search.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

#include "supple/base/angle.h"
#include "supple/base/parallel.h"
#include "supple/base/quat.h"

namespace supple::scan {
namespace {

constexpr double margin = 10 * degree;     // beyond a joint's limits: they are a template's
constexpr double stiff = 5 * degree;       // joints with less freedom keep a group together
constexpr double wobble = 12 * degree;     // of joints that should not move
constexpr double twist = 20 * degree;      // of joints that slide
constexpr std::size_t orientations = 800;  // about 25 degrees apart
// All guesses are looked at with few points and moves; those that are left with more.
constexpr std::size_t glance_points = 60, coarse_points = 120, finer_points = 400;
constexpr int glance_iterations = 2;
constexpr std::size_t glanced = 200;
constexpr int coarse_iterations = 6, finer_iterations = 30;
constexpr std::size_t refined = 16;
constexpr double coarse_reach = 0.03;    // metres
constexpr double sure_overlap = 0.9;     // of a group: no need to look further
constexpr double likely_overlap = 0.75;  // of the right place or of its mirror image: nothing better elsewhere
constexpr double search_cap = 0.006;     // metres

/// Evenly from the least to the most, at most `step` apart, and always with 0: the pose of the base scan.
std::vector<double> steps_between(double least, double most, double step) {
  std::vector<double> result;
  for (double a = 0; a > least; a -= step) result.push_back(a);
  if (least < 0) result.push_back(least);
  std::reverse(result.begin(), result.end());
  if (result.empty() || result.back() != 0) result.push_back(0);
  for (double a = step; a < most; a += step) result.push_back(a);
  if (most > 0) result.push_back(most);
  return result;
}

Affined about(Vec3d centre, const Mat3d& turn) { return {turn, centre - turn * centre}; }

/// Rotations spread evenly over all (super-Fibonacci spirals, Alexa 2022).
std::vector<Mat3d> all_orientations() {
  constexpr double psi = 1.533751168755204288118041;  // psi^4 = psi + 4
  std::vector<Mat3d> result;
  for (std::size_t i = 0; i < orientations; ++i) {
    const double s = static_cast<double>(i) + 0.5, t = s / orientations, d = 2 * std::numbers::pi * s;
    const double r = std::sqrt(t), rest = std::sqrt(1 - t);
    const double a = d / std::numbers::sqrt2, b = d / psi;
    result.push_back(to_matrix(Quatd{r * std::sin(a), r * std::cos(a), rest * std::sin(b), rest * std::cos(b)}));
  }
  return result;
}

struct Scored {
  Affined motion;
  double score = 0;
};
void keep_best(std::vector<Scored>& all, std::size_t count) {
  std::stable_sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) { return a.score < b.score; });
  if (all.size() > count) all.resize(count);
}

FoundGroup refine(const SurfaceSamples& group, const TargetSurface& target, const Affined& start,
                  const IcpOptions& icp) {
  const SurfaceSamples points = thinned(group, finer_points);
  IcpOptions options = icp;
  options.iterations = finer_iterations;
  FoundGroup found;
  found.motion = align_planes(points, target, align_points(points, target, start, options), options);
  found.overlap = measure_fit(points, target, found.motion, options).overlap;
  return found;
}

}  // namespace

std::vector<Affined> joint_turns(const ScanBone& bone, double step) {
  struct Freedom {
    Vec3d axis{};
    double least = 0, most = 0;
  };
  std::vector<Freedom> freedoms;  // in the order in which they apply
  for (const Dof& dof : bone.dofs) freedoms.push_back({Vec3d(dof.axis), dof.min - margin, dof.max + margin});
  if (freedoms.empty()) {
    for (const Vec3d axis : {Vec3d{0, 1, 0}, Vec3d{1, 0, 0}}) freedoms.push_back({axis, -wobble, wobble});
  }
  if (bone.slides && freedoms.size() < 3) freedoms.push_back({{0, 0, 1}, -twist, twist});
  std::size_t widest = 0;
  for (std::size_t f = 1; f < freedoms.size(); ++f) {
    if (freedoms[f].most - freedoms[f].least > freedoms[widest].most - freedoms[widest].least) widest = f;
  }
  std::vector<Mat3d> turns{Mat3d{}};
  for (std::size_t f = 0; f < freedoms.size(); ++f) {
    const Freedom& freedom = freedoms[f];
    std::vector<Mat3d> more;
    for (const double angle : steps_between(freedom.least, freedom.most, (f == widest ? 1 : 2) * step * degree)) {
      const Mat3d turn = to_matrix(from_axis_angle(freedom.axis, angle));
      for (const Mat3d& before : turns) more.push_back(before * turn);
    }
    turns = std::move(more);
  }
  std::vector<Affined> motions;
  for (const Mat3d& turn : turns) motions.push_back(about(bone.facing, bone.axes * turn * transpose(bone.axes)));
  return motions;
}

FoundGroup find_anywhere(const SurfaceSamples& group, const TargetSurface& target, Vec3d base_centre,
                         const IcpOptions& icp) {
  IcpOptions coarse = icp;
  coarse.reach = coarse_reach;
  coarse.least_cosine = 0;
  coarse.iterations = finer_iterations;
  FoundGroup best;
  for (const Vec3d shift : {Vec3d{}, target.centre() - base_centre}) {  // most hands lie as they lay before
    const Affined near = align_points(thinned(group, coarse_points), target, {{}, shift}, coarse);
    const FoundGroup found = refine(group, target, near, icp);
    if (found.overlap > best.overlap) best = found;
    if (best.overlap > sure_overlap) return best;
  }
  struct Correspondence {
    Vec3d from{}, to{};
  };
  const auto search = [&](std::span<const Correspondence> middles) {
    std::vector<Scored> guesses;
    for (const Mat3d& turn : all_orientations()) {
      for (const Correspondence& m : middles) guesses.push_back({{turn, m.to - turn * m.from}, 0});
    }
    const auto improve = [&](std::size_t points, int iterations) {
      const SurfaceSamples few = thinned(group, points);
      coarse.iterations = iterations;
      parallel_for(guesses.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g) {
          guesses[g].motion = align_points(few, target, guesses[g].motion, coarse);
          guesses[g].score = misfit(few, target, guesses[g].motion, search_cap);
        }
      });
    };
    improve(glance_points, glance_iterations);
    keep_best(guesses, glanced);
    improve(coarse_points, coarse_iterations);
    keep_best(guesses, refined);
    std::vector<FoundGroup> found(guesses.size());
    parallel_for(guesses.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) found[g] = refine(group, target, guesses[g].motion, icp);
    });
    for (const FoundGroup& f : found) {
      if (f.overlap > best.overlap) best = f;
    }
  };
  // The middle of all bone moves when fingers close, towards the middle of the palm: both are tried, and between.
  const Vec3d middle = target.centre();
  search(std::array<Correspondence, 3>{
      {{base_centre, middle}, {lerp(base_centre, group.centre, 0.5), middle}, {group.centre, middle}}});
  if (best.overlap > likely_overlap) return best;
  // Another length of forearm, a second limb: the group is anywhere along all bone.
  std::vector<Correspondence> along;
  for (const double at : {-1.5, -1.0, -0.5, 0.5, 1.0, 1.5})
    along.push_back({group.centre, middle + target.spread() * at});
  search(along);
  return best;
}

std::vector<std::uint32_t> stiffest_group(std::span<const ScanBone> bones, std::span<const SurfaceSamples> samples) {
  std::vector<std::uint32_t> group(bones.size());
  std::iota(group.begin(), group.end(), 0u);
  std::vector<std::vector<std::uint32_t>> members(bones.size());
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    double freedom = bones[b].slides ? 2 * stiff : 0;
    for (const Dof& dof : bones[b].dofs) freedom += dof.max - dof.min;
    if (bones[b].parent != TemplateBone::none && freedom < stiff) group[b] = group[bones[b].parent];
    if (samples[b].size() > 0) members[group[b]].push_back(b);
  }
  return *std::max_element(members.begin(), members.end(),
                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
}

}  // namespace supple::scan
