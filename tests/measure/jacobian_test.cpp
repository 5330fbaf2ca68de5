// Determinants of maps whose derivatives are known.
#include "supple/measure/jacobian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "supple/base/parallel.h"
#include "supple/base/quat.h"
#include "supple/measure/volume.h"
#include "support/shapes.h"

namespace supple::measure {
namespace {

using test::pi;

TEST(InteriorPoints, OfABoxAreItsCells) {
  const std::vector<Vec3d> points = interior_points(test::box({0, 0, 0}, {1, 2, 0.5f}), 0.125).value();
  EXPECT_EQ(points.size(), 8u * 16 * 4);
  EXPECT_EQ(points[0], (Vec3d{0.0625, 0.0625, 0.0625}));
  EXPECT_EQ(points[1], (Vec3d{0.1875, 0.0625, 0.0625}));
  for (const Vec3d& p : points) {
    EXPECT_TRUE(p.x > 0 && p.x < 1 && p.y > 0 && p.y < 2 && p.z > 0 && p.z < 0.5);
  }
}

TEST(InteriorPoints, FillATorusByItsVolume) {
  const Mesh m = test::torus(1, 0.4, 48, 24);
  const double spacing = interior_spacing(m, 4000).value();
  const std::vector<Vec3d> points = interior_points(m, spacing).value();
  EXPECT_NEAR(static_cast<double>(points.size()), 4000, 120);
  for (const Vec3d& p : points) EXPECT_LT(std::hypot(std::hypot(p.x, p.z) - 1, p.y), 0.4 + 1e-6);
  const std::vector<Vec3d> deep = interior_points(m, spacing, 0.1).value();
  EXPECT_GT(deep.size(), 1500u);
  for (const Vec3d& p : deep) {
    EXPECT_LT(std::hypot(std::hypot(p.x, p.z) - 1, p.y), 0.3 + 1e-6);
  }
  EXPECT_TRUE(interior_points(m, spacing, 0.5).value().empty());
}

TEST(InteriorPoints, AreTheSameForAnyNumberOfThreads) {
  const Mesh m = test::sphere(1, 16, 20);
  set_thread_count(1);
  const std::vector<Vec3d> one = interior_points(m, 0.07).value();
  set_thread_count(3);
  const std::vector<Vec3d> three = interior_points(m, 0.07).value();
  set_thread_count(0);
  EXPECT_EQ(one, three);
}

TEST(InteriorPoints, RefuseOpenMeshesAndBadLengths) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  EXPECT_FALSE(interior_points(m, 0));
  EXPECT_FALSE(interior_points(m, -1));
  EXPECT_FALSE(interior_points(m, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(interior_points(m, 0.1, -1));
  EXPECT_FALSE(interior_points(m, 1e-6));
  EXPECT_FALSE(interior_spacing(m, 0));
  m.triangles.pop_back();
  ASSERT_FALSE(interior_points(m, 0.1));
  EXPECT_EQ(interior_points(m, 0.1).error().item.substr(0, 4), "edge");
}

TEST(Jacobian, OfAffineMapsIsTheirDeterminant) {
  const std::vector<Vec3d> points = interior_points(test::sphere(1, 16, 20), 0.2).value();
  const Mat3d turn = to_matrix(Quatd{0.48, 0.6, 0, 0.64});  // a unit quaternion
  const JacobianSummary rigid = measure_jacobian(
                                    [&](Vec3d p) {
                                      return turn * p + Vec3d{10, -20, 30};
                                    },
                                    points, 1e-4)
                                    .value();
  EXPECT_NEAR(rigid.min, 1, 1e-9);
  EXPECT_NEAR(rigid.mean, 1, 1e-9);
  EXPECT_EQ(rigid.non_positive, 0u);
  EXPECT_EQ(rigid.count, points.size());
  const JacobianSummary scaled = measure_jacobian([](Vec3d p) { return p * 1.5; }, points, 1e-4).value();
  EXPECT_NEAR(scaled.min, 3.375, 1e-9);
  const JacobianSummary mirrored = measure_jacobian(
                                       [](Vec3d p) {
                                         return Vec3d{-p.x, p.y, 2 * p.z};
                                       },
                                       points, 1e-4)
                                       .value();
  EXPECT_NEAR(mirrored.mean, -2, 1e-9);
  EXPECT_EQ(mirrored.fraction_non_positive, 1);
}

TEST(Jacobian, OfACurvedMapAgreesWithCalculus) {
  // Bending a bar about z: x -> angle, y -> radius; det = radius of the circle the point lies on.
  const PointMap bend = [](Vec3d p) { return Vec3d{(2 - p.y) * std::sin(p.x), 2 - (2 - p.y) * std::cos(p.x), p.z}; };
  const std::vector<Vec3d> points = interior_points(test::box({-1, -1, -1}, {1, 1, 1}), 0.25).value();
  const std::vector<double> determinants = jacobian_determinants(bend, points, 1e-4).value();
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(determinants[i], 2 - points[i].y, 1e-8);
  const JacobianSummary summary = summarize_jacobians(determinants, points).value();
  EXPECT_NEAR(summary.worst_position.y, 0.875, 1e-12);
  EXPECT_NEAR(summary.min, 1.125, 1e-8);
}

TEST(Jacobian, CountsTheFoldedPart) {
  // Folded at x = 1/4: a quarter of the unit box is turned over.
  const PointMap fold = [](Vec3d p) { return Vec3d{std::abs(p.x - 0.25), p.y, p.z}; };
  const std::vector<Vec3d> points = interior_points(test::box({0, 0, 0}, {1, 1, 1}), 0.05).value();
  ASSERT_EQ(points.size(), 8000u);
  const JacobianSummary summary = measure_jacobian(fold, points, 1e-4).value();
  EXPECT_EQ(summary.non_positive, 2000u);
  EXPECT_DOUBLE_EQ(summary.fraction_non_positive, 0.25);
  EXPECT_NEAR(summary.min, -1, 1e-9);
  EXPECT_NEAR(summary.mean, 0.5, 1e-9);
  EXPECT_LT(summary.worst_position.x, 0.25);
  // Pressed flat: zero counts as not positive.
  const JacobianSummary flat = measure_jacobian([](Vec3d p) { return Vec3d{p.x, p.y, 0}; }, points, 1e-4).value();
  EXPECT_EQ(flat.fraction_non_positive, 1);
}

TEST(Jacobian, NamesThePointThatIsLost) {
  const std::vector<Vec3d> points{{0, 0, 0}, {1, 2, 3}, {4, 5, 6}};
  const PointMap broken = [](Vec3d p) {
    return p.x > 0.5 && p.x < 2 ? Vec3d{std::numeric_limits<double>::quiet_NaN(), 0, 0} : p;
  };
  const auto result = measure_jacobian(broken, points, 1e-4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().item, "point 1");
  EXPECT_FALSE(measure_jacobian([](Vec3d p) { return p; }, {}, 1e-4));
  EXPECT_FALSE(measure_jacobian([](Vec3d p) { return p; }, points, 0));
  EXPECT_FALSE(summarize_jacobians(std::vector<double>{1, 2}, points));
  EXPECT_FALSE(summarize_jacobians(std::vector<double>{1, std::numeric_limits<double>::infinity(), 1}, points));
}

}  // namespace
}  // namespace supple::measure
