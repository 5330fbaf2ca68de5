// Folds of the skin: a strip of vertices that keeps its length when it is compressed, by a morph target that lays it in
// waves (a geometric layer over the others, after Larboulette and Cani, Real-Time Dynamic Wrinkles, 2004).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supple/base/result.h"
#include "supple/rig/deformer_kind.h"

namespace supple {

struct Character;

struct Wrinkle {
  std::string name;
  std::uint32_t part = 0;            // place in Character::parts
  std::vector<std::uint32_t> strip;  // vertices of the part, two or more, one after the other along its surface
  float rest_length = 0;             // metres, > 0: of the strip in the rest pose
  std::uint32_t weight = 0;          // its morph target's place in Pose::morph_weights; 0 lies flat, 1 is all it can do
  friend bool operator==(const Wrinkle&, const Wrinkle&) = default;
};

/// Ranges, a morph target of the wrinkle's own part, a strip that goes on. The error says what is wrong; the caller
/// says with which wrinkle.
Result<void> validate(const Wrinkle& wrinkle, const Character& character);

extern const DeformerKind wrinkle_kind;

}  // namespace supple
