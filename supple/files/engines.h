// What real-time engines accept of a skinned glTF file.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supple/rig/character.h"

namespace supple {

/// Limits of one engine's stock glTF import; absent where it has none that files meet.
struct Engine {
  std::string_view name, option;             // for people, and on the command line
  std::optional<std::size_t> influences;     // joints per vertex; further ones are dropped
  std::optional<std::size_t> joints;         // per skin
  std::optional<std::size_t> morph_targets;  // per mesh
};

std::span<const Engine> engines();

/// In which ways a character exceeds an engine's limits, one line each; none where it fits.
std::vector<std::string> exceeded_limits(const Engine& engine, const Character& character);

}  // namespace supple
