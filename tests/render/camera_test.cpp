// Cameras: everything fits, nothing is wasted, names are known.
#include "supple/render/camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/rng.h"

namespace supple::render {
namespace {

std::vector<Vec3f> cloud(std::uint64_t seed, Vec3f center, Vec3f extent) {
  Rng rng(seed);
  std::vector<Vec3f> points;
  const auto random = [&] { return static_cast<float>(rng.next()) / 4294967296.0f - 0.5f; };
  for (int i = 0; i < 300; ++i) {
    const float x = random(), y = random(), z = random();
    points.push_back(center + scaled(extent, Vec3f{x, y, z}));
  }
  return points;
}

struct Extent {
  double x = 0, y = 0;
};
/// Largest |x| and |y| in the picture, where 1 is its edge, and a check that all lies between near and far.
Extent extent_of(const std::vector<Vec3f>& points, const Camera& camera, double aspect) {
  const Result<CameraAxes> axes = axes_of(camera);
  EXPECT_TRUE(axes.ok());
  const auto m = to_clip(camera, *axes, aspect, 1e-3, 1e4);
  Extent out;
  for (const Vec3f& point : points) {
    const Vec3d p = Vec3d(point) - camera.target;
    const auto row = [&](std::size_t r) { return m[r] * p.x + m[4 + r] * p.y + m[8 + r] * p.z + m[12 + r]; };
    EXPECT_GT(row(3), 0);
    EXPECT_LE(std::abs(row(2)), row(3));
    out.x = std::max(out.x, std::abs(row(0) / row(3)));
    out.y = std::max(out.y, std::abs(row(1) / row(3)));
  }
  return out;
}

TEST(Camera, FitsAllPointsTightlyFromEveryView) {
  const double margin = 0.05;
  for (const double aspect : {0.5, 1.0, 1.9}) {
    for (const View& view : views()) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const auto points = cloud(seed, {3, -1, 2}, {0.4f, 1.8f * static_cast<float>(seed), 0.7f});
        const Extent e = extent_of(points, fit(points, view, aspect, margin), aspect);
        // The fuller direction touches the margin exactly (double precision on float points).
        EXPECT_NEAR(std::max(e.x, e.y), 1 - 2 * margin, 1e-5) << view.name << ' ' << aspect;
      }
    }
  }
}

TEST(Camera, FitSurvivesPointsWithoutExtent) {
  const View view = *find_view("front");
  for (const std::vector<Vec3f>& points : {std::vector<Vec3f>{},
                                           {{1, 2, 3}},
                                           {{0, 0, 0}, {0, 0, 5}},
                                           {{NAN, 0, 0}, {1, 1, 1}},
                                           {{1e-9f, 0, 0}, {0, 0, 0}}}) {
    const Camera camera = fit(points, view, 1);
    EXPECT_TRUE(axes_of(camera).ok()) << points.size();
  }
}

TEST(Camera, LeftShowsTheSubjectsLeft) {
  const std::vector<Vec3f> points{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_GT(fit(points, *find_view("left"), 1).eye.x, 1);  // characters face +z, so their left is +x
  EXPECT_GT(fit(points, *find_view("top"), 1).eye.y, 1);
  EXPECT_GT(fit(points, *find_view("front"), 1).eye.z, 1);
}

TEST(Camera, UpAlongTheLineOfSightIsReplaced) {
  View view{"above", {0, 1, 0}, {0, 1, 0}};
  const std::vector<Vec3f> points{{-1, -1, -1}, {1, 1, 1}};
  const Result<CameraAxes> axes = axes_of(fit(points, view, 1));
  ASSERT_TRUE(axes.ok());
  EXPECT_NEAR(dot(axes->right, axes->up), 0, 1e-12);
  EXPECT_NEAR(dot(cross(axes->right, axes->up), axes->back), 1, 1e-12);
}

TEST(Camera, UnknownViewSuggestsTheNearest) {
  const Result<View> view = find_view("frnt");
  ASSERT_FALSE(view.ok());
  EXPECT_NE(view.error().message().find("front"), std::string::npos);
  EXPECT_NE(find_view("qqqqqq").error().remedy.find("three-quarter"), std::string::npos);
}

TEST(Camera, RefusesWhatCannotLook) {
  Camera camera;
  camera.eye = camera.target;
  EXPECT_FALSE(axes_of(camera).ok());
  camera = {};
  camera.vertical_angle = 0;
  EXPECT_FALSE(axes_of(camera).ok());
  camera = {};
  camera.up.x = NAN;
  EXPECT_FALSE(axes_of(camera).ok());
}

}  // namespace
}  // namespace supple::render
