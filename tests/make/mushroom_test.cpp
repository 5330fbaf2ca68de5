// The mushroom is a closed surface of revolution, the zero of its field, and moves with its stem alone.
#include "supple/make/mushroom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "supple/geometry/half_edges.h"
#include "supple/geometry/stuffing.h"

namespace supple::make {
namespace {

TEST(Mushroom, IsClosedAndOfTheAskedSize) {
  for (const std::size_t vertices : {50u, 200u, 1000u, 5000u, 20000u}) {
    const auto mushroom = make_mushroom({vertices});
    ASSERT_TRUE(mushroom.ok()) << mushroom.error().message();
    const Mesh& mesh = mushroom->parts[0].mesh;
    const Defects defects = find_defects(mesh.positions, mesh.triangles);
    EXPECT_TRUE(defects.closed());
    EXPECT_EQ(defects.degenerate_triangles, 0u);
    EXPECT_TRUE(HalfEdges::build(mesh.positions.size(), mesh.triangles).ok());
    EXPECT_EQ(2 * mesh.positions.size(), mesh.triangles.size() + 4);  // a sphere: V - E + F = 2
    EXPECT_NEAR(static_cast<double>(mesh.positions.size()) / static_cast<double>(vertices), 1,
                vertices < 200 ? 0.1 : 0.03);
    EXPECT_GT(enclosed_volume(mesh.positions, mesh.triangles), 0);
  }
}

// A wide cap on a stem, seen as the largest radius in slices of the height.
TEST(Mushroom, HasAStemAndAWideCap) {
  const auto mushroom = make_mushroom({20000});
  ASSERT_TRUE(mushroom.ok());
  const Mesh& mesh = mushroom->parts[0].mesh;
  const Box box = bounds(mesh.positions);
  EXPECT_EQ(box.low.y, 0);
  EXPECT_FLOAT_EQ(box.high.y, 0.3f);
  float rim_radius = 0, rim_height = 0;
  for (const Vec3f p : mesh.positions) {
    const float radius = std::hypot(p.x, p.z), fraction = p.y / 0.3f;
    if (fraction > 0.15f && fraction < 0.4f) {
      EXPECT_NEAR(radius, 0.03f, 0.004f);
    }
    if (radius > rim_radius) rim_radius = radius, rim_height = fraction;
  }
  EXPECT_NEAR(rim_radius, 0.12f, 0.01f);
  EXPECT_GT(rim_height, 0.55f);
  EXPECT_LT(rim_height, 0.75f);
}

TEST(Mushroom, IsASurfaceOfRevolution) {
  const auto mushroom = make_mushroom({});
  ASSERT_TRUE(mushroom.ok());
  const std::vector<Vec3f>& p = mushroom->parts[0].mesh.positions;
  // Rings follow one another; all vertices of a ring have one height and one radius.
  std::size_t around = 1;
  while (p[1 + around].y == p[1].y) ++around;
  ASSERT_EQ((p.size() - 2) % around, 0u);
  const float turn = 2 * std::numbers::pi_v<float> / static_cast<float>(around);
  for (std::size_t v = 1; v + 1 < p.size(); ++v) {
    const std::size_t next = (v - 1) % around + 1 < around ? v + 1 : v + 1 - around;
    const Vec3f turned = rotate(from_axis_angle(Vec3f{0, 1, 0}, turn), p[v]);
    EXPECT_LT(length(turned - p[next]), 1e-7f) << v;
  }
}

TEST(Mushroom, MeshLiesOnTheField) {
  const Solid solid = mushroom_field();
  const auto mushroom = make_mushroom({});
  ASSERT_TRUE(mushroom.ok());
  const Mesh& mesh = mushroom->parts[0].mesh;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vec3d p(mesh.positions[v]), n(mesh.normals[v]);
    EXPECT_NEAR(solid.field(p), 0, 1e-6) << v;
    // Normals of a mesh this coarse lean by some degrees; a sign would be off by far more.
    EXPECT_NEAR(solid.field(p + n * 0.002), 0.002, 4e-4) << v;
    EXPECT_NEAR(solid.field(p - n * 0.002), -0.002, 4e-4) << v;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_GE(p[axis], solid.box.low[axis] - 1e-7);
      EXPECT_LE(p[axis], solid.box.high[axis] + 1e-7);
    }
  }
  // A distance: never changes faster than one moves.
  for (double y = -0.05; y < 0.35; y += 0.011) {
    for (double x = 0; x < 0.15; x += 0.011) {
      const Vec3d a{x, y, 0.3 * x}, b{x + 0.004, y - 0.003, 0.3 * x};
      EXPECT_LE(std::abs(solid.field(a) - solid.field(b)), 0.005 + 1e-12);
    }
  }
}

