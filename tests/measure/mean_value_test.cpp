// Mean value coordinates: linear precision, behaviour on the surface, and the determinants measured with them.
#include "supple/measure/mean_value.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "supple/base/quat.h"
#include "supple/base/rng.h"
#include "support/shapes.h"

namespace supple::measure {
namespace {

Vec3d combine(const std::vector<double>& weights, const Mesh& m) {
  Vec3d sum{};
  for (std::size_t v = 0; v < weights.size(); ++v) sum += Vec3d(m.positions[v]) * weights[v];
  return sum;
}

double total(const std::vector<double>& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

/// The surface integral that the weights stand for: f(x) = sum f[p] / |p - x| over the unit sphere / sum 1 / |p - x|,
/// where p is the point of the surface in a direction; here by midpoints of the facets of a fine sphere.
double integral(const Mesh& convex, const std::vector<double>& values, Vec3d x) {
  const std::uint32_t n = 96;
  double above = 0, below = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < 2 * n; ++j) {
      const double latitude = test::pi * (i + 0.5) / n, longitude = test::pi * (j + 0.5) / n;
      const Vec3d d{std::sin(latitude) * std::sin(longitude), std::cos(latitude),
                    std::sin(latitude) * std::cos(longitude)};
      for (const Triangle& t : convex.triangles) {
        const Vec3d a = Vec3d(convex.positions[t[0]]) - x, b = Vec3d(convex.positions[t[1]]) - x,
                    c = Vec3d(convex.positions[t[2]]) - x;
        const Vec3d w{dot(d, cross(b, c)), dot(d, cross(c, a)), dot(d, cross(a, b))};
        if (w.x < 0 || w.y < 0 || w.z < 0) continue;
        const double sum = w.x + w.y + w.z;
        const double distance = length(a * w.x + b * w.y + c * w.z) / sum;
        const double value = (values[t[0]] * w.x + values[t[1]] * w.y + values[t[2]] * w.z) / sum;
        above += std::sin(latitude) * value / distance;
        below += std::sin(latitude) / distance;
        break;
      }
    }
  }
  return above / below;
}

TEST(MeanValue, ReproducesLinearFunctionsInside) {
  const Mesh shapes[] = {test::box({-1, -1, -1}, {1, 2, 3}), test::sphere(1, 16, 24), test::torus(1, 0.4, 32, 16),
                         test::unshared(test::torus(1, 0.4, 20, 10))};
  for (const Mesh& m : shapes) {
    const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
    const std::vector<Vec3d> points = interior_points(m, interior_spacing(m, 60).value()).value();
    ASSERT_GT(points.size(), 30u);
    for (const Vec3d& p : points) {
      const std::vector<double> w = c.weights(p);
      EXPECT_NEAR(total(w), 1, 1e-12);
      EXPECT_LT(length(combine(w, m) - p), 1e-12);
    }
  }
}

TEST(MeanValue, IsTheSphereIntegralOfItsDefinition) {
  const Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  const std::vector<double> values{1, -2, 0.5, 3, 0, 4, -1, 2};
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  for (const Vec3d& x : {Vec3d{0.5, 0.5, 0.5}, {0.3, 0.6, 0.2}, {0.8, 0.7, 0.4}}) {
    const std::vector<double> w = c.weights(x);
    const double found = std::inner_product(w.begin(), w.end(), values.begin(), 0.0);
    EXPECT_NEAR(found, integral(m, values, x), 1e-3);  // the midpoint rule over 18432 directions
  }
}

/// The paper's own formula for a triangle's weights, by spherical trigonometry: cos and sin of the dihedral angles c,
/// s.
std::vector<double> paper_weights(const Mesh& m, Vec3d x) {
  using Real = long double;
  std::vector<Real> weights(m.positions.size(), 0);
  Real sum = 0;
  for (const Triangle& t : m.triangles) {
    std::array<Vec3<Real>, 3> u;
    std::array<Real, 3> d{}, theta{}, c{}, s{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto p = Vec3<Real>(m.positions[t[k]]) - Vec3<Real>(x);
      d[k] = length(p);
      u[k] = p / d[k];
    }
    for (std::size_t k = 0; k < 3; ++k) theta[k] = 2 * std::asin(length(u[(k + 1) % 3] - u[(k + 2) % 3]) / 2);
    const Real h = (theta[0] + theta[1] + theta[2]) / 2;
    const Real sign = dot(u[0], cross(u[1], u[2])) > 0 ? 1 : -1;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      c[k] = 2 * std::sin(h) * std::sin(h - theta[k]) / (std::sin(theta[i]) * std::sin(theta[j])) - 1;
      s[k] = sign * std::sqrt(1 - c[k] * c[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const Real w = (theta[k] - c[i] * theta[j] - c[j] * theta[i]) / (d[k] * std::sin(theta[i]) * s[j]);
      weights[t[k]] += w;
      sum += w;
    }
  }
  std::vector<double> result;
  for (const Real w : weights) result.push_back(static_cast<double>(w / sum));
  return result;
}

TEST(MeanValue, AgreesWithThePapersFormula) {
  // Triangles seen under angles from 0.02 to 2 radians.
  const Mesh m = test::sphere(1, 24, 48);
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  for (const Vec3d& x : {Vec3d{0.01, 0.02, 0.03}, {0.3, -0.4, 0.2}, {0.5, 0.55, -0.6}, {0.1, 0.93, 0.05}}) {
    const std::vector<double> found = c.weights(x), expected = paper_weights(m, x);
    for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], expected[v], 1e-11 * expected[v] + 1e-16);
  }
}

