// Flesh recipes as JSON files that people write and edit.
#pragma once

#include <filesystem>

#include "supple/files/json_file.h"
#include "supple/rig/flesh_recipe.h"

namespace supple {

/// The error names the file, the element and what is wrong with which key; unknown keys are errors.
Result<FleshRecipe> read_flesh_recipe(const std::filesystem::path& path);
Result<FleshRecipe> flesh_recipe_of(const Json& json, const std::string& name);
/// "name=belly,driver=hips,ends=spine+chest,preset=jelly": the keys of an element in a recipe file, lists joined by +.
Result<ElementRecipe> parse_flesh_element(std::string_view text);

/// Only what differs from the defaults.
Json to_json(const FleshRecipe& recipe);

}  // namespace supple
