#include "supple/author/scan/nonrigid.h"

#include <gtest/gtest.h>

#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple::scan {
namespace {

constexpr SolveLimits exact{5000, 1e-12};

/// Equilateral triangles, `n` by `n` vertices, edges of 1 mm, in the plane z = 0.
Mesh triangle_grid(std::uint32_t n) {
  Mesh mesh;
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < n; ++i) {
      mesh.positions.push_back(Vec3f(Vec3d{i + 0.5 * j, std::sqrt(0.75) * j, 0} * 0.001));
    }
  }
  for (std::uint32_t j = 0; j + 1 < n; ++j) {
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      const std::uint32_t a = j * n + i;
      mesh.triangles.push_back({a, a + 1, a + n});
      mesh.triangles.push_back({a + 1, a + n + 1, a + n});
    }
  }
  return mesh;
}

/// By Gaussian elimination of the whole system, entry by entry from the definition.
std::vector<double> dense_solve(const Mesh& mesh, std::span<const Pull> pulls, double smoothness) {
  const std::size_t n = mesh.positions.size(), size = 3 * n;
  const Adjacency neighbours = vertex_neighbours(n, mesh.triangles);
  std::vector<std::vector<double>> a(size, std::vector<double>(size + 1));
  for (std::size_t v = 0; v < n; ++v) {
    const auto around = neighbours.of(v);
    double h = 0;
    for (const auto u : around) {
      h += length(Vec3d(mesh.positions[u]) - Vec3d(mesh.positions[v])) / static_cast<double>(around.size());
    }
    std::vector<double> row(n);
    row[v] = -1;
    for (const auto u : around) row[u] = 1 / static_cast<double>(around.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < 3; ++k)
          a[3 * i + k][3 * j + k] += std::pow(2 * smoothness / h, 4) * row[i] * row[j];
      }
    }
    if (!pulls[v].known) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t l = 0; l < 3; ++l) {
        constexpr double across = SmoothDisplacement::within_surface;
        const double w = (1 - across) * pulls[v].normal[k] * pulls[v].normal[l] + (k == l ? across : 0);
        a[3 * v + k][3 * v + l] += w;
        a[3 * v + k][size] += w * pulls[v].displacement[l];
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {  // positive definite: no pivots needed
    for (std::size_t j = i + 1; j < size; ++j) {
      const double factor = a[j][i] / a[i][i];
      if (factor == 0) continue;
      for (std::size_t k = i; k <= size; ++k) a[j][k] -= factor * a[i][k];
    }
  }
  std::vector<double> x(size);
  for (std::size_t i = size; i-- > 0;) {
    x[i] = a[i][size];
    for (std::size_t k = i + 1; k < size; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  return x;
}

std::vector<Pull> random_pulls(const Mesh& mesh, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Pull> pulls(mesh.positions.size());
  for (std::size_t v = 0; v < pulls.size(); ++v) {
    pulls[v].displacement = Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)} * 0.002;
    pulls[v].normal = normalized(Vec3d(mesh.positions[v]), Vec3d{0, 0, 1});
    pulls[v].known = rng.uniform() < 0.7;
  }
  return pulls;
}

TEST(SmoothDisplacement, AgreesWithADenseSolve) {
  const Mesh mesh = test::sphere(0.01, 7, 9);
  const std::vector<Pull> pulls = random_pulls(mesh, 7);
  const SmoothDisplacement smooth(mesh.positions, mesh.triangles);
  for (const double smoothness : {0.001, 0.005}) {
    std::vector<Vec3d> d(pulls.size());
    smooth.solve(pulls, smoothness, exact, d);
    const std::vector<double> reference = dense_solve(mesh, pulls, smoothness);
    for (std::size_t i = 0; i < reference.size(); ++i) EXPECT_NEAR(d[i / 3][i % 3], reference[i], 1e-10);
  }
}

TEST(SmoothDisplacement, GoesOnStraightThroughAHole) {
  const std::uint32_t n = 25;
  const Mesh mesh = triangle_grid(n);
  std::vector<Pull> pulls(mesh.positions.size());
  const auto truth = [&](std::size_t v) {  // linear: all means around vertices inside the grid are exact
    const Vec3d p(mesh.positions[v]);
    return Vec3d{0.1 * p.x, 0.2 * p.y - 0.1 * p.x, 0.05 * p.y + 0.0001};
  };
  std::size_t unknown = 0;
  for (std::size_t v = 0; v < pulls.size(); ++v) {
    const Vec3d p(mesh.positions[v]), middle(mesh.positions[(n / 2) * n + n / 2]);
    pulls[v] = {truth(v), {0, 0, 1}, length(p - middle) > 0.005};
    unknown += pulls[v].known ? 0u : 1u;
  }
  EXPECT_GT(unknown, 80u);
  std::vector<Vec3d> d(pulls.size());
  const SmoothDisplacement smooth(mesh.positions, mesh.triangles);
  EXPECT_NEAR(smooth.mean_edge(), 0.001, 1e-8);
  smooth.solve(pulls, 0.0005, exact, d);
  // The open border of the grid bends the field a little; displacements are up to 5 mm.
  for (std::size_t v = 0; v < pulls.size(); ++v) {
    if (pulls[v].known) continue;
    EXPECT_LT(length(d[v] - truth(v)), 2e-5) << v;
  }
}

TEST(SmoothDisplacement, NothingKnownMovesNothing) {
  const Mesh mesh = test::sphere(0.01, 6, 8);
  std::vector<Vec3d> d(mesh.positions.size());
  EXPECT_EQ(
      SmoothDisplacement(mesh.positions, mesh.triangles).solve(std::vector<Pull>(d.size()), 0.001, {}, d).iterations,
      0);
  for (const Vec3d each : d) EXPECT_EQ(each, Vec3d{});
}

TEST(SmoothDisplacement, IsTheSameForAnyNumberOfThreads) {
  const Mesh mesh = test::sphere(0.03, 60, 80);
  const std::vector<Pull> pulls = random_pulls(mesh, 9);
  const SmoothDisplacement smooth(mesh.positions, mesh.triangles);
  std::vector<Vec3d> one(pulls.size()), many(pulls.size());
  set_thread_count(1);
  smooth.solve(pulls, 0.001, {}, one);
  set_thread_count(4);
  smooth.solve(pulls, 0.001, {}, many);
  set_thread_count(0);
  EXPECT_EQ(one, many);
}

}  // namespace
}  // namespace supple::scan
