#include "supple/workflow/jobs/improve/compare_skins.h"

#include <cmath>

#include "supple/deform/skin.h"
#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"

namespace supple::workflow {
namespace {

/// What figures of both refer to: the skin before, at rest. A learnt skin comes back to it to rounding, which is enough
/// to part vertices that were split along seams.
struct RestSkin {
  Mesh mesh;
  measure::SelfIntersectionTest crossings;
  bool closed;
};

Result<RestSkin> rest_skin(const Skin& skin, const Part& part, std::size_t number) {
  Mesh mesh{{skin.positions(number).begin(), skin.positions(number).end()}, {}, part.mesh.triangles};
  auto crossings = measure::SelfIntersectionTest::make(mesh);
  if (!crossings) return crossings.error();
  const bool closed = measure::closed_volume(mesh).ok();
  return RestSkin{std::move(mesh), std::move(*crossings), closed};
}

Result<SkinFigures> figures_of(const RestSkin& rest, std::span<const Vec3f> posed) {
  SkinFigures figures;
  if (rest.closed) {
    const auto volume = measure::volume_change(rest.mesh, posed);
    if (!volume) return volume.error();
    figures.volume_change = volume->relative;
  }
  const auto crossings = rest.crossings.run(posed, 0);
  if (!crossings) return crossings.error();
  figures.crossing = crossings->new_triangles;
  return figures;
}

}  // namespace

double SkinComparison::mean_volume(SkinFigures ComparedPose::*side) const {
  double sum = 0;
  for (const ComparedPose& pose : poses) sum += std::abs((pose.*side).volume_change.value_or(0));
  return poses.empty() ? 0 : sum / static_cast<double>(poses.size());
}

const ComparedPose* SkinComparison::worst_volume(SkinFigures ComparedPose::*side) const {
  const ComparedPose* worst = nullptr;
  for (const ComparedPose& pose : poses) {
    const double size = std::abs((pose.*side).volume_change.value_or(0));
    if (worst == nullptr || size > std::abs((worst->*side).volume_change.value_or(0))) worst = &pose;
  }
  return worst;
}

std::size_t SkinComparison::crossing(SkinFigures ComparedPose::*side) const {
  std::size_t sum = 0;
  for (const ComparedPose& pose : poses) sum += (pose.*side).crossing;
  return sum;
}

Result<SkinComparison> compare_skins(const Character& before, const Character& after, std::size_t part,
                                     const PosePlan& plan) {
  auto old_skin = Skin::make(before), new_skin = Skin::make(after);
  if (!old_skin) return old_skin.error();
  if (!new_skin) return new_skin.error();
  const auto rest = rest_skin(*old_skin, before.parts[part], part);
  if (!rest) return rest.error();
  SkinComparison comparison;
  comparison.closed = rest->closed;
  for (const Sweep& sweep : plan.sweeps) {
    for (const PlannedPose& planned : sweep.poses) {
      ComparedPose pose;
      pose.name = planned.name;
      pose.local = pose_of(planned, before.skeleton).local;
      if (auto ok = old_skin->evaluate({pose.local, before.morph_weights}); !ok) return ok.error();
      if (auto ok = new_skin->evaluate({pose.local, after.morph_weights}); !ok) return ok.error();
      const std::span<const Vec3f> was = old_skin->positions(part), is = new_skin->positions(part);
      auto figures_before = figures_of(*rest, was), figures_after = figures_of(*rest, is);
      if (!figures_before) return figures_before.error();
      if (!figures_after) return figures_after.error();
      pose.before = *figures_before;
      pose.after = *figures_after;
      for (std::size_t v = 0; v < was.size(); ++v) {
        const double moved = double{length(is[v] - was[v])};
        if (moved <= pose.moved) continue;
        pose.moved = moved;
        pose.moved_vertex = static_cast<std::uint32_t>(v);
      }
      comparison.poses.push_back(std::move(pose));
    }
  }
  return comparison;
}

}  // namespace supple::workflow
