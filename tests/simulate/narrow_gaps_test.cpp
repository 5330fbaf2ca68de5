// Gaps between fingers that are narrower than elements: no element may hold two fingers together.
#include "supple/author/simulate/narrow_gaps.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/author/simulate/capsule.h"
#include "supple/author/simulate/tissue.h"
#include "supple/make/limb.h"
#include "support/lattice_shapes.h"

namespace supple::simulate {
namespace {

constexpr double size = 0.1;  // of an element

/// Two bars along y with a gap along x.
Mesh two_bars(double gap, double thick) {
  Mesh both = test::cut_box({-gap / 2 - thick, 0, 0}, {-gap / 2, 2, 2}, {4, 20, 20});
  const Mesh other = test::cut_box({gap / 2, 0, 0}, {gap / 2 + thick, 2, 2}, {4, 20, 20});
  const auto first = static_cast<std::uint32_t>(both.positions.size());
  both.positions.insert(both.positions.end(), other.positions.begin(), other.positions.end());
  for (const Triangle& t : other.triangles) both.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  return both;
}

/// The least and the largest depth on the faces at the gap, a third of a bar away from their borders.
std::pair<float, float> depth_at_the_gap(const Mesh& bars, double gap, const std::vector<float>& depth) {
  std::pair<float, float> found{1e30f, 0};
  for (std::size_t v = 0; v < depth.size(); ++v) {
    const Vec3f p = bars.positions[v];
    if (std::abs(std::abs(double{p.x}) - gap / 2) > 1e-6 || p.y < 0.65f || p.y > 1.35f || p.z < 0.65f || p.z > 1.35f)
      continue;
    found = {std::min(found.first, depth[v]), std::max(found.second, depth[v])};
  }
  return found;
}

TEST(NarrowGaps, AreOpenedToTheWidthOfAnElement) {
  const Mesh bars = two_bars(0.02, 0.5);
  const std::vector<float> depth = depth_that_opens_gaps(bars, size);
  const auto [least, most] = depth_at_the_gap(bars, 0.02, depth);
  EXPECT_NEAR(least, (size - 0.02) / 2, 1e-6);
  EXPECT_NEAR(most, (size - 0.02) / 2, 1e-6);
  for (std::size_t v = 0; v < depth.size(); ++v)  // away from the gap nothing faces the skin
    if (std::abs(bars.positions[v].x) > 0.4f) {
      EXPECT_EQ(depth[v], 0) << v;
    }
}

TEST(NarrowGaps, TakeAQuarterOfThinFleshAtMost) {
  const Mesh bars = two_bars(0.02, 0.1);
  const auto [least, most] = depth_at_the_gap(bars, 0.02, depth_that_opens_gaps(bars, size));
  EXPECT_NEAR(least, 0.025, 1e-6);
  EXPECT_NEAR(most, 0.025, 1e-6);
}

TEST(NarrowGaps, WideOnesStay) {
  const std::vector<float> depth = depth_that_opens_gaps(two_bars(0.12, 0.5), size);
  EXPECT_EQ(*std::ranges::max_element(depth), 0);
}

// The tissue keeps the larger of two pieces: bars that had grown together would both be in it.
TEST(NarrowGaps, FleshDoesNotGrowTogetherThroughThem) {
  for (const double gap : {0.02, 0.05, 0.08}) {
    Body body;
    body.skeleton = make::make_limb({.vertices = 800}).value().skeleton;
    body.skin = body.closed_skin = two_bars(gap, 0.5);
    for (const double side : {-1.0, 1.0}) {
      Bone bone;
      bone.joint = 0;
      bone.surface = capsule_surface({{0.27 * side, 0.4, 1}, {0.27 * side, 1.6, 1}, 0.1});
      body.bones.push_back(std::move(bone));
    }
    TissueOptions options;
    options.element_size = size;
    const auto tissue = make_tissue(body, options);
    ASSERT_TRUE(tissue.ok()) << tissue.error().message();
    EXPECT_GT(tissue->dropped_elements, 1000u) << gap;
    // Corners of elements may reach into the gap, not into the other bar.
    double low = 0, high = 0;
    for (const Vec3d& node : tissue->mesh.nodes) low = std::min(low, node.x), high = std::max(high, node.x);
    EXPECT_LT(std::min(-low, high), 0.3 * size) << gap;
    EXPECT_GT(std::max(-low, high), 0.4) << gap;
  }
}

}  // namespace
}  // namespace supple::simulate
