// The whole evaluation of a character: morphs, several kinds of parts, and baking.
#include "supple/deform/skin.h"

#include <gtest/gtest.h>

#include <numbers>

#include "supple/deform/posed_surfaces.h"
#include "support/shapes.h"

namespace supple {
namespace {

/// Joint "arm" at (1, 0, 0); a box skinned to it, and a rigid box on node "plate" that mirrors x.
Character two_boxes() {
  Character c;
  const std::vector<RawJoint> joints{{"root", std::nullopt, {}, {}},
                                     {"arm", 0, {{1, 0, 0}, {}, {1, 1, 1}}, {}},
                                     {"plate", 0, {{0, 5, 0}, {}, {-1, 1, 1}}, {}}};
  c.skeleton = build_skeleton(joints).value().skeleton;
  c.skins.push_back({"s", {1}, {inverse(Affinef{{}, {1, 0, 0}})}});
  Part skinned, rigid;
  skinned.name = "skinned";
  skinned.mesh = test::box({0, 0, 0}, {1, 1, 1});
  skinned.skin = 0;
  const Influence whole{0, 1};
  for (std::size_t v = 0; v < skinned.mesh.positions.size(); ++v) skinned.weights.push_vertex({&whole, 1});
  MorphTarget lift{"lift", {0}, {{0, 0, 2}}, {}, {}};
  skinned.morphs.push_back(lift);
  rigid.name = "rigid";
  rigid.mesh = test::box({0, 0, 0}, {2, 1, 1});
  rigid.node = 2;
  c.parts = {skinned, rigid};
  c.morph_weights = {0};
  return c;
}

TEST(Skin, MorphsThenSkinsThenPlacesRigidParts) {
  const Character c = two_boxes();
  auto skin = Skin::make(c).value();
  Pose pose = c.rest();
  pose.morph_weights[0] = 0.5f;
  pose.local[1].rotation = from_axis_angle(Vec3f{0, 0, 1}, std::numbers::pi_v<float> / 2);
  ASSERT_TRUE(skin.evaluate(pose));
  const Vec3f rest = c.parts[0].mesh.positions[0] + Vec3f{0, 0, 1};  // half the lift
  const Vec3f turned{1 - rest.y, rest.x - 1, rest.z};                // a quarter turn about (1, 0, 0)
  EXPECT_LT(length(skin.positions(0)[0] - turned), 1e-6f);
  const Vec3f corner = c.parts[1].mesh.positions[1];
  EXPECT_LT(length(skin.positions(1)[1] - Vec3f{-corner.x, corner.y + 5, corner.z}), 1e-6f);
}

TEST(Skin, APoseOfTheWrongSizeIsRefused) {
  const Character c = two_boxes();
  auto skin = Skin::make(c).value();
  Pose pose = c.rest();
  pose.local.pop_back();
  EXPECT_NE(skin.evaluate(pose).error().message().find("joints"), std::string::npos);
  pose = c.rest();
  pose.morph_weights.push_back(1);
  EXPECT_FALSE(skin.evaluate(pose));
}

TEST(Skin, DualQuaternionsNameTheJointTheyCannotFollow) {
  Character c = two_boxes();
  auto skin = Skin::make(c, Blend::dual_quaternion).value();
  Pose pose = c.rest();
  pose.local[1].scale = {-1, 1, 1};
  const auto failed = skin.evaluate(pose);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("'arm'"), std::string::npos) << failed.error().message();
}

TEST(Bake, MirroredPartsKeepTheirOutside) {
  const Character c = two_boxes();
  const Character baked = posed_surfaces(c, c.rest()).value();
  ASSERT_EQ(baked.parts.size(), 2u);
  for (const Part& part : baked.parts) {
    EXPECT_GT(enclosed_volume(part.mesh.positions, part.mesh.triangles), 0) << part.name << " is inside out";
  }
  EXPECT_TRUE(validate(baked)) << validate(baked).error().message();
}

}  // namespace
}  // namespace supple
