// Kinodynamic skinning for a rig: weights in space and muscles under the skin, proposed or as told.
#pragma once

#include "supple/workflow/jobs/compare_deformer.h"
#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

struct AddKinodynamicsOptions {
  std::string input{};
  std::string output{};                // empty: nothing but the recipe is made
  bool automatic = false;              // weights by the distance to bones, muscles where there is flesh
  bool ellipsoids = false;             // weights by an ellipsoid of tissue along every bone
  bool painted = false;                // weights by the skin weights, carried into space
  std::string recipe{};                // field and muscles from this JSON file
  std::vector<std::string> tissue{};   // more of it, "name=thigh,joint=leg": see parse_tissue()
  std::vector<std::string> muscles{};  // more of them, see parse_muscle()
  std::size_t max_muscles = 12;        // that `automatic` proposes
  std::optional<double> window{};      // seconds that muscles remember
  std::string save_recipe{};           // write the recipe there; with nothing to add, that of the file
  std::optional<double> unit{};        // metres per unit of the file; none: see settle_unit()
  std::vector<std::string> hard{};     // joints or parts whose skin keeps its shape, see find_hard_skin()
  std::vector<std::string> soft{};     // joints or parts whose skin flows though it looks hard
  bool compare = true;                 // with linear blend; what is automatic is mended where it is worse

  /// Whether there is anything to add.
  bool has_source() const {
    return automatic || ellipsoids || painted || !recipe.empty() || !tissue.empty() || !muscles.empty();
  }
};

/// Skin that no tissue reaches.
struct UncoveredSkin {
  std::string part;
  std::vector<std::uint32_t> vertices;
};

struct AddedKinodynamics {
  Model model;  // with its kinodynamics
  std::vector<UncoveredSkin> uncovered;
  std::optional<SkinComparison> compared;  // where something was written
  std::vector<std::string> mended;         // what was changed so that it is not worse than linear blend, in sentences
};

/// Kinodynamics that the file has are replaced. Everything that would be shown is made once, so that a file which is
/// written can be shown.
Result<AddedKinodynamics> add_kinodynamics(const AddKinodynamicsOptions& options, Work& work);

}  // namespace supple::workflow
