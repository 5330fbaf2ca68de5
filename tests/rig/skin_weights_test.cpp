#include "supple/rig/skin_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace supple {
namespace {

SkinWeights weights_of(std::vector<std::vector<Influence>> rows) {
  SkinWeights w;
  for (const auto& row : rows) w.push_vertex(row);
  return w;
}

TEST(SkinWeights, CleaningCountsWhatItMends) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  SkinWeights w = weights_of({{{0, 0.5f}, {1, 0.5f}},               // fine
                              {},                                   // nothing
                              {{0, 0}, {1, 0}},                     // zero
                              {{0, 1.2f}, {1, -0.2f}},              // negative, then not normalised
                              {{2, 1}, {3, nan}},                   // not finite
                              {{0, 0.25f}, {0, 0.25f}, {1, 0.5f}},  // twice the same joint
                              {{0, 2}, {1, 2}},                     // sum 4
                              {{9, 1}, {1, 1}}});                   // no such joint
  const WeightRepairs r = clean(w, 4, 1);
  EXPECT_EQ(r.zero, 2u);
  EXPECT_EQ(r.first_zero, 1u);
  EXPECT_EQ(r.negative, 1u);
  EXPECT_EQ(r.not_finite, 1u);
  EXPECT_EQ(r.duplicate_joint, 1u);
  EXPECT_EQ(r.joint_out_of_range, 1u);
  EXPECT_EQ(r.not_normalized, 2u);
  EXPECT_EQ(r.worst_sum, 4);
  EXPECT_EQ(r.describe().size(), 6u);
  ASSERT_EQ(w.vertices(), 8u);
  for (std::size_t v = 0; v < w.vertices(); ++v) {
    double sum = 0;
    for (std::size_t i = 0; i < w.of(v).size(); ++i) {
      sum += w.of(v)[i].weight;
      EXPECT_LE(w.of(v)[i].weight, w.of(v)[i > 0 ? i - 1 : 0].weight) << "heaviest first";
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_EQ(w.of(1)[0].joint, 1u);
  EXPECT_EQ(w.max_influences(), 2u);
}

TEST(SkinWeights, TopInfluencesAreContinuousWhereRanksSwap) {
  // As s passes 0.1 the third and fourth joint change rank. Truncation would jump; subtraction must not.
  const auto third_joint = [](float s) {
    SkinWeights w = weights_of({{{0, 0.5f}, {1, 0.3f}, {2, s}, {3, 0.2f - s}}});
    clean(w, 4);
    const SkinWeights top = top_influences(w, 3);
    for (const Influence& i : top.of(0)) {
      if (i.joint == 2) return i.weight;
    }
    return 0.0f;
  };
  EXPECT_NEAR(third_joint(0.0999f), 0, 1e-3);
  EXPECT_NEAR(third_joint(0.1001f), 0, 1e-3);
  EXPECT_GT(third_joint(0.15f), 0.05f);
}

TEST(SkinWeights, TopInfluencesKeepWhatFits) {
  const SkinWeights w = weights_of({{{0, 0.6f}, {1, 0.4f}}, {{0, 0.25f}, {1, 0.25f}, {2, 0.25f}, {3, 0.25f}}});
  const SkinWeights top = top_influences(w, 2);
  EXPECT_TRUE(std::equal(top.of(0).begin(), top.of(0).end(), w.of(0).begin()));
  ASSERT_EQ(top.of(1).size(), 2u);
  EXPECT_FLOAT_EQ(top.of(1)[0].weight, 0.5f);
}

}  // namespace
}  // namespace supple
