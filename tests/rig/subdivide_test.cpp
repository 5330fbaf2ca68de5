// What a part carries through subdivision: weights, texture coordinates, morph targets, and what tells points apart.
#include "supple/rig/subdivide.h"

#include <gtest/gtest.h>

#include "supple/geometry/topology.h"
#include "support/example_sets.h"

namespace supple {
namespace {

/// Two squares side by side in the xy plane that meet at x = 1, where every vertex is there twice; four joints' weights
/// are linear in x and y, so is the target's offset. Subdivision must keep it so in the middle.
Part strip(std::uint32_t n) {
  Part part;
  part.name = "strip";
  part.skin = 0;
  MorphTarget bulge;
  bulge.name = "bulge";
  for (std::uint32_t side = 0; side < 2; ++side) {
    const auto first = static_cast<std::uint32_t>(part.mesh.positions.size());
    for (std::uint32_t j = 0; j <= n; ++j) {
      for (std::uint32_t i = 0; i <= n; ++i) {
        const float x = static_cast<float>(side) + static_cast<float>(i) / static_cast<float>(n),
                    y = static_cast<float>(j) / static_cast<float>(n);
        part.mesh.positions.push_back({x, y, 0});
        part.texcoords.push_back({x + static_cast<float>(side), y});
        const Influence all[]{{0, 1 - x / 2}, {1, x / 2}};
        part.weights.push_vertex(all);
        bulge.positions.push_back({0, 0, x + 2 * y});
      }
    }
    const auto at = [&](std::uint32_t i, std::uint32_t j) { return first + j * (n + 1) + i; };
    for (std::uint32_t j = 0; j < n; ++j) {
      for (std::uint32_t i = 0; i < n; ++i) {
        part.mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        part.mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    }
  }
  clean(part.weights, 2);
  part.morphs.push_back(std::move(bulge));
  part.mesh.normals.assign(part.mesh.positions.size(), {0, 0, 1});
  return part;
}

bool inside(Vec3f p, float margin) { return p.x > margin && p.x < 2 - margin && p.y > margin && p.y < 1 - margin; }

float weight_of(const Part& part, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& i : part.weights.of(vertex))
    if (i.joint == joint) return i.weight;
  return 0;
}

TEST(SubdividePart, LinearWeightsAndOffsetsStayLinear) {
  Part part = strip(6);
  ASSERT_TRUE(subdivide(part));
  ASSERT_TRUE(subdivide(part));
  EXPECT_EQ(part.mesh.triangles.size(), 16u * 144);
  EXPECT_EQ(part.weights.vertices(), part.mesh.positions.size());
  EXPECT_EQ(part.mesh.normals.size(), part.mesh.positions.size());
  EXPECT_EQ(part.texcoords.size(), part.mesh.positions.size());
  std::size_t checked = 0;
  for (std::size_t v = 0; v < part.mesh.positions.size(); ++v) {
    const Vec3f p = part.mesh.positions[v];
    EXPECT_NEAR(part.mesh.normals[v].z, 1, 1e-6);
    if (!inside(p, 0.3f)) continue;  // the rim's curve moves what lies near it
    EXPECT_NEAR(weight_of(part, v, 1), p.x / 2, 1e-5);
    EXPECT_NEAR(part.morphs[0].positions[v].z, p.x + 2 * p.y, 1e-5);
    // Both sides of the seam keep their own texture coordinates.
    const float u = part.texcoords[v][0];
    EXPECT_LT(std::min(std::abs(u - p.x), std::abs(u - p.x - 1)), 1e-5f);
    ++checked;
  }
  EXPECT_GT(checked, 100u);
  // The seam: vertices at x = 1 are still there twice, and together.
  const Weld points = weld(part.mesh.positions);
  EXPECT_EQ(part.mesh.positions.size() - points.points(), 6u * 4 + 1);
}

TEST(SubdividePart, TargetsThatMoveFewVerticesStillDo) {
  Part part = strip(8);
  MorphTarget& few = part.morphs[0];
  few.vertices = {20, 21};
  few.positions = {{0, 0, 1}, {0, 0, 1}};
  few.normals = {{0.5f, 0, 0}, {0.5f, 0, 0}};
  Part dense = part;
  dense.morphs[0].vertices.clear();
  for (std::vector<Vec3f>* offsets : {&dense.morphs[0].positions, &dense.morphs[0].normals}) {
    const std::vector<Vec3f> two = *offsets;
    offsets->assign(part.mesh.positions.size(), {});
    (*offsets)[20] = two[0];
    (*offsets)[21] = two[1];
  }
  ASSERT_TRUE(subdivide(part));
  ASSERT_TRUE(subdivide(dense));
  EXPECT_TRUE(dense.morphs[0].vertices.empty());
  EXPECT_LT(few.vertices.size(), 40u);
  EXPECT_TRUE(std::is_sorted(few.vertices.begin(), few.vertices.end()));
  std::vector<Vec3f> spread(part.mesh.positions.size()), spread_normals = spread;
  for (std::size_t i = 0; i < few.vertices.size(); ++i) {
    spread[few.vertices[i]] = few.positions[i];
    spread_normals[few.vertices[i]] = few.normals[i];
  }
  EXPECT_EQ(spread, dense.morphs[0].positions);
  EXPECT_EQ(spread_normals, dense.morphs[0].normals);
}

TEST(SubdividePart, ClosedLipsDoNotGrowTogether) {
  // The right square follows another joint: what coincides at x = 1 is two rims, not a seam.
  const auto tear = [](Part part, auto&& change) {
    for (std::size_t v = part.mesh.positions.size() / 2; v < part.mesh.positions.size(); ++v) change(part, v);
    EXPECT_TRUE(subdivide(part));
    return part;
  };
  const std::size_t half = 49, middle = 3 * 7 + 6;  // left square's vertex at (1, 0.5)
  const Part joined = tear(strip(6), [](Part&, std::size_t) {});
  const Part by_weight = tear(strip(6), [](Part& p, std::size_t v) {
    for (std::uint32_t i = p.weights.first[v]; i < p.weights.first[v + 1]; ++i)
      p.weights.entries[i].joint = 2 + p.weights.entries[i].joint;
  });
  const Part by_target = tear(strip(6), [](Part& p, std::size_t v) { p.morphs[0].positions[v].z = -1; });
  const auto opens = [&](const Part& p) {
    return length(p.morphs[0].positions[middle] - p.morphs[0].positions[middle - 6 + half]);
  };
  EXPECT_EQ(opens(joined), 0);
  EXPECT_GT(opens(by_target), 1.0f);
  EXPECT_EQ(weight_of(joined, middle, 2), 0);
  EXPECT_NEAR(weight_of(by_weight, middle, 0) + weight_of(by_weight, middle, 1), 1, 1e-6);
  EXPECT_NEAR(weight_of(by_weight, middle - 6 + half, 2) + weight_of(by_weight, middle - 6 + half, 3), 1, 1e-6);
  // Both rims are the same straight curve: nothing gapes at rest.
  for (const Part* p : {&by_weight, &by_target})
    EXPECT_EQ(p->mesh.positions[middle], p->mesh.positions[middle - 6 + half]);
}

TEST(SubdividePart, InfluencesStayAtFour) {
  Character bar = test::bar();
  Part& part = bar.parts[0];
  for (std::uint32_t v = 0; v < 8; ++v) part.weights.entries[v].joint = v;  // eight joints, one for each corner
  for (int level = 0; level < 3; ++level) {
    ASSERT_TRUE(subdivide(part));
    EXPECT_LE(part.weights.max_influences(), 4u);
    for (std::size_t v = 0; v < part.weights.vertices(); ++v) {
      double sum = 0;
      for (const Influence& i : part.weights.of(v)) sum += double{i.weight};
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST(SubdividePart, TangentsGoWithAWarning) {
  Part part = strip(2);
  part.tangents.assign(part.mesh.positions.size(), {1, 0, 0, 1});
  part.morphs[0].tangents.assign(part.mesh.positions.size(), {});
  Warnings warnings;
  ASSERT_TRUE(subdivide(part, &warnings));
  EXPECT_TRUE(part.tangents.empty());
  EXPECT_TRUE(part.morphs[0].tangents.empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("strip"), std::string::npos) << warnings[0];
}

TEST(SubdividePart, PartsThatDoNotFitAreNamed) {
  const auto refuses = [](Part part, const std::string& word) {
    const auto result = subdivide(part);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("strip"), std::string::npos) << result.error().message();
    EXPECT_NE(result.error().message().find(word), std::string::npos) << result.error().message();
  };
  Part part = strip(2);
  part.mesh.triangles[3][1] = 99;
  refuses(part, "triangle 3");
  part = strip(2);
  part.texcoords.pop_back();
  refuses(part, "texture");
  part = strip(2);
  part.weights.push_vertex({});
  refuses(part, "weights");
  part = strip(2);
  part.morphs[0].vertices = {500};
  refuses(part, "bulge");
}

}  // namespace
}  // namespace supple
