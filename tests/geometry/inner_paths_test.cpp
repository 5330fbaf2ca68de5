// Ways inside a body, and what is inside.
#include "supple/geometry/inner_paths.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace supple::test {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();

void append(Mesh& mesh, const Mesh& more) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  mesh.positions.insert(mesh.positions.end(), more.positions.begin(), more.positions.end());
  for (const Triangle& t : more.triangles) mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

TEST(WindingField, CountsHowOftenAPlaceIsSurrounded) {
  Mesh mesh = sphere(1, 24, 32);
  append(mesh, sphere(1, 24, 32, {1, 0, 0}));
  const WindingField field(mesh.positions, mesh.triangles);
  // Dipoles stand for what is at least 2.5 radii away: 0.02 off at most.
  EXPECT_NEAR(field.at({-0.5f, 0, 0}), 1, 0.02);
  EXPECT_NEAR(field.at({0.5f, 0.1f, 0}), 2, 0.02);
  EXPECT_NEAR(field.at({3, 0.2f, 0.1f}), 0, 0.02);
  EXPECT_EQ(WindingField({}, {}).at({0, 0, 0}), 0);
}

TEST(WindingField, AHoleLeavesAFractionOfTheSolidAngle) {
  // Half a ball, seen from the middle of the hole that the other half left: half of all directions.
  Mesh half = sphere(1, 40, 60);
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return half.positions[t[0]].y + half.positions[t[1]].y + half.positions[t[2]].y > 0;
  });
  const WindingField field(half.positions, half.triangles);
  EXPECT_NEAR(field.at({0, 0, 0}), 0.5, 0.03);  // the rim is a ring of triangles
  EXPECT_GT(field.at({0, -0.5f, 0}), 0.6);
  EXPECT_LT(field.at({0, 0.5f, 0}), 0.4);
}

/// Two plates, one over the other, 2 mm apart and joined at the end x = 0.
Mesh hairpin() {
  Mesh mesh;
  const float outline[8][2] = {{0, -0.021f},    {1, -0.021f}, {1, -0.001f}, {0.02f, -0.001f},
                               {0.02f, 0.001f}, {1, 0.001f},  {1, 0.021f},  {0, 0.021f}};
  for (const float z : {0.0f, 0.1f})
    for (const auto& corner : outline) mesh.positions.push_back({corner[0], corner[1], z});
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t next = (i + 1) % 8;
    mesh.triangles.push_back({i, next, next + 8});
    mesh.triangles.push_back({i, next + 8, i + 8});
  }
  for (const Triangle& t : {Triangle{0, 3, 1}, {1, 3, 2}, {0, 4, 3}, {0, 7, 4}, {4, 7, 5}, {5, 7, 6}}) {
    mesh.triangles.push_back(t);
    mesh.triangles.push_back({t[0] + 8, t[2] + 8, t[1] + 8});
  }
  return mesh;
}

TEST(InnerPaths, NeverCrossAGapHoweverThin) {
  const Mesh mesh = hairpin();
  ASSERT_TRUE(find_defects(mesh.positions, mesh.triangles).closed());
  ASSERT_GT(enclosed_volume(mesh.positions, mesh.triangles), 0);
  // Cells are 8 mm: both plates have places inside, and the gap is a quarter of a cell.
  const InnerPaths paths(mesh.positions, mesh.triangles);
  EXPECT_TRUE(paths.inside({0.5f, 0.01f, 0.05f}));
  EXPECT_FALSE(paths.inside({0.5f, 0, 0.05f}));
  const std::vector<Vec3f> source{{0.98f, 0.01f, 0.05f}};
  const std::vector<float> way = paths.distances(source);
  EXPECT_LT(way[6], 0.07f);                  // the end of its own plate
  EXPECT_GT(way[1], 1.9f);                   // that of the other: there and back
  EXPECT_LT(way[1], 1.96f * 1.13f + 0.05f);  // longer by the lattice's detours at most
  EXPECT_EQ(paths.distances(source, 1.5f)[1], never);
}

TEST(InnerPaths, AreStraightLinesUpToTheLattice) {
  const Mesh ball = sphere(1, 24, 32);
  const InnerPaths paths(ball.positions, ball.triangles, 40);
  const std::vector<Vec3f> source{{0.3f, 0.2f, -0.1f}};
  const std::vector<float> way = paths.distances(source);
  for (std::size_t v = 0; v < way.size(); ++v) {
    const float straight = length(ball.positions[v] - source[0]);
    EXPECT_GE(way[v], straight * 0.9999f);
    EXPECT_LE(way[v], straight * InnerPaths::detour + 2 * paths.cell());  // and the steps onto it and off it
  }
}

TEST(InnerPaths, PartsThatOverlapAreOneBodyAndOthersAreNotReached) {
  Mesh mesh = sphere(1, 16, 24);
  Mesh second = sphere(1, 16, 24, {1.5, 0, 0});
  for (Triangle& t : second.triangles) std::swap(t[0], t[1]);  // inside out
  append(mesh, second);
  append(mesh, sphere(0.2, 8, 12, {4, 0, 0}));
  const InnerPaths paths(mesh.positions, mesh.triangles, 60);
  const std::vector<float> way = paths.distances(std::vector<Vec3f>{{-0.5f, 0, 0}});
  const std::size_t each = mesh.positions.size();
  for (std::size_t v = 0; v < each; ++v) EXPECT_EQ(way[v] == never, mesh.positions[v].x > 3) << v;
}

}  // namespace
}  // namespace supple::test
