// Makes a wrinkle: waves along a strip of the skin, as a morph target.
#pragma once

#include "supple/rig/character.h"
#include "supple/rig/wrinkle.h"

namespace supple {

/// Lengths are the mesh's own (metres, mostly).
struct WrinkleOptions {
  std::string name = "wrinkle";
  /// The strip passes through these vertices, two or more, and takes the shortest way along edges from one to the next.
  std::vector<std::uint32_t> strip;
  double wavelength = 0.02;  // from crest to crest, nearly: whole waves fit the strip
  double width = 0.03;       // from the strip to where the folds have run out, on either side
  double height = 0;         // of the crests at weight 1; 0: a quarter of the wavelength, which makes up for a third
};

/// Appends a wrinkle to the character, and its morph target to the part. `parts`: the one with the strip first, then
/// other surfaces of the same mesh. Clips stay as they are: see bake_drivers(). The error names the option or vertex;
/// the character is then unchanged.
Result<void> add_wrinkle(Character& character, std::span<const std::size_t> parts, const WrinkleOptions& options);

}  // namespace supple
