#include "supple/deform/skin_batch.h"

#include <gtest/gtest.h>

#include "supple/make/limb.h"

namespace supple {
namespace {

/// Poses that turn all joints of a limb, each differently.
struct Poses {
  std::vector<Quatf> rotations;
  std::vector<Pose> each;
};

Poses bent(const Character& character, std::size_t count) {
  Poses poses;
  for (std::size_t p = 0; p < count; ++p) {
    Pose pose = character.rest();
    for (JointIndex j = 0; j < character.skeleton.size(); ++j) {
      const std::size_t dofs = character.skeleton.dofs(j).size();
      std::vector<float> angles;
      for (std::size_t d = 0; d < dofs; ++d) angles.push_back(0.1f * static_cast<float>((p + 2 * j + 3 * d) % 11));
      if (dofs > 0) set_angles(pose, character.skeleton, j, angles);
    }
    for (const Transformf& local : pose.local) poses.rotations.push_back(local.rotation);
    poses.each.push_back(std::move(pose));
  }
  return poses;
}

TEST(SkinBatch, IsThatOfOnePoseAfterTheOtherForAnyNumberOfThreads) {
  const Character limb = make::make_limb({}).value();
  constexpr std::size_t count = 7;  // no multiple of the threads
  const Poses poses = bent(limb, count);
  const std::size_t vertices = limb.parts[0].mesh.positions.size();
  auto skin = Skin::make(limb);
  ASSERT_TRUE(skin);
  for (const unsigned threads : {1u, 2u, 5u, 16u}) {
    auto batch = SkinBatch::make(limb, Blend::linear, {}, threads);
    ASSERT_TRUE(batch);
    std::vector<Vec3f> positions(count * vertices), normals(count * vertices);
    ASSERT_TRUE(batch->evaluate({count, poses.rotations, {}, {}, {}}, 0, positions, normals));
    for (std::size_t p = 0; p < count; ++p) {
      ASSERT_TRUE(skin->evaluate(poses.each[p]));
      const std::span<const Vec3f> wanted = skin->positions(0), turned = skin->normals(0);
      EXPECT_TRUE(
          std::equal(wanted.begin(), wanted.end(), positions.begin() + static_cast<std::ptrdiff_t>(p * vertices)));
      EXPECT_TRUE(
          std::equal(turned.begin(), turned.end(), normals.begin() + static_cast<std::ptrdiff_t>(p * vertices)));
    }
  }
}

TEST(SkinBatch, ArraysThatAreLeftOutAreThoseOfTheRestPoseAlsoInTheNextCall) {
  const Character limb = make::make_limb({}).value();
  auto batch = SkinBatch::make(limb, Blend::linear, {}, 2);
  ASSERT_TRUE(batch);
  const std::size_t joints = limb.skeleton.size(), vertices = limb.parts[0].mesh.positions.size();
  std::vector<Vec3f> moved(3 * joints, Vec3f{0, 5, 0}), positions(3 * vertices), again(3 * vertices);
  ASSERT_TRUE(batch->evaluate({3, {}, moved, {}, {}}, 0, positions));
  ASSERT_TRUE(batch->evaluate({3, {}, {}, {}, {}}, 0, again));
  auto skin = Skin::make(limb);
  ASSERT_TRUE(skin && skin->evaluate(limb.rest()));
  EXPECT_EQ(again[vertices], skin->positions(0)[0]);
  EXPECT_NE(positions[vertices], again[vertices]);
}

TEST(SkinBatch, SaysWhichArrayHasTheWrongSize) {
  const Character limb = make::make_limb({}).value();
  auto batch = SkinBatch::make(limb);
  ASSERT_TRUE(batch);
  std::vector<Vec3f> positions(2 * limb.parts[0].mesh.positions.size());
  std::vector<Quatf> rotations(2 * limb.skeleton.size() - 1);
  EXPECT_EQ(batch->evaluate({2, rotations, {}, {}, {}}, 0, positions).error().item, "rotations");
  EXPECT_EQ(batch->evaluate({3, {}, {}, {}, {}}, 0, positions).error().item, "positions");
  EXPECT_EQ(batch->evaluate({2, {}, {}, {}, {}}, 9, positions).error().item, "part 9");
  EXPECT_TRUE(batch->evaluate({0, {}, {}, {}, {}}, 0, {}));
}

}  // namespace
}  // namespace supple
