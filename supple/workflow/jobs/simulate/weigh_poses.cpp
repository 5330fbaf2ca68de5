#include "supple/workflow/jobs/simulate/weigh_poses.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/rig/joined_parts.h"

namespace supple::workflow {
namespace {

constexpr float beside_clips = 0.5f;  // what another pose counts at most

bool is_of_clip(const TeachingPose& pose) { return std::ranges::find(pose.tags, clip_tag) != pose.tags.end(); }

/// RMS of edge length / length as bound - 1, by linear blend.
double linear_strain(const lattice::LatticeTeacher& teacher, std::span<const Triangle> triangles, const Pose& pose) {
  const std::vector<Vec3d> is = teacher.linear(pose);
  const std::vector<Vec3d>& was = teacher.reference();
  double sum = 0;
  std::size_t edges = 0;
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double before = length(was[a] - was[b]);
      if (!(before > 0)) continue;
      const double strain = length(is[a] - is[b]) / before - 1;
      sum += std::min(strain * strain, 100.0);  // slivers must not speak for all
      ++edges;
    }
  return edges > 0 ? std::sqrt(sum / static_cast<double>(edges)) : 0;
}

}  // namespace

void weigh_poses(LatticeTaught& taught, const lattice::LatticeTeacher& teacher) {
  const JoinedParts joined(taught.model.character(), taught.parts);
  std::vector<double> strain(taught.poses.size());
  parallel_for(strain.size(), 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      strain[i] = linear_strain(teacher, joined.triangles(), taught.poses[i].pose);
  });
  double most = 0, squares = 0;
  std::size_t frames = 0;
  const bool clips = std::ranges::any_of(taught.poses, is_of_clip);
  for (std::size_t i = 0; i < strain.size(); ++i) {
    if (clips && !is_of_clip(taught.poses[i])) continue;
    most = std::max(most, strain[i]);
    squares += strain[i] * strain[i];
    ++frames;
  }
  if (frames == 0 || squares == 0) return;
  const double usual = squares / static_cast<double>(frames);
  std::vector<TeachingPose> kept;
  for (std::size_t i = 0; i < strain.size(); ++i) {
    TeachingPose& pose = taught.poses[i];
    if (!(clips && is_of_clip(pose))) {
      if (clips && strain[i] > absurd_strain * most) {
        ++taught.absurd;
        continue;
      }
      const auto gentler = static_cast<float>(std::min(1.0, usual / std::max(strain[i] * strain[i], 1e-30)));
      pose.weight *= clips ? beside_clips * gentler : gentler;
    }
    kept.push_back(std::move(pose));
  }
  taught.poses = std::move(kept);
}

}  // namespace supple::workflow
