#include "supple/author/scan/nonrigid.h"

#include <cassert>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr std::size_t displaced_at_once = 1024;
double inner(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  return parallel_sum(a.size(), displaced_at_once, 0.0, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t v = begin; v < end; ++v) sum += dot(a[v], b[v]);
    return sum;
  });
}

/// What the pull of a vertex weighs in each direction, times x.
Vec3d weigh(const Pull& pull, Vec3d x) {
  constexpr double across = SmoothDisplacement::within_surface;
  return pull.known ? x * across + pull.normal * ((1 - across) * dot(x, pull.normal)) : Vec3d{};
}

template <class Body>
void each_vertex(std::size_t count, Body&& body) {
  parallel_for(count, displaced_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) body(v);
  });
}

}  // namespace

SmoothDisplacement::SmoothDisplacement(std::span<const Vec3f> positions, std::span<const Triangle> triangles)
    : neighbours_(vertex_neighbours(positions.size(), triangles)),
      edge_(positions.size()),
      one_over_count_(positions.size()) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const std::span<const std::uint32_t> around = neighbours_.of(v);
    if (around.empty()) continue;
    double own = 0;
    for (const std::uint32_t u : around) own += length(Vec3d(positions[u]) - Vec3d(positions[v]));
    sum += own;
    count += around.size();
    one_over_count_[v] = 1 / static_cast<double>(around.size());
    edge_[v] = own * one_over_count_[v];
  }
  mean_edge_ = count > 0 ? sum / static_cast<double>(count) : 0;
  // An edge far shorter than the others would make its surroundings rigid and the system badly conditioned.
  for (double& h : edge_) h = std::max(h, 0.25 * mean_edge_);
}

SmoothDisplacement::Outcome SmoothDisplacement::solve(std::span<const Pull> pulls, double smoothness,
                                                      const SolveLimits& limits, std::vector<Vec3d>& d) const {
  const std::size_t n = edge_.size();
  assert(pulls.size() == n && d.size() == n);
  std::vector<double> stiffness(n), one_over_diagonal(n);
  each_vertex(n, [&](std::size_t v) { stiffness[v] = edge_[v] > 0 ? std::pow(2 * smoothness / edge_[v], 4) : 0; });
  each_vertex(n, [&](std::size_t v) {
    double diagonal = pulls[v].known ? (1 + 2 * within_surface) / 3 : 0;  // the mean over directions
    if (!neighbours_.of(v).empty()) diagonal += stiffness[v];
    for (const std::uint32_t u : neighbours_.of(v)) {
      diagonal += stiffness[u] * one_over_count_[u] * one_over_count_[u];
    }
    one_over_diagonal[v] = diagonal > 0 ? 1 / diagonal : 1;
  });

  std::vector<Vec3d> bent(n);  // B L x
  const auto apply = [&](const std::vector<Vec3d>& x, std::vector<Vec3d>& out) {
    each_vertex(n, [&](std::size_t v) {
      const std::span<const std::uint32_t> around = neighbours_.of(v);
      Vec3d sum{};
      for (const std::uint32_t u : around) sum += x[u];
      bent[v] = around.empty() ? Vec3d{} : (sum * one_over_count_[v] - x[v]) * stiffness[v];
    });
    each_vertex(n, [&](std::size_t v) {
      Vec3d sum = weigh(pulls[v], x[v]) - bent[v];
      for (const std::uint32_t u : neighbours_.of(v)) sum += bent[u] * one_over_count_[u];
      out[v] = sum;
    });
  };

  std::vector<Vec3d> residual(n), direction(n), applied(n), scaled(n);
  apply(d, applied);
  each_vertex(n, [&](std::size_t v) { residual[v] = weigh(pulls[v], pulls[v].displacement) - applied[v]; });
  double along = 0, first = 0;
  Outcome outcome;
  for (;; ++outcome.iterations) {
    each_vertex(n, [&](std::size_t v) { scaled[v] = residual[v] * one_over_diagonal[v]; });
    const double next = inner(residual, scaled);
    if (outcome.iterations == 0) first = next;
    outcome.residual = first > 0 ? std::sqrt(next / first) : 0;
    if (outcome.residual <= limits.reduction || outcome.iterations >= limits.iterations) return outcome;
    const double kept = outcome.iterations > 0 ? next / along : 0;
    along = next;
    each_vertex(n, [&](std::size_t v) { direction[v] = scaled[v] + direction[v] * kept; });
    apply(direction, applied);
    const double curvature = inner(direction, applied);
    if (!(curvature > 0)) return outcome;
    const double step = along / curvature;
    each_vertex(n, [&](std::size_t v) {
      d[v] += direction[v] * step;
      residual[v] -= applied[v] * step;
    });
  }
}

}  // namespace supple::scan
