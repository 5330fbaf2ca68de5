// Flesh for a character: proposed or as told, baked into every clip of a plain glTF file.
#pragma once

#include <optional>

#include "supple/author/bake/play_flesh.h"
#include "supple/author/propose/attach_flesh.h"
#include "supple/workflow/jobs/compare_skins.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct AddFleshOptions {
  std::string input{};
  std::string output{};                 // empty: nothing but the recipe is made
  bool automatic = false;               // propose elements from skeleton and volumes
  std::string recipe{};                 // elements from this JSON file
  std::vector<std::string> elements{};  // more of them, "name=belly,driver=hips": see parse_flesh_element()
  std::string save_recipe{};            // write the recipe there; with nothing to add, that of the file
  std::string preset{};                 // how all springs feel; empty: as each says
  std::optional<double> unit{};         // metres per unit of the file; none: see settle_unit()
  /// Joints that a vertex may follow, 0: any number. None: four, or as many as before where that is more.
  std::optional<std::size_t> influences{};
  FleshPlayOptions play{};
  std::vector<std::string> clip_loops{};  // "run=on", "wave=off": of single clips, instead of play.loop
  std::vector<std::string> hard{};        // joints or parts whose skin keeps its shape, see find_hard_skin()
  std::vector<std::string> soft{};        // joints or parts whose skin swings though it looks hard
  bool compare = true;                    // with linear blend; what is automatic is mended where it is worse

  /// Whether there is anything to add.
  bool has_source() const { return automatic || !recipe.empty() || !elements.empty(); }
};

/// What flesh does along one clip.
struct PlayedFlesh {
  std::string clip;
  double peak = 0;  // the largest displacement, in the file's unit
  std::string element;
  bool loops = false;
  double rate = 0;  // keys a second
  std::size_t keys = 0;
};

struct AddedFlesh {
  Model model;  // with its flesh, as it was written
  FleshRecipe recipe;
  std::vector<FleshRegion> regions;  // #elements; empty where only the recipe was made
  std::vector<PlayedFlesh> clips;
  std::size_t twins = 0;
  std::optional<SkinComparison> compared;  // where a file was written
  std::vector<std::string> mended;         // what was changed so that it is not worse than linear blend, in sentences
};

/// Flesh that the file has is replaced, so that recipes always start from the plain skin.
Result<AddedFlesh> add_flesh(const AddFleshOptions& options, Work& work);

}  // namespace supple::workflow
