#include "supple/files/engines.h"

#include <algorithm>
#include <array>

namespace supple {
namespace {

// three.js reads JOINTS_0 only; Babylon.js and Unreal read JOINTS_1 too; Godot imports up to eight; Unity's default
// quality blends four; Bevy and Filament hold 256 joints in a uniform buffer, Bevy 64 and Filament 256 morph targets.
constexpr std::array<Engine, 7> table{{
    {"three.js", "three", 4, {}, {}},
    {"babylon.js", "babylon", 8, {}, {}},
    {"godot", "godot", 8, {}, {}},
    {"unity", "unity", 4, {}, {}},
    {"unreal", "unreal", 8, {}, {}},
    {"bevy", "bevy", 4, 256, 64},
    {"filament", "filament", 4, 256, 256},
}};

}  // namespace

std::span<const Engine> engines() { return table; }

std::vector<std::string> exceeded_limits(const Engine& engine, const Character& character) {
  std::size_t influences = 0, morphs = 0, joints = 0;
  for (const Part& part : character.parts) {
    if (part.skin) influences = std::max(influences, part.weights.max_influences());
    morphs = std::max(morphs, part.morphs.size());
  }
  for (const SkinBinding& skin : character.skins) joints = std::max(joints, skin.joints.size());
  std::vector<std::string> lines;
  const auto check = [&](const char* what, std::size_t value, std::optional<std::size_t> limit) {
    if (limit && value > *limit)
      lines.push_back(std::to_string(value) + " " + what + ", at most " + std::to_string(*limit));
  };
  check("influences", influences, engine.influences);
  check("joints in a skin", joints, engine.joints);
  check("morph targets", morphs, engine.morph_targets);
  return lines;
}

}  // namespace supple
