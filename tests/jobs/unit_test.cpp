// Files in centimetres: noticed by their size, told once, remembered, and everything in metres is right.
#include "supple/workflow/jobs/unit.h"

#include <gtest/gtest.h>

#include "jobs/made_limb.h"
#include "supple/workflow/jobs/add_flesh.h"
#include "supple/workflow/jobs/add_kinodynamics.h"
#include "supple/workflow/jobs/add_wrinkles.h"
#include "supple/workflow/jobs/convert_file.h"
#include "supple/workflow/jobs/measure_file.h"
#include "supple/workflow/jobs/simulate/simulate.h"

namespace supple::test {
namespace {

using namespace workflow;

/// The limb a hundred times as large: 60 units long.
std::string in_centimetres(const MadeLimb& limb) {
  auto document = gltf::read_document(limb.file).value();
  Json& nodes = document.root["nodes"];
  Json tops = Json::array();
  for (const Json& node : document.root["scenes"][0]["nodes"])
    if (!nodes[node.get<std::size_t>()].contains("mesh")) tops.push_back(node);
  for (const Json& top : tops) {
    Json kept = Json::array();
    for (const Json& node : document.root["scenes"][0]["nodes"])
      if (node != top) kept.push_back(node);
    document.root["scenes"][0]["nodes"] = kept;
  }
  document.root["scenes"][0]["nodes"].push_back(nodes.size());
  nodes.push_back({{"name", "Armature"}, {"scale", {100, 100, 100}}, {"children", tops}});
  const std::string path = (limb.work / "centimetres.glb").string();
  EXPECT_TRUE(gltf::write_document(path, document));
  return path;
}

bool tells_of_units(const Work& work) {
  return std::any_of(work.warnings.begin(), work.warnings.end(),
                     [](const std::string& w) { return w.find("are taken for centimetres") != std::string::npos; });
}

TEST(Unit, FleshOfAFileInCentimetresIsThatOfTheSameInMetres) {
  const MadeLimb limb(2000);
  const std::string file = in_centimetres(limb), out = (limb.work / "soft.glb").string();
  Work metres, centimetres, again;
  const auto expected = workflow::add_flesh({.input = limb.file, .output = limb.out, .automatic = true}, metres);
  ASSERT_TRUE(expected) << expected.error().message();
  EXPECT_FALSE(tells_of_units(metres));
  const auto added = workflow::add_flesh({.input = file, .output = out, .automatic = true}, centimetres);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_TRUE(tells_of_units(centimetres));
  EXPECT_EQ(added->recipe.unit, 0.01);
  ASSERT_EQ(added->regions.size(), expected->regions.size());
  for (std::size_t e = 0; e < added->regions.size(); ++e) {
    const FleshElement &a = added->model.character().flesh.elements[e],
                       &b = expected->model.character().flesh.elements[e];
    // A ring of triangles lies just at an end of the bone, on either side by rounding.
    EXPECT_NEAR(added->regions[e].volume, expected->regions[e].volume, 0.02 * expected->regions[e].volume);
    EXPECT_NEAR(a.springs[0].frequency, b.springs[0].frequency, 0.01f * b.springs[0].frequency);
    EXPECT_NEAR(a.max_elongation, 100 * b.max_elongation, 1e-3f * a.max_elongation);
    EXPECT_NEAR(a.gravity.y, -981, 1e-2);
  }
  // What was written remembers: nothing is told of it any more.
  EXPECT_EQ(load(out).value().character().unit, 0.01);
  ASSERT_TRUE(workflow::add_flesh({.input = out, .output = out, .automatic = true}, again));
  EXPECT_FALSE(tells_of_units(again));
}

TEST(Unit, WhatIsStatedCounts) {
  const MadeLimb limb;
  const std::string file = in_centimetres(limb);
  Work work;
  ASSERT_TRUE(convert_file({.input = file, .output = limb.out, .unit = 1.0}, work));
  EXPECT_EQ(limb.after().unit, 1.0);
  const auto measured = measure_file({.input = limb.out}, work);
  ASSERT_TRUE(measured) << measured.error().message();
  EXPECT_FALSE(tells_of_units(work));
  const double giant = measured->parts[0].volume.rest;
  const auto guessed = measure_file({.input = file}, work);
  ASSERT_TRUE(guessed) << guessed.error().message();
  EXPECT_TRUE(tells_of_units(work));
  EXPECT_NEAR(guessed->parts[0].volume.rest, giant * 1e-6, 1e-10 * giant);
}

TEST(Unit, MusclesHangByTheGravityOfTheFile) {
  const MadeLimb limb(2000);
  const std::string file = in_centimetres(limb), recipe = (limb.work / "recipe.json").string();
  Work work;
  AddKinodynamicsOptions options{.input = file, .output = limb.out, .automatic = true};
  options.compare = false;
  options.save_recipe = recipe;
  const auto added = workflow::add_kinodynamics(options, work);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_TRUE(tells_of_units(work));
  const std::vector<VortexMuscle> muscles = limb.after().kinodynamics->muscles;
  ASSERT_FALSE(muscles.empty());
  for (const VortexMuscle& m : muscles) EXPECT_NEAR(m.gravity.y, -981, 1e-2);
  AddKinodynamicsOptions told{.input = file, .output = limb.out};
  told.compare = false;
  told.muscles = {"name=calf,joint=limb-1,radii=3+8+3"};
  ASSERT_TRUE(workflow::add_kinodynamics(told, work));
  EXPECT_NEAR(limb.after().kinodynamics->muscles[0].gravity.y, -981, 1e-2);
  EXPECT_NEAR(length(limb.after().kinodynamics->muscles[0].modelled_gravity), 981, 1e-2);
}

TEST(Unit, FoldsAreMetresOfTheWorld) {
  const MadeLimb limb(4000);
  Work work;
  AddWrinklesOptions options{.input = limb.file, .output = limb.out, .wavelength = 0.04};
  options.strips = {"0,0.1,0.05+0,0.3,0.05"};
  const auto metres = workflow::add_wrinkles(options, work);
  ASSERT_TRUE(metres) << metres.error().message();
  options.input = in_centimetres(limb);
  options.strips = {"0,10,5+0,30,5"};
  const auto centimetres = workflow::add_wrinkles(options, work);
  ASSERT_TRUE(centimetres) << centimetres.error().message();
  const Wrinkle &a = metres->model.character().wrinkles[0], &b = centimetres->model.character().wrinkles[0];
  EXPECT_EQ(a.strip, b.strip);
  EXPECT_NEAR(b.rest_length, 100 * a.rest_length, 1e-3f * b.rest_length);
  EXPECT_NEAR(centimetres->deepest[0].weight, metres->deepest[0].weight, 1e-3f);
}

TEST(Unit, ElementsAreMillimetresOfTheWorld) {
  const MadeLimb limb;
  SimulateOptions options;
  options.input = limb.file;
  options.output = (limb.work / "examples").string();
  options.unit = 0;
  options.size_mm = 30;
  Work work;
  const auto metres = prepare(options, work);
  ASSERT_TRUE(metres) << metres.error().message();
  options.input = in_centimetres(limb);
  const auto centimetres = prepare(options, work);
  ASSERT_TRUE(centimetres) << centimetres.error().message();
  EXPECT_TRUE(tells_of_units(work));
  // The same lattice a hundred times as large; rounding of its place may cut a few elements otherwise.
  const auto count = static_cast<double>(metres->simulation.tissue.mesh.element_count());
  EXPECT_NEAR(static_cast<double>(centimetres->simulation.tissue.mesh.element_count()), count, 0.05 * count);
}

}  // namespace
}  // namespace supple::test
