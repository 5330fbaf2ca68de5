// Parts by the names that people know them by: that of the mesh, or that of the node which carries it.
#pragma once

#include <string_view>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// All parts that a name means: the part of that name, or all parts of the mesh or node of that name; '*' stands for
/// any letters. In increasing order, not empty; the error lists the names there are.
Result<std::vector<std::size_t>> find_parts(const Character& character, std::string_view name);

/// The one part of that name; a node or mesh of several parts is an error that lists them. Without a name the first
/// skinned part, or else the first.
Result<std::size_t> find_part(const Character& character, std::string_view name = {});

/// The parts that joints bend, in increasing order; may be empty.
std::vector<std::size_t> skinned_parts(const Character& character);

}  // namespace supple
