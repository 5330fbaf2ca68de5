// A character for an engine: read it, play it. Nothing of the file's format comes along.
#pragma once

#include <filesystem>

#include "supple/rig/character.h"

namespace supple {

/// .glb, .gltf: everything. .obj: one part without joints. .bvh: a skeleton and a clip. Who wants to edit the file
/// calls load() instead, which keeps the document.
Result<Character> load_character(const std::filesystem::path& path, Warnings* warnings = nullptr);

}  // namespace supple
