// Kinodynamic recipes: read as written, shapes from files, and complaints that name what is wrong.
#include "supple/files/kinodynamic_recipe.h"

#include <gtest/gtest.h>

#include <numbers>

#include "../support/kinodynamic_limb.h"
#include "gltf_support.h"
#include "supple/base/file.h"
#include "supple/files/obj.h"

namespace supple {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

Part part_of(const Mesh& mesh) {
  Part part;
  part.name = "shape";
  part.mesh = mesh;
  return part;
}

TEST(KinodynamicRecipes, ReadAsWritten) {
  const Character limb = test::kinodynamic_limb();
  const Json json = kinodynamic_recipe_json(*limb.kinodynamics, limb);
  const auto back = kinodynamic_recipe_of(parse_json(to_text(json), "text").value(), "r.json", limb);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(*back, *limb.kinodynamics);
  EXPECT_EQ(json["field"]["tissue"][1]["joint"], "limb-1");
  EXPECT_EQ(json["field"]["volume"][0]["keys"][1]["angle"], 90);  // degrees, and no more digits than needed
  EXPECT_EQ(json["muscles"][1]["skin_weights"][0]["part"], limb.parts[0].name);
}

TEST(KinodynamicRecipes, OnlyWhatDiffersIsWritten) {
  Character limb = test::plain_limb();
  EXPECT_EQ(kinodynamic_recipe_json({}, limb), (Json{{"kinodynamic_recipe", 1}}));
  const auto muscle = parse_muscle("name=calf,joint=limb-0,radii=0.02+0.06+0.02", limb);
  ASSERT_TRUE(muscle.ok()) << muscle.error().message();
  Kinodynamics k;
  k.muscles.push_back(*muscle);
  EXPECT_EQ(kinodynamic_recipe_json(k, limb)["muscles"][0].dump(),
            R"({"name":"calf","joint":"limb-0","radii":[0.02,0.06,0.02]})");
}

TEST(KinodynamicRecipes, PartsWithoutNamesGoByNumberAndJointsByTheNamesTheyGet) {
  Character limb = test::plain_limb();
  std::vector<RawJoint> joints(3);
  joints[1].parent = 0, joints[2].parent = 1;
  joints[0].name = joints[2].name = "twice";
  limb.skeleton = build_skeleton(joints)->skeleton;
  limb.parts.push_back(limb.parts[0]);
  limb.parts[0].skin.reset();
  Kinodynamics k = *test::kinodynamic_limb().kinodynamics;
  k.muscles[1].skin_weights[0].part = 1;
  const Json json = kinodynamic_recipe_json(k, limb);
  EXPECT_EQ(json["muscles"][1]["joint"], "#1");
  EXPECT_EQ(json["muscles"][1]["skin_weights"][0]["part"], 1);
  const auto back = kinodynamic_recipe_of(json, "r", limb);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(back->muscles[1].joint, k.muscles[1].joint);
  EXPECT_EQ(back->muscles[1].skin_weights, k.muscles[1].skin_weights);
}

TEST(KinodynamicRecipes, WhatPeopleMayWrite) {
  const Character limb = test::plain_limb();
  const auto recipe = kinodynamic_recipe_of(Json::parse(R"({"kinodynamic_recipe": 1,
    "field": {"step": 15, "tissue": [{"joint": "limb-0", "orientation": [0, 0, 90], "radii": [0.1, 0.2, 0.1]}]},
    "muscles": [{"joint": "limb-1", "radii": [0.02, 0.05, 0.02], "gravity": 2,
                 "skin_weights": {"vertices": [3, 1], "weights": [1, 0.5]}},
                {"joint": "limb-1", "radii": [0.02, 0.05, 0.02], "modelled_under_gravity": false}]})"),
                                            "r", limb);
  ASSERT_TRUE(recipe.ok()) << recipe.error().message();
  EXPECT_EQ(recipe->field.source, FieldSource::primitives);
  EXPECT_NEAR(recipe->field.step, std::numbers::pi / 12, 1e-7);
  const Vec3f x = rotate(recipe->field.primitives[0].orientation, Vec3f{1, 0, 0});
  EXPECT_NEAR(length(x - Vec3f{0, 1, 0}), 0, 1e-6);
  EXPECT_NEAR(recipe->muscles[0].gravity.y, -2 * 9.81, 1e-5);
  // The limb's joints are not turned at rest: what the skin was modelled under is gravity itself.
  EXPECT_NEAR(length(recipe->muscles[0].modelled_gravity - recipe->muscles[0].gravity), 0, 1e-5);
  EXPECT_EQ(recipe->muscles[1].modelled_gravity, Vec3f{});
  EXPECT_EQ(recipe->muscles[0].skin_weights, (std::vector<SkinVertexWeight>{{0, 3, 1}, {0, 1, 0.5f}}));
}

