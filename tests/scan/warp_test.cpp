#include "supple/author/scan/warp.h"

#include <gtest/gtest.h>

#include "supple/base/rng.h"

namespace supple::scan {
namespace {

constexpr double reach = 1.6;  // metres, the paper's

std::vector<Vec3d> random_points(std::size_t count, double size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Vec3d> points(count);
  for (Vec3d& p : points) p = Vec3d{rng.uniform(), rng.uniform(), rng.uniform()} * size;
  return points;
}

TEST(PointWarp, MeetsItsPoints) {
  const std::vector<Vec3d> from = random_points(120, 0.2, 1), moves = random_points(120, 0.004, 2);
  std::vector<Vec3d> to = from;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += moves[i];
  const auto warp = PointWarp::build(from, to, reach);
  ASSERT_TRUE(warp.ok()) << warp.error().message();
  // The kernel is flat over a hand, so that its matrix has a condition number of about 1e6: ten digits are left.
  for (std::size_t i = 0; i < to.size(); ++i) EXPECT_LT(length((*warp)(from[i]) - to[i]), 1e-11) << i;
}

TEST(PointWarp, AShiftOfAllPointsIsNearlyAShiftOfAllBetweenThem) {
  const std::vector<Vec3d> from = random_points(100, 0.2, 3);
  const Vec3d shift{0.001, -0.002, 0.003};
  std::vector<Vec3d> to = from;
  for (Vec3d& p : to) p += shift;
  const auto warp = PointWarp::build(from, to, reach);
  ASSERT_TRUE(warp.ok());
  // exp(-r / D) falls by a tenth over 0.2 m and is held up by a hundred points: one part in a hundred is left.
  for (const Vec3d p : random_points(50, 0.2, 4)) EXPECT_LT(length((*warp)(p)-p - shift), 0.01 * length(shift));
}

TEST(PointWarp, NoPointsMoveNothing) {
  const auto warp = PointWarp::build({}, {}, reach);
  ASSERT_TRUE(warp.ok());
  EXPECT_EQ((*warp)(Vec3d{1, 2, 3}), (Vec3d{1, 2, 3}));
}

TEST(PointWarp, NamesPointsInOnePlace) {
  std::vector<Vec3d> from = random_points(5, 0.2, 5);
  from[4] = from[1];
  const auto warp = PointWarp::build(from, from, reach);
  ASSERT_FALSE(warp.ok());
  EXPECT_EQ(warp.error().item, "features 1 and 4");
  EXPECT_FALSE(PointWarp::build({}, {}, 0).ok());
}

}  // namespace
}  // namespace supple::scan
