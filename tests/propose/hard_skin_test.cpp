// What is hard stays hard: buckles, plates and heads keep their shape and sit where they sat, under flesh and flow.
#include <gtest/gtest.h>

#include "supple/author/bake/play_flesh.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/author/propose/propose_flesh.h"
#include "supple/author/propose/propose_muscles.h"
#include "supple/deform/skin.h"
#include "supple/geometry/bvh.h"
#include "support/trait_rigs.h"

namespace supple::test {
namespace {

/// The last vertices are the shell's; the first ones are the limb's.
std::vector<std::uint32_t> shell_of(const Character& c) {
  const auto all = static_cast<std::uint32_t>(c.parts[0].mesh.positions.size());
  std::vector<std::uint32_t> vertices;
  for (std::uint32_t v = all - std::uint32_t{hard_vertices}; v < all; ++v) vertices.push_back(v);
  return vertices;
}

/// Vertices that follow the head alone.
std::vector<std::uint32_t> head_of(const Character& c) {
  std::vector<std::uint32_t> vertices;
  const JointIndex head = *c.skeleton.find("head");
  for (std::uint32_t v = 0; v < c.parts[0].weights.vertices(); ++v)
    if (c.parts[0].weights.of(v)[0].joint == head && c.parts[0].weights.of(v)[0].weight == 1) vertices.push_back(v);
  return vertices;
}

/// By how much an edge between these vertices changes its length at most, of its length.
double worst_stretch(const Character& c, std::span<const std::uint32_t> vertices, std::span<const Vec3f> posed) {
  double worst = 0;
  const std::vector<Vec3f>& rest = c.parts[0].mesh.positions;
  const auto has = [&](std::uint32_t v) { return std::binary_search(vertices.begin(), vertices.end(), v); };
  for (const Triangle& t : c.parts[0].mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      if (!has(a) || !has(b)) continue;
      const double before = length(Vec3d(rest[a]) - Vec3d(rest[b])), after = length(Vec3d(posed[a]) - Vec3d(posed[b]));
      worst = std::max(worst, std::abs(after / before - 1));
    }
  return worst;
}

/// How deep the outermost side of the shell, the half that is farthest from the skin at rest, is below the skin of the
/// limb: metres, below zero where it stands clear.
double deepest_outside(const Character& c, std::span<const std::uint32_t> shell, std::span<const Vec3f> posed) {
  std::vector<Triangle> limb;
  for (const Triangle& t : c.parts[0].mesh.triangles)
    if (t[0] < shell[0]) limb.push_back(t);
  const Bvh at_rest(c.parts[0].mesh.positions, limb), now(posed, limb);
  float farthest = 0;
  for (const std::uint32_t v : shell)
    farthest = std::max(farthest, at_rest.closest(c.parts[0].mesh.positions[v]).distance);
  double deepest = -1;
  for (const std::uint32_t v : shell) {
    if (at_rest.closest(c.parts[0].mesh.positions[v]).distance < farthest / 2) continue;
    const double distance = double{now.closest(posed[v]).distance};
    deepest = std::max(deepest, now.inside(posed[v]) ? distance : -distance);
  }
  return deepest;
}

Character flowing(Character c) {
  c.kinodynamics.emplace();
  if (auto muscles = propose_muscles(c)) c.kinodynamics->muscles = std::move(*muscles);
  return c;
}

Character fleshed(Character c) {
  auto recipe = propose_flesh(c, {.preset = "jelly"});
  EXPECT_TRUE(recipe) << recipe.error().message();
  EXPECT_TRUE(attach_flesh(c, *recipe));
  for (Clip& clip : c.clips) put_take(c, play_flesh(c, clip).value(), clip);
  return c;
}

constexpr int moments = 20;

Pose moment_of(const Character& c, int i) {
  return c.at(c.clips[0], c.clips[0].duration() * static_cast<float>(i) / moments);
}

TEST(HardSkin, ShellsAndHeadsAreFound) {
  for (const HardThing thing : {HardThing::buckle, HardThing::plate}) {
    const Character c = limb_with(thing);
    const HardSkin hard = find_hard_skin(c);
    ASSERT_EQ(hard.shells.size(), 1u) << c.name;
    EXPECT_EQ(hard.shells[0].vertices, shell_of(c)) << c.name;
    EXPECT_EQ(c.skeleton.name(hard.shells[0].joint), "upper") << c.name;
    EXPECT_TRUE(hard.heads.empty()) << c.name;
  }
  const Character c = head_on_neck();
  const HardSkin hard = find_hard_skin(c);
  EXPECT_TRUE(hard.shells.empty());
  ASSERT_EQ(hard.heads, std::vector<JointIndex>{*c.skeleton.find("head")});
  for (const std::uint32_t v : head_of(c)) EXPECT_EQ(hard.softness[0][v], 0) << v;
  EXPECT_EQ(hard.softness[0][0], 1) << "the chest is soft";
}

TEST(HardSkin, LimbsLegsAndClothAreNoShells) {
  const HardSkin hard = find_hard_skin(wide_tunic());
  EXPECT_TRUE(hard.shells.empty());
  EXPECT_TRUE(hard.heads.empty());
}

TEST(HardSkin, CanBeOverruled) {
  const Character buckle = limb_with(HardThing::buckle), head = head_on_neck();
  const auto found = [](const Character& c, std::vector<std::string> hard, std::vector<std::string> soft) {
    return find_hard_skin(c, hardness_of(c, hard, soft).value());
  };
  EXPECT_TRUE(found(buckle, {}, {"upper"}).shells.empty());
  EXPECT_TRUE(found(buckle, {}, {"buckle"}).shells.empty()) << "by the name of the part";
  EXPECT_EQ(found(buckle, {"buckle"}, {}).shells.size(), 2u) << "the limb too, where the whole part is hard";
  EXPECT_TRUE(found(head, {}, {"head"}).empty()) << "both the joint and the part are called so";
  EXPECT_EQ(found(head, {"chest"}, {}).heads.size(), 2u);
  const auto wrong = hardness_of(head, std::vector<std::string>{"hed"}, {});
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("head"), std::string::npos) << wrong.error().message();
}

TEST(HardSkin, KeepsItsShapeInTheFlowAndDoesNotSink) {
  for (const HardThing thing : {HardThing::buckle, HardThing::plate}) {
    const Character c = flowing(limb_with(thing));
    const std::vector<std::uint32_t> shell = shell_of(c);
    auto flow = Skin::make(c, Blend::kinodynamic), linear = Skin::make(c);
    ASSERT_TRUE(flow && linear);
    Character soft = c;
    soft.kinodynamics->field.hardness.soft_joints = {0};
    auto bent = Skin::make(soft, Blend::kinodynamic);
    ASSERT_TRUE(bent);
    double deepest = -1, by_linear = -1, bent_stretch = 0;
    for (int i = 0; i < moments; ++i) {
      const Pose pose = moment_of(c, i);
      ASSERT_TRUE(flow->animate(pose, 1.0 / moments));
      ASSERT_TRUE(linear->evaluate(pose));
      ASSERT_TRUE(bent->evaluate(pose));
      // Coordinates of half a metre in single precision: edges of 2.5 mm are exact to 5e-5.
      EXPECT_LT(worst_stretch(c, shell, flow->positions()), 1e-4) << c.name << " moment " << i;
      deepest = std::max(deepest, deepest_outside(c, shell, flow->positions()));
      by_linear = std::max(by_linear, deepest_outside(c, shell, linear->positions()));
      bent_stretch = std::max(bent_stretch, worst_stretch(c, shell, bent->positions()));
    }
    EXPECT_LT(deepest, std::max(by_linear, 0.0)) << c.name << ": the outside of the shell is under the skin";
    EXPECT_GT(bent_stretch, 1e-3) << c.name << ": the flow bends what is called soft";
  }
}

TEST(HardSkin, AShellFarFromSoftSkinDoesNotRideOnIt) {
  // The shell hangs a metre beside the limb: the flow of the limb is none of its business.
  Character c = limb_with(HardThing::buckle);
  const std::vector<std::uint32_t> shell = shell_of(c);
  for (const std::uint32_t v : shell) c.parts[0].mesh.positions[v].x += 1;
  c.kinodynamics.emplace();
  ASSERT_EQ(find_hard_skin(c).shells.size(), 1u);
  auto flow = Skin::make(c, Blend::kinodynamic), linear = Skin::make(c);
  ASSERT_TRUE(flow && linear);
  for (int i = 0; i < moments; i += 4) {
    ASSERT_TRUE(flow->evaluate(moment_of(c, i)) && linear->evaluate(moment_of(c, i)));
    // The shell follows several joints by the same weights: the mean of its linear blend is that of the rigid motion.
    Vec3d is{}, was{};
    for (const std::uint32_t v : shell) is += Vec3d(flow->positions()[v]), was += Vec3d(linear->positions()[v]);
    EXPECT_LT(length(is - was) / static_cast<double>(shell.size()), 1e-6) << i;
    EXPECT_LT(worst_stretch(c, shell, flow->positions()), 1e-4) << i;
  }
}

TEST(HardSkin, HeadsKeepTheirShapeInTheFlow) {
  const Character c = flowing(head_on_neck());
  auto flow = Skin::make(c, Blend::kinodynamic);
  Character soft = c;
  soft.kinodynamics->field.hardness.soft_joints = {2};
  auto dented = Skin::make(soft, Blend::kinodynamic);
  ASSERT_TRUE(flow && dented);
  const std::vector<std::uint32_t> head = head_of(c);
  ASSERT_GT(head.size(), 500u);
  double without = 0;
  for (int i = 0; i < moments; ++i) {
    ASSERT_TRUE(flow->animate(moment_of(c, i), 1.0 / moments));
    ASSERT_TRUE(dented->evaluate(moment_of(c, i)));
    EXPECT_LT(worst_stretch(c, head, flow->positions()), 1e-4) << i;
    without = std::max(without, worst_stretch(c, head, dented->positions()));
  }
  EXPECT_GT(without, 0.01) << "a soft head is dented";
}

TEST(HardSkin, SwingsAlongWithFleshAndKeepsItsShape) {
  const Character plain = limb_with(HardThing::plate), c = fleshed(plain);
  const std::vector<std::uint32_t> shell = shell_of(c);
  auto skin = Skin::make(c), linear = Skin::make(plain);
  ASSERT_TRUE(skin && linear);
  double moved = 0, deepest = -1, by_linear = -1;
  for (int i = 0; i < moments; ++i) {
    ASSERT_TRUE(skin->evaluate(moment_of(c, i)));
    ASSERT_TRUE(linear->evaluate(moment_of(plain, i)));
    EXPECT_LT(worst_stretch(c, shell, skin->positions()), 1e-4) << i;
    moved = std::max(moved, double{length(skin->positions()[shell[0]] - linear->positions()[shell[0]])});
    deepest = std::max(deepest, deepest_outside(c, shell, skin->positions()));
    by_linear = std::max(by_linear, deepest_outside(plain, shell, linear->positions()));
  }
  EXPECT_GT(moved, 1e-4) << "it goes along with what it sits on";
  EXPECT_LT(deepest, std::max(by_linear, 0.0));
}

TEST(HardSkin, HeadsDoNotSwingUnlessTheyAreCalledSoft) {
  Character c = head_on_neck();
  c.skeleton.append("crown", 2, Transformf{{0, 0.2f, 0}});
  const std::vector<std::uint32_t> head = head_of(c);
  FleshRecipe recipe;
  ElementRecipe& e = recipe.elements.emplace_back();
  e.name = "cheeks";
  e.driver = "head";
  e.ends = {"crown"};
  const auto swinging = [&](const Character& fleshed) {
    std::size_t count = 0;
    for (const std::uint32_t v : head) count += fleshed.parts[0].weights.of(v).size() > 1 ? 1 : 0;
    return count;
  };
  Character hard = c, soft = c;
  ASSERT_TRUE(attach_flesh(hard, recipe));
  EXPECT_EQ(swinging(hard), 0u);
  recipe.soft = {"head"};
  ASSERT_TRUE(attach_flesh(soft, recipe));
  EXPECT_GT(swinging(soft), head.size() / 2);
}

TEST(HardSkin, AnElementOfNothingButHardSkinIsRefused) {
  Character c = limb_with(HardThing::plate);
  FleshRecipe recipe;
  ElementRecipe& e = recipe.elements.emplace_back();
  e.name = "plate";
  e.driver = "upper";
  e.ends = {"lower"};
  e.vertices = shell_of(c);
  const auto refused = attach_flesh(c, recipe);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("--soft"), std::string::npos) << refused.error().message();
  recipe.soft = {"upper"};
  EXPECT_TRUE(attach_flesh(c, recipe));
}

}  // namespace
}  // namespace supple::test
