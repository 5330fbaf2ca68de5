// Signs against whole-number arithmetic, where floats are as unlucky as can be.
#include "supple/geometry/orientation.h"

#include <gtest/gtest.h>

#include <limits>

#include "supple/base/rng.h"

namespace supple {
namespace {

__extension__ typedef __int128 Whole;

int sign_of(Whole x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/// Of whole coordinates below 2^24 in size: differences have 25 bits, the sum of six products less than 80.
int exact(Vec3f a, Vec3f b, Vec3f c, Vec3f d) {
  const auto side = [&](Vec3f p, std::size_t i) { return static_cast<Whole>(p[i]) - static_cast<Whole>(a[i]); };
  Whole volume = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    volume += side(d, i) * (side(b, j) * side(c, k) - side(b, k) * side(c, j));
  }
  return sign_of(volume);
}

Vec3f lattice_point(Rng& rng, double size) {
  const auto coordinate = [&] { return static_cast<float>(std::floor(rng.uniform(-size, size))); };
  const float x = coordinate(), y = coordinate();
  return {x, y, coordinate()};
}

TEST(Orientation, TellsAboveFromBelow) {
  const Vec3f a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
  EXPECT_EQ(orientation(a, b, c, Vec3f{3, -7, 1e-30f}), 1);
  EXPECT_EQ(orientation(a, b, c, Vec3f{3, -7, -1e-30f}), -1);
  EXPECT_EQ(orientation(a, b, c, Vec3f{3, -7, 0}), 0);
  EXPECT_EQ(orientation(a, b, c, std::size_t{2}), 1);
  EXPECT_EQ(orientation(a, c, b, std::size_t{2}), -1);
  EXPECT_EQ(orientation(a, b, c, std::size_t{0}), 0);
  EXPECT_EQ(orientation(Vec3f{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, std::size_t{0}), 1);
  EXPECT_EQ(orientation(Vec3f{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, std::size_t{1}), 1);
}

TEST(Orientation, IsExactNearAPlane) {
  Rng rng(1);
  int in_plane = 0, off = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3f a = lattice_point(rng, 1e6), u = lattice_point(rng, 3e5), v = lattice_point(rng, 3e5);
    // In the plane, or one unit in a million off it. All sums are whole numbers below 2^24.
    const Vec3f jitter = rng.below(2) == 0 ? Vec3f{} : lattice_point(rng, 2);
    const auto s = static_cast<float>(rng.below(9)) - 4, t = static_cast<float>(rng.below(9)) - 4;
    const Vec3f b = a + u, c = a + v, d = a + u * s + v * t + jitter;
    const int expected = exact(a, b, c, d);
    ASSERT_EQ(orientation(a, b, c, d), expected) << i;
    ASSERT_EQ(orientation(b, a, c, d), -expected) << i;
    ASSERT_EQ(orientation(c, d, a, b), expected) << i;
    ++(expected == 0 ? in_plane : off);
    for (std::size_t along = 0; along < 3; ++along) {
      const std::size_t j = (along + 1) % 3, k = (along + 2) % 3;
      const auto side = [&](Vec3f p, std::size_t axis) {
        return static_cast<Whole>(p[axis]) - static_cast<Whole>(a[axis]);
      };
      const int turn = sign_of(side(b, j) * side(d, k) - side(b, k) * side(d, j));
      ASSERT_EQ(orientation(a, b, d, along), turn) << i;
    }
  }
  EXPECT_GT(in_plane, 5000);
  EXPECT_GT(off, 5000);
}

TEST(Orientation, HoldsOverTheWholeRangeOfFloats) {
  const float tiny = std::numeric_limits<float>::denorm_min(), huge = std::numeric_limits<float>::max();
  const Vec3f a{huge, 0, 0}, b{0, huge, 0}, c{-huge, -huge, 0};
  EXPECT_EQ(orientation(a, b, c, Vec3f{0, 0, tiny}), 1);
  EXPECT_EQ(orientation(a, b, c, Vec3f{0, 0, -tiny}), -1);
  EXPECT_EQ(orientation(a, b, c, Vec3f{1, tiny, 0}), 0);
  const Vec3f p{tiny, 0, 0}, q{0, tiny, 0};
  EXPECT_EQ(orientation(p, q, Vec3f{}, Vec3f{0, 0, tiny}), 1);
  EXPECT_EQ(orientation(p, q, Vec3f{}, std::size_t{2}), 1);
  // A plane through x = y, missed by the last bit of a number 2^60 times as large as the others.
  const float far = 0x1p60f, beyond = std::nextafter(far, huge);
  EXPECT_EQ(orientation(Vec3f{0, 0, 0}, {1, 1, 0}, {0, 0, 1}, Vec3f{far, far, 5}), 0);
  EXPECT_EQ(orientation(Vec3f{0, 0, 0}, {1, 1, 0}, {0, 0, 1}, Vec3f{beyond, far, 5}), 1);
  EXPECT_EQ(orientation(Vec3f{0, 0, 0}, {1, 1, 0}, {0, 0, 1}, Vec3f{far, beyond, 5}), -1);
  // Differences that a double cannot hold: 2^60 - 2^-60.
  const float small = 0x1p-60f;
  EXPECT_EQ(orientation(Vec3f{small, small, 0}, {far, far, 0}, {small, small, 1}, Vec3f{0, 0, 0}), 0);
  EXPECT_EQ(orientation(Vec3f{small, small, 0}, {far, far, 0}, {small, small, 1}, Vec3f{small, 0, 0}), 1);
}

}  // namespace
}  // namespace supple
