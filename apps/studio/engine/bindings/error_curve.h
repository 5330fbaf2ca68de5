// How near a character comes to its examples with so many modes of each driver.
#pragma once

#include <span>
#include <vector>

#include "bindings/open_character.h"
#include "supple/rig/example_set.h"

namespace supple::browser {

/// Whether the set's poses and skins are those of the character: joints by name, and parts with as many vertices. The
/// rest skin may differ: a fit moves it. The places of the parts, in the set's order.
Result<std::vector<std::size_t>> shown_parts(const ExampleSet& set, const Character& character);

/// For each number of modes the mean over examples of relErr (EigenSkin 2002, figure 7): the root of the summed squared
/// distances to the example over the same for linear blend, of all parts. Of usable examples that are away from rest.
Result<std::vector<double>> error_curve(OpenCharacter& character, const ExampleSet& set,
                                        std::span<const std::uint32_t> modes);

}  // namespace supple::browser
