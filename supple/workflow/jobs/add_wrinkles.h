// Folds where the skin is squeezed, as morph targets with weights baked into every clip.
#pragma once

#include <optional>

#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

/// Lengths are the mesh's own (metres, mostly).
struct AddWrinklesOptions {
  std::string input{}, output{};
  std::string part{};  // empty: the first that is bound to joints
  /// Where the folds lie one behind the other: vertices joined by +, as numbers or as places x,y,z in the rest pose.
  std::vector<std::string> strips{};
  double wavelength = 0.02;
  std::optional<double> width{};   // none: 1.5 wavelengths
  std::optional<double> height{};  // none: a quarter of the wavelength
  std::string name = "wrinkle";    // those after the first are numbered
};

/// The largest weight that the clips give a wrinkle; 0 where none squeezes it.
struct DeepestFold {
  float weight = 0;
  std::string clip;
};

struct AddedWrinkles {
  Model model;                       // as it was written
  std::size_t first = 0;             // of the new ones in Character::wrinkles
  std::vector<DeepestFold> deepest;  // of each new one
};

/// Wrinkles that the file has stay.
Result<AddedWrinkles> add_wrinkles(const AddWrinklesOptions& options, Work& work);

}  // namespace supple::workflow
