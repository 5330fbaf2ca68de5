// Morph targets added to and taken from a character whose numbering is known.
#include "supple/rig/append_morphs.h"

#include <gtest/gtest.h>

#include "support/example_sets.h"

namespace supple {
namespace {

/// Two parts with one and two targets, a clip with a weight track for each, splines in the second.
Character two_parts() {
  Character c = test::bar();
  c.parts.push_back(c.parts[0]);
  c.parts[0].morphs = {{"a", {0}, {{1, 0, 0}}, {}, {}}};
  c.parts[1].morphs = {{"b", {1}, {{0, 1, 0}}, {}, {}}, {"c", {2}, {{0, 0, 1}}, {}, {}}};
  c.parts[1].first_morph_weight = 1;
  c.morph_weights = {0.1f, 0.2f, 0.3f};
  c.clips = {{"clip",
              {{Channel::morph_weights, Interpolation::linear, 0, 1, {0, 1}, {5, 6}},
               {Channel::morph_weights, Interpolation::cubic_spline, 1, 2, {0}, {1, 2, 3, 4, 5, 6}}}}};
  return c;
}

std::vector<MorphTarget> two_targets() {
  return {{"x", {3}, {{2, 0, 0}}, {{0, 0, 1}}, {}}, {"y", {4, 5}, {{0, 2, 0}, {0, 3, 0}}, {}, {}}};
}

TEST(AppendMorphs, NumbersMoveUpBehindThem) {
  Character c = two_parts();
  const std::size_t first = 0;
  const float rest[]{0.5f, 0.6f};
  EXPECT_EQ(append_morphs(c, std::span(&first, 1), two_targets(), rest), 1u);
  EXPECT_EQ(c.morph_weights, (std::vector<float>{0.1f, 0.5f, 0.6f, 0.2f, 0.3f}));
  EXPECT_EQ(c.parts[1].first_morph_weight, 3u);
  EXPECT_EQ(c.clips[0].tracks[0].values, (std::vector<float>{5, 0.5f, 0.6f, 6, 0.5f, 0.6f}));
  EXPECT_EQ(c.clips[0].tracks[1].target, 3u);
  EXPECT_TRUE(validate(c).ok());
}

TEST(AppendMorphs, SplinesGetNoSlope) {
  Character c = two_parts();
  const std::size_t second = 1;
  const float rest[]{0.5f, 0.6f};
  EXPECT_EQ(append_morphs(c, std::span(&second, 1), two_targets(), rest), 3u);
  EXPECT_EQ(c.clips[0].tracks[1].values, (std::vector<float>{1, 2, 0, 0, 3, 4, 0.5f, 0.6f, 5, 6, 0, 0}));
  EXPECT_TRUE(validate(c).ok());
}

TEST(AppendMorphs, DrivenOnesComeOutAgain) {
  const Character before = two_parts();
  Character c = before;
  const std::size_t first = 0;
  const float rest[]{0.5f, 0.25f};
  const std::uint32_t at = append_morphs(c, std::span(&first, 1), two_targets(), rest);
  MorphDriver driver;
  driver.joints = {1};
  driver.reference = {Quatf{}};
  driver.centres = {Quatf{}};
  driver.coefficients = {0, 0};
  driver.rest_weights = {0.5f, 0.25f};
  driver.first_weight = at;
  c.drivers = {driver};
  ASSERT_TRUE(validate(c).ok());
  remove_driven_morphs(c);
  ASSERT_TRUE(validate(c).ok());
  EXPECT_TRUE(c.drivers.empty());
  EXPECT_EQ(c.morph_weights, before.morph_weights);
  EXPECT_EQ(c.parts[1].first_morph_weight, 1u);
  EXPECT_EQ(c.parts[0].morphs.size(), 1u);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(c.clips[0].tracks[t].values, before.clips[0].tracks[t].values);
    EXPECT_EQ(c.clips[0].tracks[t].target, before.clips[0].tracks[t].target);
  }
  // The rest shape is what the targets made of it at their rest weights.
  EXPECT_EQ(c.parts[0].mesh.positions[3], before.parts[0].mesh.positions[3] + (Vec3f{1, 0, 0}));
  EXPECT_EQ(c.parts[0].mesh.positions[5], before.parts[0].mesh.positions[5] + (Vec3f{0, 0.75f, 0}));
}

}  // namespace
}  // namespace supple
