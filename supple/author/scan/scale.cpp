#include "supple/author/scan/scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "supple/base/decompose.h"
#include "supple/base/twist.h"

namespace supple::scan {
namespace {

constexpr std::size_t points_a_bone = 200, fewest_matched = 100;
constexpr int stretch_steps = 12;
constexpr double paired_within = 0.004, paired_cosine = 0.5;  // metres; between normals
constexpr double doubted_stretch = 0.02;                      // a hand does not grow between scans, headers err by more
constexpr double sure_deviations = 4;
constexpr double mm_per_metre = 1000;  // lengths in the equations, so that all unknowns are of one size

// Unknowns: a symmetric stretch (xx, yy, zz, xy, yz, zx) and an offset of the scan; a turn and a shift of each bone.
constexpr std::size_t of_scan = 7, of_bone = 6, unknowns = of_scan + of_bone;
using ScaleRow = std::array<double, unknowns + 1>;  // the last is the right-hand side
using ScaleSystem = std::array<ScaleRow, unknowns>;

/// Takes the unknowns from `first` on out of symmetric equations, from the last to the first.
void eliminate(ScaleSystem& s, std::size_t first) {
  for (std::size_t k = unknowns; k-- > first;) {
    const double pivot = s[k][k];
    if (!(pivot > 0)) continue;
    for (std::size_t i = 0; i < k; ++i) {
      const double share = s[i][k] / pivot;
      for (std::size_t j = 0; j <= unknowns; ++j) s[i][j] -= share * s[k][j];
    }
  }
}

/// The unknowns from `first` on, of eliminated equations, where those before it are known.
void substitute(const ScaleSystem& s, std::size_t first, std::array<double, unknowns>& x) {
  for (std::size_t k = first; k < unknowns; ++k) {
    double sum = s[k][unknowns];
    for (std::size_t j = 0; j < k; ++j) sum -= s[k][j] * x[j];
    x[k] = s[k][k] > 0 ? sum / s[k][k] : 0;
  }
}

struct ScaledBone {
  SurfaceSamples samples;
  Mat3d turn;
  Vec3d centre{};  // where the centre of the samples lies now
};

struct ScalePair {
  std::size_t bone = 0;
  Vec3d arm{}, normal{};  // from the bone's centre, metres; of the target
  double left = 0;        // metres along the normal
};

std::vector<ScalePair> scale_pairs(std::span<const ScaledBone> bones, const Mat3d& stretch, double offset,
                                   const TargetSurface& target) {
  std::vector<ScalePair> result;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const ScaledBone& bone = bones[b];
    for (std::size_t i = 0; i < bone.samples.size(); ++i) {
      const Vec3d normal = bone.turn * bone.samples.normals[i];
      const Vec3d arm = stretch * (bone.turn * (bone.samples.points[i] - bone.samples.centre)) + normal * offset;
      const TargetSurface::Hit hit = target.closest(bone.centre + arm, paired_within);
      if (!(hit.distance < paired_within) || dot(normal, hit.normal) < paired_cosine) continue;
      result.push_back({b, arm, hit.normal, dot(hit.point - bone.centre - arm, hit.normal)});
    }
  }
  return result;
}

double typical_left(std::span<const ScalePair> pairs) {
  std::vector<double> sizes;
  for (const ScalePair& m : pairs) sizes.push_back(std::abs(m.left));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// Normal equations of each bone; pairs far beyond the typical one count for little.
std::vector<ScaleSystem> scale_equations(std::span<const ScalePair> pairs, std::size_t bones, double usual) {
  std::vector<ScaleSystem> systems(bones, ScaleSystem{});
  for (const ScalePair& m : pairs) {
    const Vec3d x = m.arm * mm_per_metre, n = m.normal, turn = cross(x, n);
    const ScaleRow row{n.x * x.x,
                       n.y * x.y,
                       n.z * x.z,
                       n.x * x.y + n.y * x.x,
                       n.y * x.z + n.z * x.y,
                       n.z * x.x + n.x * x.z,
                       1,
                       turn.x,
                       turn.y,
                       turn.z,
                       n.x,
                       n.y,
                       n.z,
                       m.left * mm_per_metre};
    const double weight = 1 / (1 + std::pow(m.left / (3 * usual), 2));
    ScaleSystem& s = systems[m.bone];
    for (std::size_t i = 0; i < unknowns; ++i)
      for (std::size_t j = 0; j <= unknowns; ++j) s[i][j] += weight * row[i] * row[j];
  }
  constexpr double ridge = 1e-6;  // a bone of few pairs may leave a turn open
  for (ScaleSystem& s : systems)
    for (std::size_t k = of_scan; k < unknowns; ++k) s[k][k] += ridge;
  return systems;
}

/// What all bones say together of what they share.
ScaleSystem joint_system(std::span<ScaleSystem> systems) {
  ScaleSystem sum{};
  for (ScaleSystem& s : systems) {
    eliminate(s, of_scan);
    for (std::size_t i = 0; i < of_scan; ++i) {
      for (std::size_t j = 0; j < of_scan; ++j) sum[i][j] += s[i][j];
      sum[i][unknowns] += s[i][unknowns];
    }
  }
  return sum;
}

Mat3d stretch_of(const std::array<double, unknowns>& x) {
  return {{x[0], x[3], x[5]}, {x[3], x[1], x[4]}, {x[5], x[4], x[2]}};
}

/// Largest variance of a factor for noise of 1: of the inverse's first three diagonal elements.
double largest_variance(const ScaleSystem& system) {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    ScaleSystem s = system;
    for (std::size_t i = 0; i < unknowns; ++i) s[i][unknowns] = i == k ? 1 : 0;
    eliminate(s, 0);
    std::array<double, unknowns> x{};
    substitute(s, 0, x);
    largest = std::max(largest, x[k]);
  }
  return largest;
}

}  // namespace

