// Embedding: the containing element by brute force, exact motions of linear and quadratic elements, points outside.
#include "supple/geometry/embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "supple/base/mat.h"
#include "supple/base/parallel.h"
#include "supple/base/rng.h"
#include "supple/geometry/stuffing.h"

namespace supple {
namespace {

double sphere(Vec3d p) { return length(p) - 0.07; }

TetMesh ball(double h) {
  Result<TetMesh> mesh = stuff(sphere, {{{-0.07f, -0.07f, -0.07f}, {0.07f, 0.07f, 0.07f}}, h, 1, 0, 5000000});
  return *mesh;
}

std::vector<Vec3d> random_points(std::size_t count, double reach, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(Vec3d{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)} * reach);
  }
  return points;
}

Vec3d affine(Vec3d p) {
  const Mat3d m{{1.2, 0.1, -0.3}, {0.2, 0.7, 0.4}, {-0.1, 0.5, 1.1}};
  return m * p + Vec3d{0.01, -0.02, 0.03};
}
Vec3d quadratic(Vec3d p) { return affine(p) + Vec3d{p.x * p.y, p.z * p.z - p.x * p.x, p.y * p.z} * 3.0; }

template <class Motion>
double worst_error(const TetMesh& mesh, std::span<const Vec3d> points, Motion&& motion) {
  const Embedding embedding = embed(points, mesh);
  std::vector<Vec3d> nodes, moved(points.size());
  for (const Vec3d& p : mesh.nodes) nodes.push_back(motion(p));
  apply(embedding, mesh, nodes, std::span<Vec3d>(moved));
  double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) worst = std::max(worst, length(moved[i] - motion(points[i])));
  return worst;
}

Vec3d closest_on_segment(Vec3d p, Vec3d a, Vec3d b) {
  return lerp(a, b, std::clamp(dot(p - a, b - a) / squared_length(b - a), 0.0, 1.0));
}
double distance_to_triangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d n = normalized(cross(b - a, c - a));
  const Vec3d q = p - n * dot(p - a, n);
  if (dot(cross(b - a, q - a), n) >= 0 && dot(cross(c - b, q - b), n) >= 0 && dot(cross(a - c, q - c), n) >= 0) {
    return length(p - q);
  }
  return std::min({length(p - closest_on_segment(p, a, b)), length(p - closest_on_segment(p, b, c)),
                   length(p - closest_on_segment(p, c, a))});
}

TEST(Embedding, MotionsOfTheElementsOrderAreExactInsideAndOutside) {
  const TetMesh linear = ball(0.02), curved = to_quadratic(linear);
  const std::vector<Vec3d> points = random_points(2000, 0.09, 1);
  EXPECT_LT(worst_error(linear, points, affine), 1e-14);
  EXPECT_LT(worst_error(curved, points, affine), 1e-14);
  EXPECT_LT(worst_error(curved, points, quadratic), 1e-13);
  EXPECT_GT(worst_error(linear, points, quadratic), 1e-4);  // what linear elements cannot follow
}