TEST(MeanValue, OfABoxAreAllPositiveAndSymmetric) {
  const MeanValueCoordinates c = MeanValueCoordinates::make(test::box({-1, -1, -1}, {1, 1, 1})).value();
  // The diagonals of the faces break the box's symmetry, except under x, y, z -> -x, -y, -z.
  const std::vector<double> w = c.weights({0.2, 0.5, -0.1}), mirrored = c.weights({-0.2, -0.5, 0.1});
  for (std::size_t v = 0; v < 8; ++v) {
    EXPECT_GT(w[v], 0);
    EXPECT_NEAR(w[v], mirrored[7 - v], 1e-14);
  }
}

TEST(MeanValue, InterpolatesOnVerticesEdgesAndFaces) {
  const Mesh m = test::torus(1, 0.4, 12, 8);
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  for (const Triangle& t : m.triangles) {
    const Vec3d corner[] = {Vec3d(m.positions[t[0]]), Vec3d(m.positions[t[1]]), Vec3d(m.positions[t[2]])};
    for (const Vec3d& at : {Vec3d{1, 0, 0}, {0, 0, 1}, {0.5, 0.5, 0}, {0.3, 0, 0.7}, {0.2, 0.5, 0.3}}) {
      const std::vector<double> w = c.weights(corner[0] * at.x + corner[1] * at.y + corner[2] * at.z);
      EXPECT_NEAR(total(w), 1, 1e-12);
      for (std::size_t v = 0; v < w.size(); ++v) {
        const double expected = v == t[0] ? at.x : v == t[1] ? at.y : v == t[2] ? at.z : 0;
        EXPECT_NEAR(w[v], expected, 1e-7);
      }
    }
  }
}

TEST(MeanValue, ApproachesTheSurfaceContinuously) {
  // From the inside towards a face, an edge and a vertex: the weights tend to those on the surface as the distance
  // does.
  const Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  for (const Vec3d& target : {Vec3d{0.3, 0.6, 0}, {0.25, 0, 0}, {0, 0, 0}, {0.5, 0.5, 1}}) {
    const std::vector<double> on = c.weights(target);
    for (double e = 1e-2; e > 1e-13; e /= 10) {
      const std::vector<double> near = c.weights(target + (Vec3d{0.5, 0.5, 0.5} - target) * e);
      for (std::size_t v = 0; v < 8; ++v) {
        ASSERT_TRUE(std::isfinite(near[v]));
        EXPECT_NEAR(near[v], on[v], 4 * e * (1 - std::log(e)) + 1e-7) << "distance " << e;
      }
    }
  }
}

