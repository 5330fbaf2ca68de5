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

struct EngineLimit {
  std::size_t most = 0;
  const char* reason;  // why: "it reads JOINTS_0 and drops the others"
};

/// Limits of one engine's stock glTF import; absent where it has none that files meet.
struct Engine {
  std::string_view name, option;             // for people, and on the command line
  std::optional<EngineLimit> influences;     // joints per vertex; further ones are dropped
  std::optional<EngineLimit> joints;         // per skin
  std::optional<EngineLimit> morph_targets;  // per mesh
};

std::span<const Engine> engines();

/// "4 influences, 256 joints in a skin, 64 morph targets".
std::string limits_text(const Engine& engine);

/// In which ways a character exceeds an engine's limits and why these are, one line each; none where it fits.
std::vector<std::string> exceeded_limits(const Engine& engine, const Character& character);

}  // namespace supple
