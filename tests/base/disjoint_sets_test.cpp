#include "supple/base/disjoint_sets.h"

#include <gtest/gtest.h>

#include "supple/base/rng.h"

namespace supple {
namespace {

TEST(DisjointSets, RootsAreTheSmallestMembersInAnyOrderOfJoins) {
  constexpr std::uint32_t count = 60;
  Rng rng(7);
  for (int round = 0; round < 20; ++round) {
    DisjointSets sets(count);
    std::vector<std::uint32_t> lowest(count);  // the same by painting over
    std::iota(lowest.begin(), lowest.end(), 0u);
    std::size_t joined = 0;
    for (int n = 0; n < 40; ++n) {
      const auto a = static_cast<std::uint32_t>(rng.below(count)), b = static_cast<std::uint32_t>(rng.below(count));
      const std::uint32_t keep = std::min(lowest[a], lowest[b]), gone = std::max(lowest[a], lowest[b]);
      joined += keep != gone ? 1 : 0;
      std::replace(lowest.begin(), lowest.end(), gone, keep);
      sets.join(a, b);
    }
    EXPECT_GT(joined, 20u);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(sets.root(i), lowest[i]);
  }
}

TEST(DisjointSets, GrowAndJoinUnderAChosenRoot) {
  DisjointSets sets(1);
  EXPECT_EQ(sets.add(), 1u);
  EXPECT_EQ(sets.add(), 2u);
  EXPECT_EQ(sets.add(), 3u);
  ASSERT_EQ(sets.size(), 4u);
  sets.join_roots(2, 1);
  sets.join_roots(3, 2);
  EXPECT_EQ(sets.root(0), 0u);
  for (std::uint32_t i = 1; i < 4; ++i) EXPECT_EQ(sets.root(i), 3u);
}

}  // namespace
}  // namespace supple