TEST(Mushroom, CanBeFilledWithElements) {
  const Solid solid = mushroom_field();
  StuffingOptions options;
  options.box = solid.box;
  options.element_size = 0.02;
  const auto filled = stuff(solid.field, options);
  ASSERT_TRUE(filled.ok()) << filled.error().message();
  const auto fine = make_mushroom({20000});
  ASSERT_TRUE(fine.ok());
  const Mesh& mesh = fine->parts[0].mesh;
  // Elements of 2 cm cut corners of a body 24 cm wide: some percent.
  EXPECT_NEAR(quality(*filled).volume / enclosed_volume(mesh.positions, mesh.triangles), 1, 0.06);
}

TEST(Mushroom, IsBoundToTheStemAlone) {
  const auto mushroom = make_mushroom({});
  ASSERT_TRUE(mushroom.ok());
  const Skeleton& skeleton = mushroom->skeleton;
  ASSERT_EQ(skeleton.size(), 2u);
  const auto stem = skeleton.find("stem"), top = skeleton.find("top");
  ASSERT_TRUE(stem && top);
  EXPECT_EQ(skeleton.parent(*top), *stem);
  const auto world = to_world(skeleton, mushroom->rest());
  EXPECT_EQ(world[*stem].translation, (Vec3f{0, 0, 0}));
  EXPECT_EQ(world[*top].translation, (Vec3f{0, 0.3f, 0}));
  const Part& part = mushroom->parts[0];
  ASSERT_EQ(part.weights.vertices(), part.mesh.positions.size());
  for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
    ASSERT_EQ(part.weights.of(v).size(), 1u);
    EXPECT_EQ(mushroom->skins[0].joints[part.weights.of(v)[0].joint], *stem);
    EXPECT_EQ(part.weights.of(v)[0].weight, 1);
  }
}

TEST(Mushroom, ShakesInALoopAndStepsAside) {
  const auto mushroom = make_mushroom({});
  ASSERT_TRUE(mushroom.ok());
  const Clip* shake = mushroom->find_clip("shake");
  const Clip* step = mushroom->find_clip("step");
  ASSERT_TRUE(shake != nullptr && step != nullptr);
  EXPECT_FLOAT_EQ(shake->end(), 3);
  ASSERT_EQ(shake->tracks.size(), 2u);
  for (const Track& track : shake->tracks) {
    for (std::size_t i = 0; i < track.width; ++i) {
      EXPECT_EQ(track.values[i], track.values[track.values.size() - track.width + i]);
    }
  }
  const auto place = [&](const Clip& clip, double t) {
    return to_world(mushroom->skeleton, mushroom->at(clip, static_cast<float>(t)))[0].translation;
  };
  float farthest = 0;
  for (int i = 0; i < 60; ++i) farthest = std::max(farthest, length(place(*shake, i * 0.05)));
  EXPECT_GT(farthest, 0.03f);
  EXPECT_LT(farthest, 0.08f);

  EXPECT_FLOAT_EQ(step->end(), 2.15f);
  EXPECT_EQ(place(*step, 0), (Vec3f{0, 0, 0}));
  EXPECT_NEAR(place(*step, 0.075).x, 0.05, 0.002);  // half way after half the time, but for straight lines between keys
  for (const double t : {0.15, 0.2, 1.0, 2.15}) EXPECT_NEAR(place(*step, t).x, 0.1, 1e-6);
}

TEST(Mushroom, RefusesBadOptions) {
  for (const std::size_t vertices : {std::size_t{0}, std::size_t{49}, std::size_t{1000001}}) {
    const auto refused = make_mushroom({vertices});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().item, "vertices");
  }
  EXPECT_FALSE(make_mushroom({}, [](std::string_view, double) { return false; }).ok());
}

}  // namespace
}  // namespace supple::make
