// Errors per vertex and their statistics.
#include "supple/measure/error.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/geometry/bvh.h"

namespace supple::measure {
namespace {

std::string vertex(std::size_t v) { return "vertex " + std::to_string(v); }

Result<void> same_size(std::size_t measured, std::size_t reference, std::string_view what) {
  if (measured != reference) {
    return Error{std::string(what),
                 "there are " + std::to_string(measured) + " to compare with " + std::to_string(reference),
                 "compare meshes with the same vertices, or measure the distance between the surfaces"};
  }
  return {};
}

Result<void> all_finite(std::span<const Vec3f> vectors, std::string_view what) {
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    if (!is_finite(vectors[v])) {
      return Error{vertex(v), "the " + std::string(what) + " is not finite", "check the pose and the skin weights"};
    }
  }
  return {};
}

}  // namespace

Result<ErrorSummary> summarize(std::span<const double> errors, std::span<const Vec3f> positions) {
  if (errors.empty()) return Error{"mesh", "there are no vertices to compare", "check that the mesh was loaded"};
  if (auto same = same_size(positions.size(), errors.size(), "positions"); !same) return same.error();
  ErrorSummary summary;
  double sum = 0, squares = 0;
  for (std::size_t v = 0; v < errors.size(); ++v) {
    if (!std::isfinite(errors[v])) return Error{vertex(v), "the error is not finite", "check the compared values"};
    sum += errors[v];
    squares += errors[v] * errors[v];
    if (errors[v] > errors[summary.worst]) summary.worst = v;
  }
  summary.count = errors.size();
  summary.mean = sum / static_cast<double>(summary.count);
  summary.rms = std::sqrt(squares / static_cast<double>(summary.count));
  summary.max = errors[summary.worst];
  summary.worst_position = positions[summary.worst];
  // Nearest rank, ceil(0.99 n), in whole numbers.
  const std::size_t rank = summary.count - summary.count / 100;
  std::vector<double> sorted(errors.begin(), errors.end());
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(sorted.begin(), place, sorted.end());
  summary.p99 = *place;
  return summary;
}

Result<ErrorSummary> vertex_error(std::span<const Vec3f> measured, std::span<const Vec3f> reference) {
  if (auto same = same_size(measured.size(), reference.size(), "vertices"); !same) return same.error();
  if (auto finite = all_finite(measured, "measured position"); !finite) return finite.error();
  if (auto finite = all_finite(reference, "reference position"); !finite) return finite.error();
  std::vector<double> errors(measured.size());
  for (std::size_t v = 0; v < errors.size(); ++v) errors[v] = length(Vec3d(measured[v]) - Vec3d(reference[v]));
  return summarize(errors, measured);
}

double angle_between(Vec3f a, Vec3f b) {
  const Vec3d p(a), q(b);
  return std::atan2(length(cross(p, q)), dot(p, q));
}

Result<ErrorSummary> normal_error(std::span<const Vec3f> measured, std::span<const Vec3f> reference,
                                  std::span<const Vec3f> positions) {
  if (auto same = same_size(measured.size(), reference.size(), "normals"); !same) return same.error();
  for (const auto& [normals, what] : {std::pair{measured, "measured normal"}, {reference, "reference normal"}}) {
    if (auto finite = all_finite(normals, what); !finite) return finite.error();
    for (std::size_t v = 0; v < normals.size(); ++v) {
      if (squared_length(Vec3d(normals[v])) > 0) continue;
      return Error{vertex(v), "the " + std::string(what) + " has no direction", "recompute the normals"};
    }
  }
  std::vector<double> errors(measured.size());
  for (std::size_t v = 0; v < errors.size(); ++v) errors[v] = angle_between(measured[v], reference[v]);
  return summarize(errors, positions);
}

Result<ErrorSummary> surface_distance(std::span<const Vec3f> from, const Mesh& to) {
  if (auto finite = all_finite(from, "position"); !finite) return finite.error();
  if (auto valid = validate(to); !valid) return valid.error();
  const Bvh bvh(to.positions, to.triangles);
  if (bvh.empty()) return Error{"mesh", "it has no triangles to measure a distance to", "give a mesh with a surface"};
  std::vector<double> errors(from.size());
  parallel_for(from.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) errors[v] = bvh.closest(from[v]).distance;
  });
  return summarize(errors, from);
}

double SurfaceDistance::rms() const {
  const auto squares = [](const ErrorSummary& s) { return s.rms * s.rms * static_cast<double>(s.count); };
  const std::size_t count = forward.count + backward.count;
  return count == 0 ? 0 : std::sqrt((squares(forward) + squares(backward)) / static_cast<double>(count));
}

Result<SurfaceDistance> surface_distance(const Mesh& first, const Mesh& second) {
  auto forward = surface_distance(first.positions, second);
  if (!forward) return forward.error();
  auto backward = surface_distance(second.positions, first);
  if (!backward) return backward.error();
  return SurfaceDistance{*forward, *backward};
}

}  // namespace supple::measure
