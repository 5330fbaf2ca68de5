// Metres that one unit of a file is. glTF says one; many files mean centimetres.
#pragma once

#include <optional>

#include "supple/workflow/jobs/model.h"

namespace supple::workflow {

/// As `stated`, else as the file says (see Character::unit), else by the size: what is larger than any creature is
/// taken for centimetres or millimetres, and that is told. The model remembers what was stated or guessed, and so does
/// what is written of it.
double settle_unit(Model& model, std::optional<double> stated, Work& work);

/// The same of a character that is only looked at.
double settle_unit(Character& character, Work& work);

/// The box of all surfaces in the rest pose, in the world, in units of the file.
Box world_box(const Character& character);

}  // namespace supple::workflow