TEST(MeanValue, PointsInThePlaneOfAFarFaceAreNothingSpecial) {
  // The middle of an L: its inner faces' planes pass through the inside of the arms.
  Mesh m;
  const float outline[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const float z : {0.0f, 1.0f}) {
    for (const auto& xy : outline) m.positions.push_back({xy[0], xy[1], z});
  }
  m.triangles = {{6, 7, 8}, {6, 8, 9}, {6, 9, 10}, {6, 10, 11}, {0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {0, 5, 4}};
  for (std::uint32_t k = 0; k < 6; ++k) {
    const std::uint32_t next = (k + 1) % 6;
    m.triangles.push_back({k, next, next + 6});
    m.triangles.push_back({k, next + 6, k + 6});
  }
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  for (const Vec3d& p : {Vec3d{1, 0.5, 0.5}, {0.5, 1, 0.25}, {1, 0.25, 0.75}}) {
    const std::vector<double> at = c.weights(p);
    EXPECT_LT(length(combine(at, m) - p), 1e-12);
    for (const double e : {1e-5, 1e-7, 1e-8, 1e-9, 1e-11, 1e-15}) {
      const Vec3d q = p + Vec3d{e, e, 0};
      const std::vector<double> near = c.weights(q);
      EXPECT_LT(length(combine(near, m) - q), 2e-8);
      for (std::size_t v = 0; v < at.size(); ++v) EXPECT_NEAR(near[v], at[v], 10 * e + 5e-8) << e;
    }
  }
}

TEST(MeanValue, IgnoresTrianglesWithoutArea) {
  // The edge 0 1 of a box gets a vertex in its middle on one side only, closed by a triangle without area.
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.positions.push_back({0.5f, 0, 0});
  m.triangles[4] = {0, 8, 5};  // was 0 1 5
  m.triangles.push_back({8, 1, 5});
  m.triangles.push_back({0, 1, 8});
  const MeanValueCoordinates c = MeanValueCoordinates::make(m).value();
  const Vec3d p{0.3, 0.4, 0.2};
  EXPECT_LT(length(combine(c.weights(p), m) - p), 1e-13);
  EXPECT_NEAR(combine(c.weights({0.5, 0, 0}), m).x, 0.5, 1e-12);
}

TEST(SkinJacobian, OfRigidAndScaledSkins) {
  const Mesh m = test::torus(1, 0.4, 24, 12);
  const Mat3d turn = to_matrix(Quatd{0.48, 0.6, 0, 0.64});
  std::vector<Vec3f> rigid, scaled;
  for (const Vec3f& p : m.positions) {
    rigid.push_back(Vec3f(turn * Vec3d(p) + Vec3d{0.5, 1, 0}));
    scaled.push_back(p * 0.5f);  // exact
  }
  const JacobianSummary r = skin_jacobian(m, rigid, 200).value();
  EXPECT_GT(r.count, 100u);
  // The posed vertices are rounded to floats, 6e-8 each: that much the skin is really stretched.
  EXPECT_NEAR(r.min, 1, 2e-6);
  EXPECT_NEAR(r.mean, 1, 2e-7);
  const JacobianSummary s = skin_jacobian(m, scaled, 200).value();
  EXPECT_NEAR(s.min, 0.125, 1e-9);
  EXPECT_NEAR(s.mean, 0.125, 1e-9);
  EXPECT_EQ(s.non_positive, 0u);
}

TEST(SkinJacobian, RigidMotionThatFloatsHoldExactlyHasDeterminantOne) {
  const Mesh m = test::sphere(1, 12, 16);
  std::vector<Vec3f> posed;
  for (const Vec3f& p : m.positions) posed.push_back({p.y, p.z, p.x});  // a third of a turn about (1, 1, 1)
  const JacobianSummary j = skin_jacobian(m, posed, 300).value();
  EXPECT_NEAR(j.min, 1, 1e-9);
  EXPECT_NEAR(j.mean, 1, 1e-9);
}

TEST(SkinJacobian, SeesASkinTurnedOver) {
  const Mesh m = test::sphere(1, 12, 16);
  std::vector<Vec3f> posed = m.positions;
  for (Vec3f& p : posed) p.x = -p.x;
  EXPECT_EQ(skin_jacobian(m, posed, 200).value().fraction_non_positive, 1);
  // Folded at a plane: the far side is turned over, most of the near one is not.
  posed = m.positions;
  for (Vec3f& p : posed) p.x = std::abs(p.x);
  const JacobianSummary folded = skin_jacobian(m, posed, 400).value();
  EXPECT_GT(folded.fraction_non_positive, 0.3);
  EXPECT_LT(folded.fraction_non_positive, 0.7);
  EXPECT_LT(folded.worst_position.x, 0);
}

TEST(MeanValueMotion, RefusesBadSkins) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  EXPECT_FALSE(mean_value_motion(m, std::span(m.positions).first(5)));
  std::vector<Vec3f> posed = m.positions;
  posed[3].x = std::numeric_limits<float>::quiet_NaN();
  ASSERT_FALSE(mean_value_motion(m, posed));
  EXPECT_EQ(mean_value_motion(m, posed).error().item, "vertex 3");
  EXPECT_FALSE(skin_jacobian(m, m.positions, 0));
  m.triangles.pop_back();
  EXPECT_FALSE(mean_value_motion(m, m.positions));
  EXPECT_FALSE(MeanValueCoordinates::make(m));
}

}  // namespace
}  // namespace supple::measure
