// Bones come apart where they touch, with the right centres and volumes, and what is dropped is listed.
#include "supple/author/scan/parts.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/author/scan/parts_block.h"
#include "supple/geometry/half_edges.h"
#include "supple/geometry/topology.h"
#include "support/scan_volumes.h"

namespace supple::scan {
namespace {

constexpr double fine_voxel = 0.0009;
constexpr double iso = 420;

struct Ball {
  Vec3d centre;
  double radius, hollow = 0;
  double volume() const { return 4.0 / 3 * std::numbers::pi * radius * radius * radius; }
};

Volume scan_of(const std::vector<Ball>& balls, std::array<std::size_t, 3> size, double sigma = 30) {
  Rng rng(4);
  return test::sampled_volume(size, test::lattice(fine_voxel), [&](Vec3d p) {
    double share = 0;
    for (const Ball& b : balls) {
      const double r = length(p - b.centre);
      share = std::max(share, test::share_inside(r - b.radius, fine_voxel) -
                                  (b.hollow > 0 ? test::share_inside(r - b.hollow, fine_voxel) : 0));
    }
    return 40 + 760 * share + test::noise(rng, sigma);
  });
}

void expect_balls(const Parts& parts, const std::vector<Ball>& balls) {
  ASSERT_EQ(parts.parts.size(), balls.size());
  for (const BonePart& part : parts.parts) {
    EXPECT_TRUE(HalfEdges::build(part.surface.positions.size(), part.surface.triangles).ok());
    EXPECT_EQ(connected_parts(part.surface.positions.size(), part.surface.triangles).count, 1u);
    EXPECT_EQ(part.touches.size(), part.surface.positions.size());
    const auto nearest = std::min_element(balls.begin(), balls.end(), [&](const Ball& a, const Ball& b) {
      return length(a.centre - part.centre) < length(b.centre - part.centre);
    });
    // Noise of 30 HU moves single vertices by some 2 % of a fine_voxel; the cut takes a little from one side.
    EXPECT_LT(length(nearest->centre - part.centre), 0.1 * fine_voxel);
    // The blur of half a fine_voxel moves the surface of a ball inwards by sigma^2 / r; chords and cuts take less than
    // 2 %.
    const double r = nearest->radius - 0.25 * fine_voxel * fine_voxel / nearest->radius;
    EXPECT_NEAR(part.volume / (Ball{{}, r}.volume()), 1, 0.02);
  }
}

TEST(Parts, TouchingBallsComeApart) {
  const std::vector<Ball> balls = {{{0.012, 0.012, 0.012}, 0.0081}, {{0.0257, 0.013, 0.0125}, 0.0060}};
  const auto parts = separate_bones(scan_of(balls, {38, 28, 28}), {iso});
  ASSERT_TRUE(parts.ok()) << parts.error().message();
  expect_balls(*parts, balls);
  EXPECT_EQ(connected_parts(parts->surface.positions.size(), parts->surface.triangles).count, 1u);
  const Vec3d contact = balls[0].centre + normalized(balls[1].centre - balls[0].centre) * 0.0081;
  for (const BonePart& part : parts->parts) {
    std::size_t marked = 0;
    for (std::size_t v = 0; v < part.touches.size(); ++v) {
      if (!part.touches[v]) continue;
      ++marked;
      // The overlap has a radius of 1.6 mm, the gap is thinner than half a sample up to 2.4 mm, and what lies within a
      // sample and a half (diagonally 2.3 mm) counts too.
      EXPECT_LT(length(Vec3d(part.surface.positions[v]) - contact), 0.0024 + 0.0023);
    }
    EXPECT_GT(marked, 4u);
  }
}

TEST(Parts, AMarkerBelowTheIsoValueCutsNothing) {
  const std::vector<Ball> balls = {{{0.012, 0.012, 0.012}, 0.0081}, {{0.0257, 0.013, 0.0125}, 0.0060}};
  const Volume volume = scan_of(balls, {38, 28, 28});
  for (const double marker : {iso - 1, 0.0}) {  // nought is a number like any other, not "none given"
    const auto parts = separate_bones(volume, {iso, marker});
    ASSERT_TRUE(parts.ok()) << parts.error().message();
    EXPECT_EQ(parts->parts.size(), 1u) << marker;
  }
}

TEST(Parts, TheMarkerThatWasFoundGivesTheSamePiecesAgain) {
  const std::vector<Ball> balls = {{{0.012, 0.012, 0.012}, 0.0081}, {{0.0257, 0.013, 0.0125}, 0.0060}};
  const Volume volume = scan_of(balls, {38, 28, 28});
  const auto found = separate_bones(volume, {iso});
  ASSERT_TRUE(found.ok());
  const auto given = separate_bones(volume, {iso, found->marker});
  ASSERT_TRUE(given.ok());
  ASSERT_EQ(given->parts.size(), found->parts.size());
  for (std::size_t p = 0; p < found->parts.size(); ++p)
    EXPECT_EQ(given->parts[p].surface.positions, found->parts[p].surface.positions);
}

TEST(Parts, AShaftThinnerThanItsEndsStaysWhole) {
  Rng rng(8);
  // Twice as thick at the ends as in the middle, as a metacarpal is.
  const Volume bone = test::sampled_volume({24, 24, 70}, test::lattice(fine_voxel), [&](Vec3d p) {
    const double along = (p.z - 0.031) / 0.022;
    const double distance = std::abs(along) > 1
                                ? length(p - Vec3d{0.0105, 0.0105, along > 0 ? 0.053 : 0.009}) - 0.0065
                                : std::hypot(p.x - 0.0105, p.y - 0.0105) - (0.0033 + 0.0032 * std::pow(along, 4));
    return 40 + 760 * test::share_inside(distance, fine_voxel) + test::noise(rng, 30);
  });
  const auto parts = separate_bones(bone, {iso});
  ASSERT_TRUE(parts.ok()) << parts.error().message();
  EXPECT_EQ(parts->parts.size(), 1u);
}

TEST(Parts, HollowBonesAreFilled) {
  const std::vector<Ball> balls = {{{0.0112, 0.0119, 0.0123}, 0.0085, 0.0055}};
  const auto parts = separate_bones(scan_of(balls, {27, 27, 27}), {iso});
  ASSERT_TRUE(parts.ok()) << parts.error().message();
  expect_balls(*parts, balls);
  // All bone as it is in the volume has the inner surface too.
  EXPECT_EQ(connected_parts(parts->surface.positions.size(), parts->surface.triangles).count, 2u);
}

TEST(Parts, TwentyBallsInALineAndASmallOneThatIsListed) {
  std::vector<Ball> balls;
  for (int i = 0; i < 20; ++i) {  // neighbours overlap by 0.2 mm
    balls.push_back({{0.008 + 0.0098 * (i % 5), 0.008 + 0.0098 * (i / 5), 0.008}, 0.0050});
  }
  std::vector<Ball> all = balls;
  all.push_back({{0.008, 0.008, 0.020}, 0.0018});
  Warnings warnings;
  const auto parts = separate_bones(scan_of(all, {64, 52, 27}), {iso}, &warnings);
  ASSERT_TRUE(parts.ok()) << parts.error().message();
  expect_balls(*parts, balls);
  ASSERT_EQ(parts->dropped.size(), 1u);
  EXPECT_LT(length(parts->dropped[0].centre - all.back().centre), 0.2 * fine_voxel);
  EXPECT_NEAR(parts->dropped[0].volume / all.back().volume(), 1, 0.2);  // counted in whole samples
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("1 pieces of bone smaller than 60 cubic millimetres"), std::string::npos) << warnings[0];
}

TEST(Parts, NoBoneShowsTheHistogram) {
  const auto parts = separate_bones(scan_of({}, {20, 20, 20}), {iso});
  ASSERT_FALSE(parts.ok());
  EXPECT_NE(parts.error().problem.find("no bone above 420; values from"), std::string::npos) << parts.error().problem;
  EXPECT_FALSE(separate_bones(scan_of({}, {20, 20, 20}), {1e9}).ok());
  EXPECT_FALSE(separate_bones(Volume{}, {iso}).ok());
}

TEST(Parts, DepthIsTheExactDistance) {
  Rng rng(6);
  Block block;
  block.size = {11, 12, 13};
  block.spacing = {0.5, 0.7, 1.1};
  std::vector<std::uint8_t> solid(block.count(), 0);
  for (std::size_t k = 1; k < 12; ++k)
    for (std::size_t j = 1; j < 11; ++j)
      for (std::size_t i = 1; i < 10; ++i) solid[block.place(i, j, k)] = rng.below(20) > 0 ? 1 : 0;
  const std::vector<float> depths = depth(block, solid);
  const auto point = [&](std::size_t at) {
    return Vec3d{0.5 * static_cast<double>(at % 11), 0.7 * static_cast<double>(at / 11 % 12),
                 1.1 * static_cast<double>(at / 132)};
  };
  for (std::size_t a = 0; a < block.count(); ++a) {
    double nearest = solid[a] != 0 ? 1e9 : 0;
    for (std::size_t b = 0; b < block.count() && solid[a] != 0; ++b) {
      if (solid[b] == 0) nearest = std::min(nearest, length(point(a) - point(b)));
    }
    EXPECT_NEAR(depths[a], nearest, 1e-5);
  }
}

}  // namespace
}  // namespace supple::scan
