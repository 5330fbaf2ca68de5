// The limb is a closed cylinder with the asked number of vertices, bound to its chain.
#include "supple/make/limb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/geometry/half_edges.h"

namespace supple::make {
namespace {

TEST(Limb, IsAClosedCylinder) {
  for (const std::size_t vertices : {50u, 200u, 1000u, 2000u, 20000u}) {
    LimbOptions options;
    options.vertices = vertices;
    const auto limb = make_limb(options);
    ASSERT_TRUE(limb.ok()) << limb.error().message();
    const Mesh& mesh = limb->parts[0].mesh;
    EXPECT_TRUE(find_defects(mesh.positions, mesh.triangles).closed());
    EXPECT_TRUE(HalfEdges::build(mesh.positions.size(), mesh.triangles).ok());
    const double count = static_cast<double>(mesh.positions.size());
    EXPECT_NEAR(count / static_cast<double>(vertices), 1, vertices < 200 ? 0.1 : 0.03);
    // A prism inscribed in the cylinder misses 1 - sin(a) / a of its volume, a = 2 pi / n; n >= 6.
    const double volume = std::numbers::pi * 0.05 * 0.05 * 0.6;
    const double got = enclosed_volume(mesh.positions, mesh.triangles);
    EXPECT_LT(got, volume * 1.0001);
    EXPECT_GT(got, volume * (vertices < 200 ? 0.82 : 0.9));
  }
}

TEST(Limb, JointsAreEvenlySpacedAndWeightsFollowThem) {
  LimbOptions options;
  options.joints = 4;
  options.length = 0.8;
  const auto limb = make_limb(options);
  ASSERT_TRUE(limb.ok());
  ASSERT_EQ(limb->skeleton.size(), 4u);
  const auto world = to_world(limb->skeleton, limb->rest());
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(world[j].translation.y, 0.2 * static_cast<double>(j), 1e-6);
  const Part& part = limb->parts[0];
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    float sum = 0;
    for (const Influence& i : part.weights.of(v)) sum += i.weight;
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_LE(part.weights.of(v).size(), 4u);
    // In the middle of a bone its own joint dominates.
    const double y = part.mesh.positions[v].y / 0.2;
    if (std::abs(y - std::floor(y) - 0.5) < 0.2) {
      EXPECT_EQ(part.weights.of(v)[0].joint, static_cast<std::uint32_t>(std::floor(y)));
    }
  }
}

TEST(Limb, BendsAndReturns) {
  const auto limb = make_limb({});
  ASSERT_TRUE(limb.ok());
  const Clip* clip = limb->find_clip("bend");
  ASSERT_NE(clip, nullptr);
  const auto tip = [&](float t) { return to_world(limb->skeleton, limb->at(*clip, t)).back().point({0, 0.2f, 0}); };
  EXPECT_NEAR(length(tip(0) - Vec3f{0, 0.6f, 0}), 0, 1e-5);
  EXPECT_NEAR(length(tip(clip->end()) - Vec3f{0, 0.6f, 0}), 0, 1e-5);
  // Two joints of 60 degrees each: 0.2 up, 0.2 at 60, 0.2 at 120 degrees.
  const double s = std::sqrt(3.0) / 2;
  EXPECT_NEAR(tip(1).y, 0.2 + 0.1 - 0.1, 1e-4);
  EXPECT_NEAR(std::abs(tip(1).z), 0.4 * s, 1e-4);
}

TEST(Limb, RefusesBadOptions) {
  const auto with = [](auto change) {
    LimbOptions options;
    change(options);
    return make_limb(options).ok();
  };
  EXPECT_FALSE(with([](LimbOptions& o) { o.length = 0; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.length = NAN; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.radius = -1; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.joints = 0; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.joints = 101; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.vertices = 0; }));
  EXPECT_FALSE(with([](LimbOptions& o) { o.vertices = 1000000000; }));
  EXPECT_TRUE(with([](LimbOptions& o) { o.joints = 1; }));
  EXPECT_TRUE(with([](LimbOptions& o) { o.radius = 1; }));
}

}  // namespace
}  // namespace supple::make
