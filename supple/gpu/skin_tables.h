// A part as the vertex shader reads it: flat tables, a texture each.
#pragma once

#include <cstdint>
#include <vector>

#include "supple/rig/character.h"

namespace supple::gpu {

/// Texels lie in rows of `texture_width`, the last row filled up with zeros; texel i is at (i % width, i / width). A
/// vertex reads its own entries and no others: what it costs grows with its influences and offsets, never with the
/// number of joints or targets in the file.
struct SkinTables {
  static constexpr std::uint32_t texture_width = 2048;  // what every WebGL2 has

  std::uint32_t vertex_count = 0, joint_count = 0, target_count = 0;
  std::vector<Vec3f> positions, normals;  // #V, at rest
  std::vector<std::uint32_t> ranges;  // a texel of four a vertex: first influence, influences, first offset, offsets
  std::vector<float> influences;  // a texel of two each: joint in the palette, weight; the heaviest of a vertex first
  std::vector<float> offsets;     // two texels of four each: target, x, y, z | x, y, z of the normal, 0
};

/// The part must fit the character (see validate(Character)). What the shader makes of the tables, with morph weights
/// and twins that are known, is Layers::as_given(); whether that is all of a part tells layers_beyond_weights().
SkinTables build_skin_tables(const Character& character, const Part& part);

/// Texels in whole rows.
constexpr std::size_t texture_rows(std::size_t texels) {
  return (texels + SkinTables::texture_width - 1) / SkinTables::texture_width;
}

}  // namespace supple::gpu