TEST(Embedding, FindsContainingElementsAndDistancesAsBruteForceDoes) {
  const TetMesh mesh = ball(0.02);
  const std::vector<Vec3d> points = random_points(600, 0.1, 2);
  const Embedding embedding = embed(points, mesh);
  const std::vector<Triangle> boundary = boundary_triangles(mesh);
  std::size_t inside = 0;
  double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d p = points[i];
    bool contained = false;
    for (std::size_t e = 0; e < mesh.element_count() && !contained; ++e) {
      const Vec3d a = mesh.corner(e, 0), b = mesh.corner(e, 1), c = mesh.corner(e, 2), d = mesh.corner(e, 3);
      contained = signed_volume(p, b, c, d) >= 0 && signed_volume(a, p, c, d) >= 0 && signed_volume(a, b, p, d) >= 0 &&
                  signed_volume(a, b, c, p) >= 0;
      if (contained) {
        EXPECT_EQ(embedding.elements[i], e);
      }
    }
    const auto& l = embedding.coordinates[i];
    EXPECT_NEAR(l[0] + l[1] + l[2] + l[3], 1, 1e-12);
    EXPECT_EQ(*std::min_element(l.begin(), l.end()) >= 0, contained);
    inside += contained;
    double nearest = 1;
    for (const Triangle& t : boundary) {
      nearest = std::min(nearest, distance_to_triangle(p, mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]));
    }
    EXPECT_NEAR(embedding.outside[i], contained ? 0 : nearest, 1e-7);  // nearest points are found in float
    if (!contained) {
      // The element holds on to the boundary there: one of its faces is as near as any.
      double own = 1;
      for (const auto& f : tet_faces) {
        own = std::min(own, distance_to_triangle(p, mesh.corner(embedding.elements[i], f[0]),
                                                 mesh.corner(embedding.elements[i], f[1]),
                                                 mesh.corner(embedding.elements[i], f[2])));
      }
      EXPECT_NEAR(own, nearest, 1e-7);
      worst = std::max(worst, nearest);
    }
  }
  EXPECT_GT(inside, 50u);
  const EmbeddingError error = embedding_error(embedding);
  EXPECT_EQ(error.count_outside, points.size() - inside);
  EXPECT_NEAR(error.max_distance, worst, 1e-7);
  EXPECT_EQ(embedding.outside[error.worst_point], static_cast<float>(error.max_distance));
  EXPECT_GT(error.rms, 0);
  EXPECT_LT(error.rms, error.max_distance);
}

TEST(Embedding, OutsideACornerTheLeastViolatedElementIsChosen) {
  // Two elements share the face x = 0; the points lie beyond their common corner (0, 1, 0). Of the first point the
  // smallest coordinates are -0.25 in the element it leans over (at the origin) and -0.15 in the other.
  const TetMesh mesh{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {1, 0, 0}}, 4, {0, 1, 2, 4, 0, 2, 1, 3}};
  ASSERT_TRUE(validate(mesh).ok()) << validate(mesh).error().message();
  const std::vector<Vec3d> points{{0.05, 1.2, 0}, {-0.05, 1.2, 0}};
  const Embedding embedding = embed(points, mesh);
  EXPECT_EQ(embedding.elements, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_NEAR(*std::min_element(embedding.coordinates[0].begin(), embedding.coordinates[0].end()), -0.15, 1e-12);
}

TEST(Embedding, BentQuadraticElementsReproduceTheirRestShape) {
  TetMesh mesh = to_quadratic(ball(0.03));
  for (const Triangle& t : boundary_triangles(mesh)) {
    for (std::size_t e = 0; e < mesh.element_count(); ++e) {
      const auto n = mesh.element(e);
      for (std::size_t k = 0; k < 6; ++k) {
        const bool on_boundary = std::find(t.begin(), t.end(), n[tet_edges[k][0]]) != t.end() &&
                                 std::find(t.begin(), t.end(), n[tet_edges[k][1]]) != t.end();
        if (on_boundary) mesh.nodes[n[4 + k]] = normalized(mesh.nodes[n[4 + k]]) * 0.07;
      }
    }
  }
  const std::vector<Vec3d> points = random_points(500, 0.05, 3);
  EXPECT_LT(worst_error(mesh, points, [](Vec3d p) { return p; }), 1e-10);
  EXPECT_LT(worst_error(mesh, points, affine), 1e-10);
}

TEST(Embedding, FloatPointsAndAnyNumberOfThreads) {
  const TetMesh mesh = ball(0.015);
  std::vector<Vec3f> points;
  for (const Vec3d& p : random_points(3000, 0.08, 4)) points.emplace_back(p);
  const unsigned before = thread_count();
  set_thread_count(1);
  const Embedding one = embed(std::span<const Vec3f>(points), mesh);
  set_thread_count(3);
  const Embedding three = embed(std::span<const Vec3f>(points), mesh);
  set_thread_count(before);
  EXPECT_EQ(one.elements, three.elements);
  EXPECT_EQ(one.coordinates, three.coordinates);
  std::vector<Vec3f> back(points.size());
  apply(one, mesh, mesh.nodes, std::span<Vec3f>(back));
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_LT(length(back[i] - points[i]), 2e-8f);  // one rounding
  EXPECT_TRUE(embed(std::span<const Vec3f>(), mesh).elements.empty());
  EXPECT_EQ(embedding_error({}).count_outside, 0u);
}

}  // namespace
}  // namespace supple
