#include "supple/files/engines.h"

#include <algorithm>
#include <array>

namespace supple {
namespace {

constexpr const char *first_four = "it reads JOINTS_0 and drops the others",
                     *two_sets = "it reads JOINTS_0 and JOINTS_1",
                     *quality = "its default quality, Skin Weights, blends four",
                     *uniform = "they lie in a uniform buffer of that size",
                     *morph_uniform = "their weights lie in a uniform buffer of that size";

constexpr std::array<Engine, 7> table{{
    {"three.js", "three", {{4, first_four}}, {}, {}},
    {"babylon.js", "babylon", {{8, two_sets}}, {}, {}},
    {"godot", "godot", {{8, two_sets}}, {}, {}},
    {"unity", "unity", {{4, quality}}, {}, {}},
    {"unreal", "unreal", {{8, two_sets}}, {}, {}},
    {"bevy", "bevy", {{4, first_four}}, {{256, uniform}}, {{64, morph_uniform}}},
    {"filament", "filament", {{4, first_four}}, {{256, uniform}}, {{256, morph_uniform}}},
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
  const auto check = [&](const char* what, std::size_t value, const std::optional<EngineLimit>& limit) {
    if (limit && value > limit->most)
      lines.push_back(std::to_string(value) + " " + what + ", at most " + std::to_string(limit->most) + ": " +
                      limit->reason);
  };
  check("influences", influences, engine.influences);
  check("joints in a skin", joints, engine.joints);
  check("morph targets", morphs, engine.morph_targets);
  return lines;
}

std::string limits_text(const Engine& engine) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<EngineLimit>& limit) {
    if (limit) text += (text.empty() ? "" : ", ") + std::to_string(limit->most) + " " + what;
  };
  add("influences", engine.influences);
  add("joints in a skin", engine.joints);
  add("morph targets", engine.morph_targets);
  return text;
}

}  // namespace supple
