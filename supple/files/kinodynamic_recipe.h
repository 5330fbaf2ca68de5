// Kinodynamic recipes: JSON files that people write and edit, with joints and parts by name, angles in degrees and
// shapes from OBJ files.
#pragma once

#include <filesystem>

#include "supple/files/json_file.h"
#include "supple/rig/character.h"

namespace supple {

/// The error names the file, the item and what is wrong with which key; unknown keys are errors. Shapes are looked for
/// beside the recipe.
Result<Kinodynamics> read_kinodynamic_recipe(const std::filesystem::path& path, const Character& character,
                                             Warnings* warnings = nullptr);
Result<Kinodynamics> kinodynamic_recipe_of(const Json& json, const std::string& name, const Character& character,
                                           const std::filesystem::path& folder = {}, Warnings* warnings = nullptr);

/// "name=calf,joint=shin,center=0+0.1+0,radii=0.04+0.12+0.04": the keys that the item has in a recipe, lists joined by
/// +. Shapes are looked for in the current folder.
Result<TissuePrimitive> parse_tissue(std::string_view keys, const Character& character, Warnings* warnings = nullptr);
Result<VortexMuscle> parse_muscle(std::string_view keys, const Character& character, Warnings* warnings = nullptr);

/// Only what differs from the defaults; shapes are written out.
Json kinodynamic_recipe_json(const Kinodynamics& kinodynamics, const Character& character);

}  // namespace supple
