// Displacements recovered from examples that were made by skinning a shape changed on purpose.
#include "supple/author/learn/displacements.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/deform/skin.h"
#include "support/example_sets.h"

namespace supple::learn {
namespace {

/// Skins the character's part with its rest shape changed by `offsets`, in poses of the elbow.
ExampleSet made_set(const Character& character, std::span<const Vec3f> offsets, std::span<const float> angles) {
  Character changed = character;
  for (std::size_t v = 0; v < offsets.size(); ++v) changed.parts[0].mesh.positions[v] += offsets[v];
  auto skin = Skin::make(changed).value();
  ExampleSet set = test::bar_examples();
  set.examples.clear();
  std::vector<Quatf> rotations;
  std::vector<Vec3f> positions, normals;
  for (const float angle : angles) {
    Pose pose = rest_pose(character.skeleton);
    set_angles(pose, character.skeleton, 1, std::span(&angle, 1));
    EXPECT_TRUE(skin.evaluate(pose).ok());
    set.examples.push_back({"bent " + std::to_string(angle), "", Role::train, {}, 1, 0, {}});
    for (const Transformf& t : pose.local) rotations.push_back(t.rotation);
    positions.insert(positions.end(), skin.positions().begin(), skin.positions().end());
    normals.insert(normals.end(), skin.normals().begin(), skin.normals().end());
  }
  set.rotations = std::move(rotations);
  set.positions = std::move(positions);
  set.normals = std::move(normals);
  return set;
}

Character half_and_half(float share) {
  Character c = test::bar();
  SkinWeights weights;
  for (std::size_t v = 0; v < 8; ++v) {
    const Influence both[]{{0, share}, {1, 1 - share}};
    weights.push_vertex(both);
  }
  c.parts[0].weights = weights;
  return c;
}

TEST(Displacements, AreWhatTheRestShapeWasChangedBy) {
  const Character c = half_and_half(0.6f);
  std::vector<Vec3f> offsets;
  for (int v = 0; v < 8; ++v) offsets.push_back({0.01f * static_cast<float>(v), -0.02f, 0.005f});
  const float angles[]{0.3f, 0.9f, 1.6f};
  const ExampleSet set = made_set(c, offsets, angles);
  const std::size_t chosen[]{0, 1, 2};
  const auto found = rest_displacements(set, c, 0, chosen);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_TRUE(found->singular.empty());
  for (std::size_t e = 0; e < 3; ++e) {
    for (std::size_t v = 0; v < 8; ++v) {
      EXPECT_LT(length(found->positions_of(e)[v] - offsets[v]), 3e-6f);  // float positions of a body of 2 m
      EXPECT_LT(length(found->normals_of(e)[v]), 3e-6f);                 // its normals were not changed
    }
  }
}

// Half a turn between two joints of equal weight blends to a flat matrix, which nothing can undo.
TEST(Displacements, SingularBlendsAreReportedAndLeftOut) {
  const Character c = half_and_half(0.5f);
  const std::vector<Vec3f> offsets(8, Vec3f{0.01f, 0, 0});
  const float angles[]{0.2f, std::numbers::pi_v<float>};
  const ExampleSet set = made_set(c, offsets, angles);
  const std::size_t chosen[]{0, 1};
  const auto found = rest_displacements(set, c, 0, chosen);
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_EQ(found->singular.size(), 8u);
  EXPECT_EQ(found->singular[0].example, 1u);
  for (const Vec3f u : found->positions_of(1)) EXPECT_EQ(u, Vec3f{});
}

TEST(Displacements, ASetOfAnotherCharacterIsRefused) {
  Character other = test::bar();
  other.parts[0].mesh.positions[3].x += 0.5f;
  const std::size_t chosen[]{0};
  EXPECT_FALSE(rest_displacements(test::bar_examples(), other, 0, chosen).ok());
}

}  // namespace
}  // namespace supple::learn
