#include "supple/geometry/solid_moments.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

/// A box with corners at `low` and `high`, turned outwards.
Mesh box_mesh(Vec3d low, Vec3d high) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.positions.push_back(
        Vec3f(Vec3d{(i & 1) != 0 ? high.x : low.x, (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z}));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// Corners are floats; what is far from the origin is rounded to 1e-8 m.
TEST(SolidMoments, OfABoxAreThoseOfTheTextbook) {
  const Mesh box = box_mesh({0.1, 0.2, 0.3}, {0.14, 0.22, 0.31});
  const SolidMoments m = solid_moments(box.positions, box.triangles);
  const double volume = 0.04 * 0.02 * 0.01;
  EXPECT_NEAR(m.volume, volume, 1e-5 * volume);
  EXPECT_LT(length(m.centre - Vec3d{0.12, 0.21, 0.305}), 1e-7);
  EXPECT_NEAR(m.inertia.c0.x, volume / 12 * (0.02 * 0.02 + 0.01 * 0.01), 1e-5 * volume * 1e-4);
  EXPECT_NEAR(m.inertia.c1.y, volume / 12 * (0.04 * 0.04 + 0.01 * 0.01), 1e-5 * volume * 1e-3);
  EXPECT_NEAR(m.inertia.c2.z, volume / 12 * (0.04 * 0.04 + 0.02 * 0.02), 1e-5 * volume * 1e-3);
  EXPECT_NEAR(m.inertia.c1.x, 0, 1e-5 * volume * 1e-4);
  EXPECT_DOUBLE_EQ((m * 1500).volume, 1500 * m.volume);
}

TEST(SolidMoments, OfHalvesAddUpToTheWhole) {
  const Mesh left = box_mesh({0, 0, 0}, {0.03, 0.02, 0.01}), right = box_mesh({0.03, 0, 0}, {0.05, 0.02, 0.01}),
             whole = box_mesh({0, 0, 0}, {0.05, 0.02, 0.01});
  const auto moments = [](const Mesh& m) { return solid_moments(m.positions, m.triangles); };
  const SolidMoments sum = moments(left) + moments(right), all = moments(whole);
  EXPECT_NEAR(sum.volume, all.volume, 1e-12);
  EXPECT_LT(length(sum.centre - all.centre), 1e-8);
  EXPECT_LT(norm(sum.inertia - all.inertia), 1e-6 * norm(all.inertia));
  EXPECT_EQ((SolidMoments() + SolidMoments()).volume, 0);
}

}  // namespace
}  // namespace supple
