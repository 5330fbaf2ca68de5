#include "supple/files/flesh_recipe.h"

#include "fuzz/target.h"

namespace supple::fuzz {
namespace {

bool read_flesh_recipe_input(Input input) {
  const auto json = parse_json(as_text(input), "a.json");
  if (!json) return false;
  const auto recipe = flesh_recipe_of(*json, "a.json");
  if (!recipe) return false;
  require(flesh_recipe_of(to_json(*recipe), "again").ok(), "a recipe that was read can be written and read");
  return true;
}

Seeds flesh_recipe_seeds() {
  FleshRecipe recipe;
  recipe.unit = 0.01;
  ElementRecipe e;
  e.name = "belly";
  e.driver = "hips";
  e.ends = {"spine", "chest"};
  e.joints = {"hips"};
  e.part = "skin";
  e.vertices = {1, 2, 3};
  e.thickness = 0.1;
  e.mass = 2;
  e.springs = {{3.0, 0.3, {}, {}, {1, 2, 1}, 0.5}, {{}, {}, 100.0, 2.0, {1, 1, 1}, 0.5}};
  e.torsion = FleshTorsion{};
  e.air_friction = 0.1;
  e.gain = 2;
  e.max_elongation = 0.1;
  e.radius = 0.2;
  recipe.elements = {e};
  e.name = "other";
  recipe.elements.push_back(e);
  recipe.colliders = {{"ball", "hips", {0, 0, 0}, {0, 1, 0}, 0.1, {"belly"}}};
  recipe.contacts = {{"belly", "other"}};
  return {{"all", to_text(to_json(recipe))}};
}

}  // namespace

extern const Target flesh_recipe_target{
    "flesh_recipe",
    read_flesh_recipe_input,
    flesh_recipe_seeds,
    {"\"elements\": [", "\"colliders\": [", "\"contacts\": [", "\"name\": ", "\"driver\": ", "\"ends\": [",
     "\"springs\": [", "\"frequency\": ", "\"torsion\": {", "\"attenuation\": ", "\"preset\": ", "\"jelly\"",
     "\"unit\": ", "1e300", "-1"}};

}  // namespace supple::fuzz
