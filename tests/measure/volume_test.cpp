// Volumes that are known, and surfaces that have none.
#include "supple/measure/volume.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/shapes.h"

namespace supple::measure {
namespace {

TEST(VolumeChange, OfAScaledMeshIsTheCube) {
  for (const float s : {0.5f, 1.0f, 1.25f, 2.0f}) {
    const Mesh m = test::torus(1, 0.4, 30, 16);
    std::vector<Vec3f> posed = m.positions;
    for (Vec3f& p : posed) p = p * s + Vec3f{1, 2, 3};
    const VolumeChange change = volume_change(m, posed).value();
    // The shift rounds coordinates at 2^-22, which averages out over the surface.
    EXPECT_NEAR(change.relative, s * s * s - 1, 1e-6 * s * s * s);
    EXPECT_NEAR(change.posed / change.rest, s * s * s, 1e-6 * s * s * s);
    EXPECT_EQ(change.seam_gap, 0);
  }
}

TEST(VolumeChange, AMirroredSkinLosesAllOfItTwice) {
  const Mesh m = test::box({1, 1, 1}, {2, 3, 4});
  std::vector<Vec3f> posed = m.positions;
  for (Vec3f& p : posed) p.x = -p.x;
  EXPECT_DOUBLE_EQ(volume_change(m, posed).value().relative, -2);
}

TEST(VolumeChange, WeldsSeamsAndTellsWhereTheyTear) {
  const Mesh m = test::unshared(test::box({0, 0, 0}, {1, 2, 3}));
  EXPECT_DOUBLE_EQ(closed_volume(m).value(), 6);
  std::vector<Vec3f> posed = m.positions;
  posed[35] += Vec3f{0, 0, 0.25f};  // not the first vertex at its point
  const VolumeChange change = volume_change(m, posed).value();
  EXPECT_DOUBLE_EQ(change.relative, 0);
  EXPECT_DOUBLE_EQ(change.seam_gap, 0.25);
  EXPECT_EQ(change.seam_vertex, 35u);
}

TEST(ClosedVolume, RefusesOpenSurfacesByTheirFirstOpenEdge) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  m.triangles.erase(m.triangles.begin() + 3);
  const Result<double> volume = closed_volume(m);
  ASSERT_FALSE(volume);
  EXPECT_EQ(volume.error().item, "edge 7-1");
  EXPECT_NE(volume.error().problem.find("3 boundary edges"), std::string::npos);
  EXPECT_FALSE(volume.error().remedy.empty());

  Mesh flipped = test::box({0, 0, 0}, {1, 1, 1});
  std::swap(flipped.triangles[5][0], flipped.triangles[5][1]);
  EXPECT_FALSE(closed_volume(flipped));
}

TEST(ClosedVolume, AllowsPartsThatTouch) {
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  const Mesh other = test::box({1, 1, 0}, {2, 2, 1});
  for (const Triangle& t : other.triangles) m.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  m.positions.insert(m.positions.end(), other.positions.begin(), other.positions.end());
  EXPECT_DOUBLE_EQ(closed_volume(m).value(), 2);
}

TEST(ClosedVolume, RefusesBadInput) {
  EXPECT_FALSE(closed_volume(Mesh{}));
  Mesh m = test::box({0, 0, 0}, {1, 1, 1});
  EXPECT_FALSE(volume_change(m, std::span(m.positions).first(7)));
  std::vector<Vec3f> posed = m.positions;
  posed[4].y = std::numeric_limits<float>::quiet_NaN();
  ASSERT_FALSE(volume_change(m, posed));
  EXPECT_EQ(volume_change(m, posed).error().item, "vertex 4");
  std::swap(m.positions, posed);
  ASSERT_FALSE(closed_volume(m));
  EXPECT_EQ(closed_volume(m).error().item, "vertex 4");
  // Closed but flat: two triangles back to back.
  Mesh flat;
  flat.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  flat.triangles = {{0, 1, 2}, {2, 1, 0}};
  EXPECT_DOUBLE_EQ(closed_volume(flat).value(), 0);
  EXPECT_FALSE(volume_change(flat, flat.positions));
}

}  // namespace
}  // namespace supple::measure
