// Elements, tissue and muscles as they are written on the command line.
#include "fuzz/target.h"
#include "supple/files/flesh_recipe.h"
#include "supple/files/kinodynamic_recipe.h"
#include "support/driven_character.h"

namespace supple::fuzz {
namespace {

bool read_recipe_words_input(Input input) {
  static const Character strip = test::driven_strip();
  const std::string_view text = as_text(input);
  if (text.find(".obj") != std::string_view::npos) return false;  // files of this folder are no part of the input
  Warnings warnings;
  const bool flesh = parse_flesh_element(text).ok(), tissue = parse_tissue(text, strip, &warnings).ok();
  return parse_muscle(text, strip, &warnings).ok() || flesh || tissue;
}

Seeds recipe_words_seeds() {
  return {{"flesh", "name=belly,driver=hips,ends=spine+chest,preset=jelly"},
          {"tissue", "name=calf,joint=root,center=0+0.1+0,radii=0.04+0.12+0.04"},
          {"muscle", "name=calf,joint=joint 1,center=0+0.1+0,radii=0.04+0.12+0.04,samples=162,frequency=4"}};
}

}  // namespace

extern const Target recipe_words_target{"recipe_words",
                                        read_recipe_words_input,
                                        recipe_words_seeds,
                                        {"name=", "driver=", "ends=", "joint=", "root", "joint 1", "center=", "radii=",
                                         "kind=bone", "samples=", "frequency=", "preset=", "jelly", "+", ",", "1e38"}};

}  // namespace supple::fuzz