TEST(KinodynamicRecipes, ASurfaceInAFileIsInTheWorldAtRest) {
  const Character limb = test::plain_limb();
  const test::TemporaryFolder folder;
  const Mesh ball = test::sphere(0.03, 6, 8, {0.01, 0.3, 0});
  Mesh flexed = ball;
  for (Vec3f& p : flexed.positions) p.x = 0.01f + (p.x - 0.01f) * 1.2f;
  const Part shapes[] = {part_of(ball), part_of(flexed)};
  ASSERT_TRUE(write_obj(folder / "ball.obj", std::span(shapes, 1)));
  ASSERT_TRUE(write_obj(folder / "flexed.obj", std::span(shapes + 1, 1)));
  const auto recipe_text = R"({"kinodynamic_recipe": 1, "muscles": [
    {"name": "ball", "joint": "limb-1", "orientation": [0, 90, 0], "mesh": "ball.obj", "target": "flexed.obj"}]})";
  ASSERT_TRUE(write_file(folder / "r.json", std::string_view(recipe_text)));
  const auto recipe = read_kinodynamic_recipe(folder / "r.json", limb);
  ASSERT_TRUE(recipe.ok()) << recipe.error().message();
  const VortexMuscle& m = recipe->muscles[0];
  const Affinef world = to_world(limb.skeleton, limb.rest())[1];
  ASSERT_EQ(m.surface_positions.size(), ball.positions.size());
  ASSERT_EQ(m.target.size(), ball.positions.size());
  for (std::size_t v = 0; v < ball.positions.size(); ++v) {  // forth by hand: a few roundings of places about .3 m
    const auto back = [&](Vec3f p) { return world.point(rotate(m.orientation, p) + m.center); };
    EXPECT_LT(length(back(m.surface_positions[v]) - ball.positions[v]), 1e-7f);
    EXPECT_LT(length(back(m.target[v]) - flexed.positions[v]), 1e-7f);
  }
  // The ball's bounds: its middle rings have radius .03, along x too.
  EXPECT_LT(length(world.point(m.center) - Vec3f{0.01f, 0.3f, 0}), 1e-6f);
  EXPECT_NEAR(m.radii.y, 0.03, 1e-6);
  EXPECT_EQ(m.surface_triangles, ball.triangles);
}

TEST(KinodynamicRecipes, ATargetHasTheMeshsTriangles) {
  const Character limb = test::plain_limb();
  const test::TemporaryFolder folder;
  const Part shapes[] = {part_of(test::sphere(0.03, 6, 8)), part_of(test::sphere(0.03, 7, 8))};
  ASSERT_TRUE(write_obj(folder / "ball.obj", std::span(shapes, 1)));
  ASSERT_TRUE(write_obj(folder / "other.obj", std::span(shapes + 1, 1)));
  const Json json = Json::parse(R"({"kinodynamic_recipe": 1, "muscles": [
    {"joint": "limb-1", "space": "muscle", "mesh": "ball.obj", "target": "other.obj"}]})");
  const auto recipe = kinodynamic_recipe_of(json, "r", limb, folder / "");
  ASSERT_FALSE(recipe.ok());
  EXPECT_TRUE(has(recipe.error().message(), "muscles[0].target: has other points or triangles"));
  Json fixed = json;
  fixed["muscles"][0].erase("target");
  const auto same_frame = kinodynamic_recipe_of(fixed, "r", limb, folder / "");
  ASSERT_TRUE(same_frame.ok()) << same_frame.error().message();
  EXPECT_EQ(same_frame->muscles[0].surface_positions, shapes[0].mesh.positions);
}

TEST(KinodynamicRecipes, ASurfaceBecomesAStar) {
  const Character limb = test::plain_limb();
  const test::TemporaryFolder folder;
  const Part ball = part_of(test::sphere(0.04, 12, 16, {0, 0.3, 0}));
  ASSERT_TRUE(write_obj(folder / "ball.obj", std::span(&ball, 1)));
  const Json json = Json::parse(R"({"kinodynamic_recipe": 1, "field": {"tissue": [
    {"name": "ball", "joint": "limb-1", "surface": "ball.obj", "weight": 2}]}})");
  const auto recipe = kinodynamic_recipe_of(json, "r", limb, folder / "");
  ASSERT_TRUE(recipe.ok()) << recipe.error().message();
  const TissuePrimitive& p = recipe->field.primitives[0];
  EXPECT_EQ(p.star.size(), TissuePrimitive::star_size);
  EXPECT_EQ(p.weight, 2);
  EXPECT_LT(length(to_world(limb.skeleton, limb.rest())[1].point(p.center) - Vec3f{0, 0.3f, 0}), 1e-5f);
}

