// Regions, automatic weights and twin joints.
#include "supple/author/propose/attach_flesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../support/fleshy_limb.h"
#include "supple/deform/flesh/region.h"
#include "supple/deform/skin.h"

namespace supple {
namespace {

using test::fleshy_limb;
using test::limb_recipe;

TEST(Attenuation, MeetsThePapersConditions) {
  const auto own = Attenuation::hermite({{-1, 0, 0}, {-0.2, 1, 0}, {0.5, 0.6, -1}, {1, 0, 0}});
  ASSERT_TRUE(own.ok()) << own.error().message();
  for (const Attenuation& a : {Attenuation::parabola(), Attenuation::wyvill(), *own}) {
    EXPECT_EQ(a(-1), 0);
    EXPECT_EQ(a(1), 0);
    EXPECT_EQ(a(1.5), 0);
    for (double y = -0.99; y < 1; y += 0.01) {
      EXPECT_GE(a(y), -1e-12);
      EXPECT_LE(a(y), 1 + 1e-12);
    }
  }
  EXPECT_EQ(Attenuation::parabola()(0), 1);
  EXPECT_EQ(Attenuation::wyvill()(0), 1);
  EXPECT_NEAR(Attenuation::wyvill()(0.5), 1 + (-4 / 64.0 + 17 / 16.0 - 22 / 4.0) / 9, 1e-15);
  // Wyvill's ends without a crease, the parabola with one.
  EXPECT_LT(Attenuation::wyvill()(1 - 1e-4) / 1e-4, 1e-3);
  EXPECT_NEAR(Attenuation::parabola()(1 - 1e-4) / 1e-4, 2, 1e-3);
  EXPECT_NEAR((*own)(0.5), 0.6, 1e-12);
  EXPECT_NEAR(((*own)(0.5 + 1e-6) - (*own)(0.5 - 1e-6)) / 2e-6, -1, 1e-5);
}

TEST(Attenuation, RefusesCurvesThatBreakThem) {
  using Knots = std::vector<Attenuation::Knot>;
  for (const Knots& knots : {Knots{{-1, 0, 0}, {1, 0, 0}}, Knots{{-1, 0, 0}, {0, 1.5, 0}, {1, 0, 0}},
                             Knots{{-1, 0.1, 0}, {0, 1, 0}, {1, 0, 0}}, Knots{{-0.9, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                             Knots{{-1, 0, 0}, {0.5, 1, 0}, {0.2, 1, 0}, {1, 0, 0}},
                             Knots{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, Knots{{-1, 0, -3}, {0, 1, 0}, {1, 0, 0}}}) {
    EXPECT_FALSE(Attenuation::hermite(knots).ok());
  }
}

TEST(FleshRegion, WeightsOfACylinder) {
  // Membership one everywhere: alpha = attenuation(y) on the side, whose distance is the radius throughout.
  const auto limb = make::make_limb({});
  ASSERT_TRUE(limb.ok());
  const Mesh& mesh = limb->parts[0].mesh;
  const std::vector<float> whole(mesh.positions.size(), 1);
  const VirtualBone bone{{0, 0.1, 0}, {0, 0.5, 0}};
  const RegionWeights region = region_weights(mesh.positions, whole, bone, 0.02, Attenuation::parabola());
  double least = 2;
  for (std::size_t v = 0; v < whole.size(); ++v) {
    const Vec3f p = mesh.positions[v];
    const double y = (double{p.y} - 0.3) / 0.2, expected = std::abs(y) < 1 ? 1 - y * y : 0;
    least = std::min(least, std::abs(y));
    if (std::hypot(p.x, p.z) > 0.0499f) {
      EXPECT_NEAR(double{region.weights[v]}, expected, 0.01) << v;
    }
    if (std::abs(y) >= 1) {
      EXPECT_EQ(region.weights[v], 0);
    }
  }
  EXPECT_NEAR(region.largest, 0.03 * (1 - least * least), 1e-6);
  // A prism of n sides in the cylinder has sin(a) / a of its volume; rings a triangle wide blur the ends.
  const double volume = std::numbers::pi * 0.05 * 0.05 * 0.4;
  EXPECT_NEAR(region_volume(mesh.positions, mesh.triangles, whole, bone) / volume, 1, 0.03);
  EXPECT_NEAR(usual_distance(mesh.positions, mesh.triangles, whole, bone), 0.05, 0.001);
}

TEST(AttachFlesh, ChangesNothingAtRestNorInAnyPose) {
  auto before = make::make_limb({});
  ASSERT_TRUE(before.ok());
  const Character after = fleshy_limb();
  ASSERT_TRUE(validate(after).ok());
  EXPECT_GT(after.skeleton.size(), before->skeleton.size());
  auto a = Skin::make(*before);
  for (const Layers& layers : {Layers{}, Layers::as_given()}) {
    auto b = Skin::make(after, Blend::linear, layers);
    ASSERT_TRUE(a.ok() && b.ok());
    const Clip& clip = before->clips[0];
    for (const float t : {0.0f, 0.5f, 1.0f, 2.7f}) {
      ASSERT_TRUE(a->evaluate(before->at(clip, t)).ok());
      ASSERT_TRUE(b->evaluate(after.at(clip, t)).ok());
      for (std::size_t v = 0; v < a->positions().size(); ++v)
        ASSERT_LT(length(a->positions()[v] - b->positions()[v]), 2e-7f) << v;  // the rounding of one more term
    }
  }
}

TEST(AttachFlesh, SplitGivesBackBonesAndWeights) {
  auto plain = make::make_limb({});
  ASSERT_TRUE(plain.ok());
  const Character limb = fleshy_limb();
  const SplitWeights split = split_flesh(limb, limb.parts[0]);
  ASSERT_EQ(split.bones.vertices(), plain->parts[0].weights.vertices());
  for (std::size_t v = 0; v < split.bones.vertices(); ++v) {
    const auto got = split.bones.of(v), wanted = plain->parts[0].weights.of(v);
    ASSERT_EQ(got.size(), wanted.size()) << v;
    for (std::size_t k = 0; k < got.size(); ++k) {
      EXPECT_EQ(got[k].joint, wanted[k].joint);
      EXPECT_NEAR(got[k].weight, wanted[k].weight, 1e-6);
    }
  }
  float most = 0;
  for (const FleshEntry& e : split.flesh) most = std::max(most, e.weight);
  EXPECT_NEAR(most, 1, 1e-5);
}

TEST(AttachFlesh, TwinsMoveVerticesAsTheLayerDoes) {
  // Three ways to the same skin: the layer after linear skinning, twins in a plain engine, and by hand.
  FleshRecipe recipe = limb_recipe();
  recipe.elements[0].joints = {"limb-0", "limb-1"};
  ElementRecipe second = recipe.elements[0];
  second.name = "whole";  // overlaps the first
  second.ends = {"limb-2"};
  recipe.elements.push_back(second);
  for (const bool twist : {false, true}) {
    if (twist) {
      recipe.elements.pop_back();
      recipe.elements[0].torsion = FleshTorsion{};
    }
    const Character limb = fleshy_limb(recipe);
    auto live = Skin::make(limb), plain = Skin::make(limb, Blend::linear, Layers::as_given());
    auto dual = Skin::make(limb, Blend::dual_quaternion), still = Skin::make(limb, Blend::dual_quaternion);
    ASSERT_TRUE(live.ok() && plain.ok() && dual.ok() && still.ok());
    Pose pose = limb.at(limb.clips[0], 0.6f);
    const auto world = to_world(limb.skeleton, pose);
    FleshState state = settled(limb.flesh, world);
    state.motions[0].shift = {0.01f, -0.02f, 0.015f};
    state.motions[0].twist = twist ? 0.3f : 0;
    if (!twist) state.motions[1].shift = {0, 0.005f, 0.01f};
    EXPECT_TRUE(live->set_flesh(state.motions));
    EXPECT_TRUE(dual->set_flesh(state.motions));
    ASSERT_TRUE(live->evaluate(pose).ok() && dual->evaluate(pose).ok() && still->evaluate(pose).ok());
    move_twins(limb.flesh, world, state.motions, pose.local);
    ASSERT_TRUE(plain->evaluate(pose).ok());
    float worst = 0;
    for (std::size_t v = 0; v < live->positions().size(); ++v)
      worst = std::max(worst, length(live->positions()[v] - plain->positions()[v]));
    EXPECT_LT(worst, 3e-7f) << twist;  // floats of .6 m: six roundings
    // After dual quaternions the same displacement is added, whatever they did.
    if (twist) continue;
    const SplitWeights split = split_flesh(limb, limb.parts[0]);
    std::vector<Vec3f> expected(still->positions().begin(), still->positions().end());
    for (const FleshEntry& e : split.flesh) expected[e.vertex] += state.motions[e.element].shift * e.weight;
    for (std::size_t v = 0; v < expected.size(); ++v) ASSERT_LT(length(expected[v] - dual->positions()[v]), 1e-7f);
  }
}

TEST(AttachFlesh, NoEdgeAnywhere) {
  // Across every edge of the mesh weights differ by less than the edge's share of the element: nothing jumps, and at
  // the ends nothing moves.
  const Character limb = fleshy_limb(limb_recipe(), 20000);
  const SplitWeights split = split_flesh(limb, limb.parts[0]);
  std::vector<float> weight(limb.parts[0].mesh.positions.size());
  for (const FleshEntry& e : split.flesh) weight[e.vertex] = e.weight;
  const Mesh& mesh = limb.parts[0].mesh;
  const double bone = 2 * double{limb.flesh.elements[0].half_length};
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      const double edge = double{length(mesh.positions[a] - mesh.positions[b])};
      EXPECT_LT(std::abs(double{weight[a] - weight[b]}), 5 * edge / bone);  // the steepest slope is about 3.5
    }
  }
  for (std::size_t v = 0; v < weight.size(); ++v)
    if (mesh.positions[v].y > 0.2f || mesh.positions[v].y < 0) {
      EXPECT_EQ(weight[v], 0);
    }
}

TEST(AttachFlesh, MassAndStiffnessMakeAFrequency) {
  FleshRecipe recipe = limb_recipe();
  recipe.elements[0].mass = 2;
  recipe.elements[0].springs[0] = {{}, {}, 800.0, 12.0};
  const Character limb = fleshy_limb(recipe);
  const FleshSpring& s = limb.flesh.elements[0].springs[0];
  EXPECT_NEAR(double{s.frequency}, 20 / (2 * std::numbers::pi), 1e-5);
  EXPECT_NEAR(double{s.damping_ratio}, 12 / (2 * std::sqrt(800.0 * 2)), 1e-6);
  // By default: litres are kilograms.
  const double volume = std::numbers::pi * 0.05 * 0.05 * 0.2;
  EXPECT_NEAR(double{fleshy_limb().flesh.elements[0].mass}, 1000 * volume, 0.15 * 1000 * volume);
}

TEST(AttachFlesh, OverlappingElementsTogetherDoNotCrossTheBone) {
  FleshRecipe recipe = limb_recipe();
  recipe.elements.push_back(recipe.elements[0]);
  recipe.elements[1].name = "again";
  recipe.elements.push_back(recipe.elements[0]);
  recipe.elements[2].name = "and again";
  recipe.elements[2].ends = {"limb-2"};
  const Character limb = fleshy_limb(recipe);
  const SplitWeights split = split_flesh(limb, limb.parts[0]);
  std::vector<double> sum(limb.parts[0].mesh.positions.size());
  for (const FleshEntry& e : split.flesh)
    sum[e.vertex] += double{e.weight} * double{limb.flesh.elements[e.element].max_elongation};
  for (std::size_t v = 0; v < sum.size(); ++v) {
    const Vec3f p = limb.parts[0].mesh.positions[v];
    EXPECT_LE(sum[v], std::hypot(p.x, p.z) + 1e-6) << v;
  }
}

TEST(AttachFlesh, MirroredAndUnevenlyScaledDrivers) {
  // However the driver is scaled, a shape that was modelled under gravity is at rest, and y leads along the bone.
  for (const Vec3f scale : {Vec3f{-1, 1, 1}, Vec3f{1, 2, 0.5f}, Vec3f{0.01f, 0.01f, 0.01f}}) {
    auto limb = make::make_limb({});
    Transformf rest = limb->skeleton.rest(1);
    rest.scale = scale;
    rest.rotation = normalized(Quatf{0.2f, 0.1f, 0.5f, 0.8f});
    limb->skeleton.set_rest(1, rest);
    FleshRecipe recipe = limb_recipe();
    recipe.elements[0].driver = "limb-1";
    recipe.elements[0].ends = {"limb-2"};
    recipe.elements[0].mass = 1;
    ASSERT_TRUE(attach_flesh(*limb, recipe).ok());
    const auto world = to_world(limb->skeleton, limb->rest());
    const FleshState state = settled(limb->flesh, world);
    EXPECT_LT(length(state.motions[0].shift), 1e-5f);
    const Vec3f along = normalized(world[2].translation - world[1].translation);
    EXPECT_NEAR(dot(along, state.motions[0].axis), 1, 1e-5);
  }
}

TEST(AttachFlesh, AVertexListedTwiceCountsOnce) {
  FleshRecipe once = limb_recipe(), twice = limb_recipe();
  for (std::uint32_t v = 0; v < 1000; ++v) {
    once.elements[0].vertices.push_back(v);
    twice.elements[0].vertices.insert(twice.elements[0].vertices.end(), {v, v});
  }
  EXPECT_EQ(fleshy_limb(once).flesh, fleshy_limb(twice).flesh);
}

TEST(AttachFlesh, SaysWhatIsWrong) {
  const auto problem = [](auto change) {
    FleshRecipe recipe = limb_recipe();
    change(recipe);
    auto limb = make::make_limb({});
    const std::size_t joints = limb->skeleton.size();
    const auto made = attach_flesh(*limb, recipe);
    EXPECT_TRUE(limb->flesh.empty() || made.ok());
    EXPECT_TRUE(limb->skeleton.size() == joints || made.ok());
    return made.ok() ? std::string() : made.error().message();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].driver = "limb-9"; }), "limb-9"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) {
                    r.elements[0].driver = "limb-1";
                    r.elements[0].ends = {"limb-0"};
                  }),
                  "'limb-0' is not below its driver 'limb-1'"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) {
                    r.elements[0].driver = "limb-2";
                    r.elements[0].ends = {};
                  }),
                  "no joints below"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].thickness = 0.2; }), "has no vertices"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].mass = 0; }), "mass that is not above zero"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].springs[0].stiffness = -5; }), "stiffness"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].springs[0].frequency = 0; }), "frequency"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].springs[0].damping_ratio = -1; }), "damping"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].springs.resize(5); }), "springs"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].vertices = {999999}; }), "999999"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements[0].part = "skni"; }), "skni"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements.clear(); }), "no elements"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.elements.push_back(r.elements[0]); }), "occurs twice"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.unit = 0; }), "unit"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.contacts = {{"calf", "thigh"}}; }), "thigh"));
  EXPECT_TRUE(has(problem([](FleshRecipe& r) { r.colliders.push_back({"ball", "limb-2", {}, {}, 0, {}}); }), "radius"));
  EXPECT_EQ(problem([](FleshRecipe&) {}), "");
  Character limb = fleshy_limb();
  EXPECT_FALSE(attach_flesh(limb, limb_recipe()).ok());  // a second time
}

}  // namespace
}  // namespace supple
