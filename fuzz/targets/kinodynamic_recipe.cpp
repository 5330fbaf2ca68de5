#include "supple/files/kinodynamic_recipe.h"

#include "fuzz/target.h"
#include "support/driven_character.h"
#include "support/full_kinodynamics.h"

namespace supple::fuzz {
namespace {

const Character& recipe_strip() {
  static const Character character = test::driven_strip();
  return character;
}

bool read_kinodynamic_recipe_input(Input input) {
  const auto json = parse_json(as_text(input), "a.json");
  if (!json) return false;
  Warnings warnings;
  const auto recipe = kinodynamic_recipe_of(*json, "a.json", recipe_strip(), "/nowhere", &warnings);
  if (!recipe) return false;
  const Json again = kinodynamic_recipe_json(*recipe, recipe_strip());
  require(kinodynamic_recipe_of(again, "again", recipe_strip(), "/nowhere").ok(),
          "a recipe that was read can be written and read");
  return true;
}

Seeds kinodynamic_recipe_seeds() {
  return {{"all", to_text(kinodynamic_recipe_json(test::full_kinodynamics(), recipe_strip()))}};
}

}  // namespace

extern const Target kinodynamic_recipe_target{
    "kinodynamic_recipe",
    read_kinodynamic_recipe_input,
    kinodynamic_recipe_seeds,
    {"\"field\": {", "\"primitives\": [", "\"muscles\": [", "\"joint\": ", "\"root\"", "\"joint 1\"", "\"center\": [",
     "\"radii\": [", "\"samples\": ", "\"shape\": ", "\"a.obj\"", "\"volume\": ", "\"part\": ", "\"strip\"", "1e38",
     "-0"}};

}  // namespace supple::fuzz
