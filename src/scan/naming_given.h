// Names of bones that people gave, over those that were found.
#pragma once

#include <optional>

#include "supple/scan/naming.h"

namespace supple::scan {

/// `given`: pieces of each bone of the template, none where the program decides. A piece that is given to one bone is
/// taken from all others. The error names a piece that two bones were given, or a bone that is left without any.
Result<Naming> name_bones(std::span<const BonePart> parts, const BoneTemplate& skeleton,
                          std::span<const std::optional<std::vector<std::uint32_t>>> given,
                          Warnings* warnings = nullptr);

}  // namespace supple::scan