TEST(KinodynamicRecipes, ItemsOnTheCommandLine) {
  const Character limb = test::plain_limb();
  const auto muscle = parse_muscle(
      "name=calf,joint=limb-0,center=0+0.1+-0.02,radii=0.02+0.06+0.02,frequency=4,shear=true,skin_joints=limb-0+limb-1",
      limb);
  ASSERT_TRUE(muscle.ok()) << muscle.error().message();
  EXPECT_EQ(muscle->center, (Vec3f{0, 0.1f, -0.02f}));
  EXPECT_EQ(muscle->frequency, 4);
  EXPECT_TRUE(muscle->shear);
  EXPECT_EQ(muscle->skin_joints, (std::vector<JointIndex>{0, 1}));
  const auto tissue = parse_tissue("joint=limb-2,kind=bone,radii=0.02+0.06+0.02", limb);
  ASSERT_TRUE(tissue.ok()) << tissue.error().message();
  EXPECT_EQ(tissue->kind, TissueKind::bone);
  EXPECT_TRUE(has(parse_muscle("calf", limb).error().message(), "is not key=value"));
  EXPECT_TRUE(has(parse_muscle("joint=limb-0,radii=1+1+1,freqency=2", limb).error().message(), "mean frequency"));
  EXPECT_TRUE(has(parse_muscle("joint=limb-0,radii=1+1+1,frequency=nan", limb).error().message(), "frequency"));
  EXPECT_TRUE(has(parse_muscle("joint=limb-0,radii=1+inf+1", limb).error().message(), "radii"));
  EXPECT_TRUE(has(parse_tissue("radii=1+1+1", limb).error().message(), "joint: is missing"));
}

TEST(KinodynamicRecipes, WhatIsWrongIsNamed) {
  const Character limb = test::plain_limb();
  const auto complaint = [&](const std::string& text) {
    const auto recipe = kinodynamic_recipe_of(Json::parse(text), "r.json", limb);
    EXPECT_FALSE(recipe.ok()) << text;
    return recipe.ok() ? std::string() : recipe.error().message();
  };
  const auto muscle = [&](const std::string& members) {
    return complaint(R"({"kinodynamic_recipe": 1, "muscles": [{"name": "calf", "joint": "limb-1", )" + members + "}]}");
  };
  const auto tissue = [&](const std::string& members) {
    return complaint(R"({"kinodynamic_recipe": 1, "field": {"tissue": [{"name": "calf", )" + members + "}]}}");
  };
  EXPECT_TRUE(has(complaint("{}"), "not a kinodynamic recipe"));
  EXPECT_TRUE(has(complaint("[]"), "not a kinodynamic recipe"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "muscle": []})"), "did you mean muscles"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "muscles": {}})"), "muscles: must be an array"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "muscles": [3]})"), "muscles[0]: must be a JSON object"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "window": 61})"), "window out of range"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "window": -1})"), "window out of range"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "field": {"source": "magic"}})"), "automatic, primitives"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "field": {"source": "primitives"}})"), "has no tissue"));
  EXPECT_TRUE(has(complaint(R"({"kinodynamic_recipe": 1, "field": {"step": 0}})"), "steps out of range"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-7", "radii": [1, 1, 1])"), "field.tissue[0].joint: joint 'limb-7'"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-7", "radii": [1, 1, 1])"), "did you mean"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-1", "radii": [1, 0, 1])"), "tissue 'calf': has a radius"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-1", "radii": [1, 1])"), "field.tissue[0].radii"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-1", "surface": "a.obj", "radii": [1, 1, 1])"), "comes from the surface"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-1", "surface": "missing.obj")"), "missing.obj"));
  EXPECT_TRUE(has(tissue(R"("joint": "limb-1", "margin": 2, "radii": [1, 1, 1])"), "margin"));
  EXPECT_TRUE(has(muscle(R"("frequency": 3)"), "muscles[0].radii: is missing"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "frequency": 1e39)"), "muscles[0].frequency"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "frequency": "fast")"), "muscles[0].frequency"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "frequency": 0)"), "muscle 'calf'"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "samples": 3)"), "samples"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "orientation": [1, 2])"), "three angles"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "space": "muscle")"), "muscles[0].space"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "skin_joints": ["limb-9"])"), "muscles[0].skin_joints[0]"));
  EXPECT_TRUE(
      has(muscle(R"("radii": [1, 1, 1], "skin_weights": {"vertices": [1], "weights": []})"), "1 in all, not 0"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "skin_weights": {"part": "skn", "vertices": [], "weights": []})"),
                  "skin_weights[0].part"));
  EXPECT_TRUE(has(muscle(R"("radii": [1, 1, 1], "skin_weights": {"vertices": [999999], "weights": [1]})"),
                  "vertex that does not exist"));
}

}  // namespace
}  // namespace supple
