// How skin weights are packed: rows of blocks, lists of vertices, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "supple/base/rng.h"
#include "supple/deform/skinning/table.h"

namespace supple {
namespace {

TEST(SkinTable, ABlockHasARowForEveryJointOfItsVertices) {
  Rng rng(4);
  SkinWeights weights;
  for (int v = 0; v < 50; ++v) {
    std::vector<Influence> row(1 + rng.below(3));
    for (Influence& i : row) i = {rng.below(5), static_cast<float>(rng.uniform(0.01, 1))};
    weights.push_vertex(row);
  }
  clean(weights, 5);
  const SkinTable t = build_skin_table(weights, 5).value();
  ASSERT_EQ(t.block_rows.size(), 5u);  // 50 vertices: three blocks and two vertices
  ASSERT_EQ(t.runs.size(), 1u);
  EXPECT_EQ(t.runs[0].influences, 0u);
  EXPECT_TRUE(t.joints.empty());
  for (std::uint32_t block = 0; block < 4; ++block) {
    for (std::uint32_t v = 16 * block; v < 16 * block + 16; ++v) {
      std::size_t found = 0;
      for (std::uint32_t row = t.block_rows[block]; row < t.block_rows[block + 1]; ++row) {
        if (row > t.block_rows[block]) {
          EXPECT_LT(t.block_joints[row - 1], t.block_joints[row]);
        }
        const float weight = t.block_weights[row].weights[v % 16];
        if (weight == 0) continue;
        ++found;
        ASSERT_LT(v, 50u) << "a vertex beyond the last has a weight";
        EXPECT_TRUE(t.block_quarters[row] >> v % 16 / 4 & 1);
        const std::span<const Influence> own = weights.of(v);
        EXPECT_NE(std::find(own.begin(), own.end(), Influence{t.block_joints[row], weight}), own.end());
      }
      EXPECT_EQ(found, v < 50 ? weights.of(v).size() : 0);
    }
  }
}

SkinWeights with_joints_in_second_block(std::uint32_t joints) {
  SkinWeights weights;
  for (std::uint32_t v = 0; v < 48; ++v) {
    const Influence own[] = {{v / 16 == 1 ? 2 + v % joints : 0, 0.75f}, {1, 0.25f}};
    weights.push_vertex(own);
  }
  return weights;
}

TEST(SkinTable, OneCrowdedBlockDoesNotPartTheMesh) {
  const SkinTable t = build_skin_table(with_joints_in_second_block(16), 64).value();
  ASSERT_EQ(t.runs.size(), 1u);
  EXPECT_EQ(t.runs[0].influences, 0u);
  EXPECT_EQ(t.block_rows, (std::vector<std::uint32_t>{0, 2, 19, 21}));
}

TEST(SkinTable, WhereBlocksFollowManyJointsAllVerticesHaveLists) {
  SkinWeights weights;
  for (std::uint32_t v = 0; v < 48; ++v) {
    const Influence own[] = {{v, 0.75f}, {63, 0.25f}};  // 17 joints in every block
    weights.push_vertex(own);
  }
  const SkinTable t = build_skin_table(weights, 64).value();
  ASSERT_EQ(t.runs.size(), 1u);
  EXPECT_EQ(t.runs[0].influences, 2u);
  EXPECT_EQ(t.joints.size(), 96u);
}

TEST(SkinTable, RefusesWhatIsOutOfRangeOrNotNormalised) {
  SkinWeights weights;
  const Influence good{0, 1}, bad_joint{5, 1}, half{0, 0.5f};
  weights.push_vertex({&good, 1});
  weights.push_vertex({&bad_joint, 1});
  EXPECT_NE(build_skin_table(weights, 2).error().message().find("vertex 1"), std::string::npos);
  SkinWeights light;
  light.push_vertex({&half, 1});
  EXPECT_FALSE(build_skin_table(light, 2));
  EXPECT_FALSE(build_skin_table(light, 0));
  EXPECT_FALSE(build_skin_table(light, 70000));
}

}  // namespace
}  // namespace supple
