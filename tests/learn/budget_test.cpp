// Who gets modes when vertices are crowded.
#include "supple/author/learn/budget.h"

#include <gtest/gtest.h>

#include "supple/author/learn/support.h"

namespace supple::learn {
namespace {

const std::vector<std::uint32_t> left{0, 1}, right{1, 2};
const std::vector<double> strong{10, 6, 1}, weak{5, 4, 3};

TEST(Budget, GreedyTakesTheLargestThatFits) {
  std::vector<std::uint32_t> used(3, 0);
  std::vector<std::size_t> order;
  const std::vector<Claim> claims{{left, strong}, {right, weak}};
  EXPECT_EQ(allocate(claims, {3, std::size_t(-1), std::size_t(-1)}, Allocation::greedy, used, &order),
            (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 0, 1}));
  EXPECT_EQ(used, (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST(Budget, EqualGivesAllTheSame) {
  std::vector<std::uint32_t> used(3, 0);
  const std::vector<Claim> claims{{left, strong}, {right, weak}};
  EXPECT_EQ(allocate(claims, {5, std::size_t(-1), std::size_t(-1)}, Allocation::equal, used),
            (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(used, (std::vector<std::uint32_t>{2, 4, 2}));
}

TEST(Budget, LimitsPerClaimAndInAll) {
  const std::vector<Claim> claims{{left, strong}, {right, weak}};
  std::vector<std::uint32_t> used(3, 0);
  EXPECT_EQ(allocate(claims, {100, 4, std::size_t(-1)}, Allocation::faded, used), (std::vector<std::size_t>{2, 2}));
  used.assign(3, 0);
  EXPECT_EQ(allocate(claims, {1, std::size_t(-1), 2}, Allocation::faded, used), (std::vector<std::size_t>{2, 2}));
  used = {0, 1, 0};  // taken already
  EXPECT_EQ(allocate(claims, {1, std::size_t(-1), 2}, Allocation::greedy, used), (std::vector<std::size_t>{0, 0}));
}

TEST(Support, HardAndMasked) {
  // A strip of points whose displacements fall off by tenths.
  std::vector<Triangle> triangles;
  for (std::uint32_t v = 0; v + 2 < 12; ++v) triangles.push_back({v, v + 1, v + 2});
  const Adjacency neighbours = vertex_neighbours(12, triangles);
  std::vector<std::uint32_t> self(12);
  std::vector<float> sizes(12);
  for (std::uint32_t v = 0; v < 12; ++v) self[v] = v, sizes[v] = std::max(0.0f, 1 - 0.1f * static_cast<float>(v));
  const Support hard = support_of(sizes, 1, neighbours, self, {0.35, true});
  EXPECT_EQ(hard.vertices, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(hard.mask, std::vector<float>(7, 1.0f));
  const Support soft = support_of(sizes, 1, neighbours, self, {0.2, false});
  EXPECT_EQ(soft.vertices.size(), 9u);  // not below half of the threshold, also after smoothing
  EXPECT_EQ(soft.mask[0], 1);
  for (std::size_t i = 1; i < soft.mask.size(); ++i) EXPECT_LE(soft.mask[i], soft.mask[i - 1]);
  EXPECT_LT(soft.mask.back(), 0.5f);
  EXPECT_TRUE(support_of(std::vector<float>(12, 0.0f), 0, neighbours, self, {}).vertices.empty());
}

}  // namespace
}  // namespace supple::learn