ScanScale estimate_scale(std::span<const SurfaceSamples> bones, std::span<const Affined> motions,
                         const TargetSurface& target) {
  std::vector<ScaledBone> posed;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const SurfaceSamples few = thinned(bones[b], points_a_bone);
    posed.push_back({few, motions[b].linear, motions[b].point(few.centre)});
  }
  ScanScale result;
  Mat3d stretch;
  double offset = 0, sd = 0;
  for (int step = 0; step < stretch_steps; ++step) {
    const std::vector<ScalePair> pairs = scale_pairs(posed, stretch, offset, target);
    if (pairs.size() < fewest_matched) return result;
    const double usual = std::max(typical_left(pairs), 1e-6);
    std::vector<ScaleSystem> systems = scale_equations(pairs, posed.size(), usual);
    ScaleSystem together = joint_system(systems);
    sd = usual * mm_per_metre * std::sqrt(largest_variance(together));
    eliminate(together, 0);
    std::array<double, unknowns> x{};
    substitute(together, 0, x);
    const Mat3d grown = (Mat3d{} + stretch_of(x)) * stretch;
    stretch = (grown + transpose(grown)) * 0.5;
    offset += x[6] / mm_per_metre;
    for (std::size_t b = 0; b < posed.size(); ++b) {
      substitute(systems[b], of_scan, x);
      posed[b].turn = to_matrix(exp_rotation(Vec3d{x[7], x[8], x[9]})) * posed[b].turn;
      posed[b].centre += Vec3d{x[10], x[11], x[12]} / mm_per_metre;
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(stretch);
  return {eigen.values, eigen.vectors, sd, offset};
}

std::string doubt_about(const ScanScale& scale) {
  std::string found;
  for (std::size_t k = 0; k < 3; ++k) {
    const double off = std::abs(scale.factors[k] - 1);
    if (off < doubted_stretch || off < sure_deviations * scale.sd) continue;
    const Vec3d axis = scale.axes[k];
    char text[96];
    std::snprintf(text, sizeof text, "%.3f along (%.2f, %.2f, %.2f)", scale.factors[k], axis.x, axis.y, axis.z);
    found += (found.empty() ? "" : ", ") + std::string(text);
  }
  if (found.empty()) return {};
  return "its bones are not as large as those of the base scan but " + found +
         " times: the spacing in the header of one of the two is wrong, or they are not of one hand";
}

}  // namespace supple::scan
