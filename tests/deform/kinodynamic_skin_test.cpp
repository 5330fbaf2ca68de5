// Flow and muscles together, as a Skin shows them.
#include <cmath>

#include "gtest/gtest.h"
#include "supple/author/bake/play_muscles.h"
#include "supple/deform/skin.h"
#include "supple/make/figure.h"
#include "supple/make/limb.h"
#include "supple/measure/intersections.h"
#include "supple/measure/volume.h"
#include "support/lattice_shapes.h"

using namespace supple;

namespace {

/// 60 cm long, 5 cm thick, three joints; a muscle in the last stretch.
Character limb_with_muscle() {
  Character c = make::make_limb({0.6, 0.05, 3, 2000}).value();
  VortexMuscle m;
  m.name = "calf";
  m.joint = 2;
  m.center = {0, 0.1f, 0};
  m.radii = {0.03f, 0.08f, 0.03f};
  m.gravity = {};
  Kinodynamics k;
  k.muscles.push_back(m);
  c.kinodynamics = k;
  return c;
}

Pose bent(const Character& c, float degrees) {
  Pose pose = c.rest();
  const float angles[3] = {0, degrees * 3.14159265f / 180, 0};
  set_angles(pose, c.skeleton, 1, angles);
  return pose;
}

double largest_difference(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double worst = 0;
  for (std::size_t v = 0; v < a.size(); ++v) worst = std::max(worst, double{length(a[v] - b[v])});
  return worst;
}

TEST(KinodynamicSkin, RestsWhereTheMeshDoes) {
  const Character c = limb_with_muscle();
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  EXPECT_LT(largest_difference(skin.positions(), c.parts[0].mesh.positions), 1e-6);
  EXPECT_LT(largest_difference(skin.normals(), c.parts[0].mesh.normals), 1e-5);
}

TEST(KinodynamicSkin, AScaledRootScalesWhatFlows) {
  const Character c = make::make_limb({0.6, 0.05, 3, 2000}).value();
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  Pose pose = bent(c, 70);
  ASSERT_TRUE(skin.evaluate(pose));
  std::vector<Vec3f> expected(skin.positions().begin(), skin.positions().end());
  for (Vec3f& p : expected) p *= 1.5f;  // the root lies at the origin
  pose.local[0].scale = {1.5f, 1.5f, 1.5f};
  ASSERT_TRUE(skin.evaluate(pose));
  EXPECT_LT(largest_difference(skin.positions(), expected), 2e-6);  // floats of a limb 1 m long
  pose = bent(c, 70);
  ASSERT_TRUE(skin.evaluate(pose));
  for (Vec3f& p : expected) p *= 1 / 1.5f;
  EXPECT_LT(largest_difference(skin.positions(), expected), 2e-6);  // nothing of the scale is left
}

TEST(KinodynamicSkin, ScaledJointsScaleTheSkinAsLinearBlendDoes) {
  const Character c = make::make_limb({0.6, 0.05, 3, 2000}).value();
  auto flowing = Skin::make(c, Blend::kinodynamic).value(), linear = Skin::make(c).value();
  Pose straight = c.rest(), pose = bent(c, 80);
  straight.local[1].scale = pose.local[1].scale = {1.6f, 1.3f, 0.7f};
  ASSERT_TRUE(flowing.evaluate(straight));
  ASSERT_TRUE(linear.evaluate(straight));
  EXPECT_LT(largest_difference(flowing.positions(), linear.positions()), 1e-6);  // nothing flows
  const std::vector<Vec3f> scaled(linear.positions().begin(), linear.positions().end());
  const auto change_by_bending = [&](std::span<const Vec3f> positions) {
    Mesh rest = c.parts[0].mesh;
    rest.positions = scaled;
    return measure::volume_change(rest, positions).value().relative;
  };
  ASSERT_TRUE(flowing.evaluate(pose));
  ASSERT_TRUE(linear.evaluate(pose));
  // Bent, it keeps the volume that the scales have given it, but for what they blend at the joint.
  EXPECT_LT(std::abs(change_by_bending(flowing.positions())), 0.02);
  EXPECT_LT(change_by_bending(linear.positions()), -0.02);
  EXPECT_TRUE(measure::self_intersections(c.parts[0].mesh, flowing.positions()).value().none());
  pose.local[1].scale = {0, 0, 0};  // a joint that is hidden
  ASSERT_TRUE(flowing.evaluate(pose));
  for (const Vec3f p : flowing.positions()) ASSERT_TRUE(is_finite(p));
}

TEST(KinodynamicSkin, KeepsTheVolumeThatLinearBlendingLoses) {
  const Character c = limb_with_muscle();
  auto flowing = Skin::make(c, Blend::kinodynamic).value(), linear = Skin::make(c).value();
  ASSERT_TRUE(flowing.evaluate(bent(c, 110)));
  ASSERT_TRUE(linear.evaluate(bent(c, 110)));
  const Mesh& rest = c.parts[0].mesh;
  EXPECT_LT(std::abs(measure::volume_change(rest, flowing.positions()).value().relative), 2e-3);  // chords of the mesh
  EXPECT_LT(measure::volume_change(rest, linear.positions()).value().relative, -0.02);
}

TEST(KinodynamicSkin, NormalsAreThoseOfTheMovedSurface) {
  const Character c = limb_with_muscle();
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  ASSERT_TRUE(skin.evaluate(bent(c, 70)));
  std::vector<Vec3f> computed(skin.positions().size());
  compute_normals(skin.positions(), c.parts[0].mesh.triangles, computed);
  std::size_t far = 0;
  for (std::size_t v = 0; v < computed.size(); ++v) far += dot(computed[v], skin.normals()[v]) < 0.98f ? 1 : 0;
  // At the rims of the caps, where normals differ by how faces are weighted.
  EXPECT_LT(far, computed.size() / 20);
}

TEST(KinodynamicSkin, MusclesSwingWhenTheBonesStopAndComeToRest) {
  const Character c = limb_with_muscle();
  auto skin = Skin::make(c, Blend::kinodynamic).value(), still = Skin::make(c, Blend::kinodynamic).value();
  Pose pose = c.rest();
  double swing = 0;
  for (int frame = 0; frame <= 300; ++frame) {
    pose.local[0].translation.x = 0.4f * std::min(1.0f, static_cast<float>(frame) / 12);  // 2 m/s for a fifth second
    ASSERT_TRUE(skin.animate(pose, 1.0 / 60));
    ASSERT_TRUE(still.evaluate(pose));
    const double off = largest_difference(skin.positions(), still.positions());
    if (frame > 12 && frame < 60) swing = std::max(swing, off);
    if (frame == 300) {
      EXPECT_LT(off, 1e-4);
    }
  }
  EXPECT_GT(swing, 2e-3);
  EXPECT_LT(swing, 0.05);
}

TEST(KinodynamicSkin, ShowsWhatATakeHas) {
  Character c = limb_with_muscle();
  const Clip& clip = c.clips[0];
  auto skin = Skin::make(c, Blend::kinodynamic).value(), animated = Skin::make(c, Blend::kinodynamic).value();
  VortexPlayOptions options;
  options.rate = 60;
  options.loop = Loop::off;
  const auto take = play_muscles(c, skin.kinodynamics()->muscles(), clip, options);
  ASSERT_TRUE(take);
  for (std::size_t f = 0; f < 40; ++f) {
    const Pose pose = c.at(clip, take->times[f]);
    ASSERT_TRUE(animated.animate(pose, 1.0 / 60));
    EXPECT_TRUE(skin.set_muscles(take->vorticity[f]));
    ASSERT_TRUE(skin.evaluate(pose));
    EXPECT_LT(largest_difference(skin.positions(), animated.positions()), 2e-5) << f;
  }
}

TEST(KinodynamicSkin, CopiesDoNotShareTheirState) {
  const Character c = limb_with_muscle();
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  ASSERT_TRUE(skin.evaluate(bent(c, 50)));
  Skin copy = skin;
  ASSERT_TRUE(skin.evaluate(c.rest()));
  ASSERT_TRUE(copy.evaluate(bent(c, 50)));
  EXPECT_LT(largest_difference(skin.positions(), c.parts[0].mesh.positions), 1e-6);
  EXPECT_GT(largest_difference(skin.positions(), copy.positions()), 0.1);
}

TEST(KinodynamicSkin, IsTheSameWithAnyNumberOfThreads) {
  const Character c = limb_with_muscle();
  auto one = Skin::make(c, Blend::kinodynamic).value(), many = Skin::make(c, Blend::kinodynamic).value();
  for (int frame = 0; frame < 5; ++frame) {
    const Pose pose = bent(c, 15.0f * static_cast<float>(frame));
    ASSERT_TRUE(one.animate(pose, 0.02, 1));
    ASSERT_TRUE(many.animate(pose, 0.02, 3));
  }
  EXPECT_TRUE(std::ranges::equal(one.positions(), many.positions()));
  EXPECT_TRUE(std::ranges::equal(one.normals(), many.normals()));
}

TEST(KinodynamicSkin, AnArmPressedIntoTheBodyDentsItAndCutsNothing) {
  Character c = make::make_figure({5500}).value();
  c.kinodynamics.emplace();
  // Contact is felt a depth of flesh ahead, which steps of ten degrees do not jump over.
  c.kinodynamics->field.contact = 1;
  c.kinodynamics->field.step = 10 * 3.14159265f / 180;
  Pose pose = c.rest();
  const JointIndex arm = c.skeleton.require("upper-arm-left").value(),
                   forearm = c.skeleton.require("forearm-left").value();
  const auto turn = [&](JointIndex joint, const char* dof, float degrees) {
    std::vector<float> angles(c.skeleton.dofs(joint).size());
    for (std::size_t i = 0; i < angles.size(); ++i)
      if (c.skeleton.dofs(joint)[i].name == dof) angles[i] = degrees * 3.14159265f / 180;
    set_angles(pose, c.skeleton, joint, angles);
  };
  turn(arm, "abduction", -45);
  turn(forearm, "flexion", 60);
  auto linear = Skin::make(c).value(), flowing = Skin::make(c, Blend::kinodynamic).value();
  ASSERT_TRUE(linear.evaluate(pose));
  ASSERT_TRUE(flowing.evaluate(pose));
  const Mesh& rest = c.parts[0].mesh;
  EXPECT_GT(measure::self_intersections(rest, linear.positions()).value().triangles, 100u);
  EXPECT_EQ(measure::self_intersections(rest, flowing.positions()).value().triangles, 0u);
}

TEST(KinodynamicSkin, BoundVerticesFollowTheirJointsAndOthersDoNotNotice) {
  Character c = limb_with_muscle();
  const Pose pose = bent(c, 90);
  auto linear = Skin::make(c, Blend::linear).value(), free = Skin::make(c, Blend::kinodynamic).value();
  const auto vertices = static_cast<std::uint32_t>(c.parts[0].mesh.positions.size());
  for (std::uint32_t v = 0; v < vertices; v += 3) c.kinodynamics->field.bound.push_back({0, v, v % 2 == 0 ? 1 : 0.25f});
  auto bound = Skin::make(c, Blend::kinodynamic).value();
  for (Skin* skin : {&linear, &free, &bound}) ASSERT_TRUE(skin->evaluate(pose));
  EXPECT_GT(largest_difference(linear.positions(), free.positions()), 5e-3);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const float weight = v % 3 != 0 ? 0.0f : v % 2 == 0 ? 1.0f : 0.25f;
    const Vec3f expected = free.positions()[v] + (linear.positions()[v] - free.positions()[v]) * weight;
    ASSERT_LT(length(bound.positions()[v] - expected), 1e-6f) << v;
  }
  c.kinodynamics->field.bound = {{0, vertices, 1}};
  EXPECT_FALSE(validate(*c.kinodynamics, c));
}

