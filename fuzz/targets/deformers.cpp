// The extension SUPPLE_deformers alone, put into a file that is always right.
#include "supple/files/gltf/deformers.h"

#include "fuzz/targets/gltf_character.h"
#include "supple/files/gltf/edit.h"
#include "supple/files/gltf/write.h"
#include "supple/files/json_file.h"
#include "support/full_kinodynamics.h"
#include "support/pose_space_arm.h"

namespace supple::fuzz {
namespace {

gltf::Document document_of(const Character& character) {
  auto document = gltf::to_document(character);
  require(document.ok(), "the character is written");
  return std::move(*document);
}

bool read_deformers_input(Input input) {
  static const gltf::Document plain = document_of(character_of_everything());
  auto extension = parse_json(as_text(input), "extension.json");
  if (!extension) return false;
  gltf::Document document = plain;
  document.root["extensions"]["SUPPLE_deformers"] = std::move(*extension);
  const auto imported = gltf::to_character(document, nullptr, {.strict = true});
  if (!imported) return false;
  const auto put = gltf::put_deformers(document, imported->character, imported->sources, gltf::places_of(*imported));
  require(put && gltf::to_character(document, nullptr, {.strict = true}).ok(),
          "deformers that were read can be written and read again");
  return true;
}

std::string extension_of(const Character& character) {
  return document_of(character).root["extensions"]["SUPPLE_deformers"].dump();
}

/// Flesh on the first bone of the strip, with a twin joint that is the fourth.
Flesh some_flesh() {
  FleshElement element;
  element.name = "calf";
  element.driver = 0;
  element.ends = {1};
  element.half_length = 0.25f;
  element.radius = 0.1f;
  element.max_elongation = 0.05f;
  element.springs = {{}};
  element.torsion = FleshTorsion{};
  Flesh flesh;
  flesh.elements = {element};
  flesh.colliders = {{"ball", 2, {}, {0, 0.1f, 0}, 0.1f, {0}}};
  return flesh;
}

Seeds deformers_seeds() {
  Character driven = character_of_everything(), kinodynamic = driven, fleshy = driven, folded = driven;
  kinodynamic.drivers.clear();
  kinodynamic.kinodynamics = test::full_kinodynamics();
  fleshy.drivers.clear();
  fleshy.flesh = some_flesh();
  folded.drivers.clear();
  folded.wrinkles = {{"fold", 0, {0, 2, 4}, 1.0f, 0}};
  return {{"drivers", extension_of(driven)},
          {"kinodynamics", extension_of(kinodynamic)},
          {"flesh", extension_of(fleshy)},
          {"wrinkles", extension_of(folded)}};
}

}  // namespace

extern const Target deformers_target{"deformers",
                                     read_deformers_input,
                                     deformers_seeds,
                                     {"\"version\":1",    "\"drivers\":[",      "\"flesh\":{",    "\"elements\":[",
                                      "\"colliders\":[",  "\"contacts\":[[",    "\"wrinkles\":[", "\"strip\":[",
                                      "\"deltaMush\":[",  "\"kinodynamics\":{", "\"muscles\":[",  "\"field\":{",
                                      "\"poseSpaces\":[", "\"node\":",          "\"primitive\":", "\"joints\":[",
                                      "\"springs\":[",    "\"twins\":[",        "\"centres\":[",  "\"coefficients\":[",
                                      "\"kernel\":",      "\"linear\"",         "\"pose\"",       "\"radii\":[",
                                      "\"firstTarget\":", "4294967295",         "1e38",           "-1"}};

}  // namespace supple::fuzz