TEST(KinodynamicSkin, VolumeCurvesCanBeRetunedWithoutNewTables) {
  const Character c = limb_with_muscle();
  auto skin = Skin::make(c, Blend::kinodynamic).value();
  ASSERT_TRUE(skin.evaluate(bent(c, 100)));
  const std::vector<Vec3f> before(skin.positions().begin(), skin.positions().end());
  Kinodynamics changed = *c.kinodynamics;
  changed.field.volume = {{1, {{0, 0, 0}}}};
  skin.kinodynamics()->retune(changed);
  ASSERT_TRUE(skin.evaluate(bent(c, 100)));
  EXPECT_GT(largest_difference(skin.positions(), before), 1e-3);
  EXPECT_LT(measure::volume_change(c.parts[0].mesh, skin.positions()).value().relative, -0.01);
}

TEST(KinodynamicSkin, ALimbThatPassesByCarriesNoSkin) {
  // Two bars of one skin, one pushed into the other as it is bound. What follows the first stays when the second turns.
  Character c = test::jointed({{{0, -0.2, 0}}, {{0, 0, 0}, 0}, {{0, 0.5, 0}, 1}, {{0.1, 0, 0}, 0}, {{0.1, 0.5, 0}, 3}});
  Mesh both = test::bar_mesh(), other = test::bar_mesh();
  const std::size_t first = both.positions.size();
  for (Vec3f& p : other.positions) p.x += 0.1f;
  test::append_mesh(both, other);
  test::add_part(c, "both", both, test::all_of(0));
  SkinWeights weights;
  for (std::size_t v = 0; v < both.positions.size(); ++v) {
    const std::uint32_t lower = v < first ? 1 : 3;
    weights.push_vertex(test::bend_between(lower, lower + 1, 0.35, 0.65)(Vec3d(both.positions[v])));
  }
  clean(weights, c.skins[0].joints.size());
  c.parts[0].weights = weights;
  c.kinodynamics.emplace();
  auto flow = Skin::make(c, Blend::kinodynamic);
  ASSERT_TRUE(flow) << flow.error().message();
  ASSERT_TRUE(flow->evaluate(test::turned_at(c, 4, {0, 0, 1}, -60)));
  double moved = 0, turned = 0;
  for (std::size_t v = 0; v < both.positions.size(); ++v) {
    double& most = v < first ? moved : turned;
    most = std::max(most, double{length(flow->positions()[v] - both.positions[v])});
  }
  EXPECT_GT(turned, 0.3);
  EXPECT_LT(moved, 1e-4);
}

}  // namespace
