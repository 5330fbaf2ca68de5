// How deep the folds of the skin are in a pose: each as deep as its strip needs to keep its length.
#pragma once

#include <span>
#include <vector>

#include "supple/base/mat.h"
#include "supple/rig/character.h"
#include "supple/rig/wrinkle.h"

namespace supple {

/// All that is needed to know where the strips' vertices are, and nothing of the rest of the skin. Immutable.
struct WrinkleTable {
  /// A joint that a vertex hangs on.
  struct Influence {
    JointIndex joint;  // no_joint: where it is
    float weight;
    Affinef inverse_bind;
  };
  /// What another morph target does to a vertex.
  struct Offset {
    std::uint32_t weight;  // place in Pose::morph_weights
    Vec3f offset;
  };
  struct Vertex {
    Vec3f position, fold;  // at rest, and what the wrinkle's own target adds
    std::uint32_t first_influence, first_offset;
  };
  struct Strip {
    std::uint32_t first_vertex, weight;
    float rest_length;
  };
  std::vector<Strip> strips;     // #wrinkles + 1
  std::vector<Vertex> vertices;  // #vertices of all strips + 1
  std::vector<Influence> influences;
  std::vector<Offset> offsets;
  std::size_t longest = 0;  // vertices of a strip

  std::size_t size() const { return strips.empty() ? 0 : strips.size() - 1; }
};

/// The error names the wrinkle that does not fit the character.
Result<WrinkleTable> build_wrinkle_table(const Character& character, std::span<const Wrinkle> wrinkles);

/// A vertex of a strip in the world: where it is with its fold flat, and where a full fold takes it.
struct FoldPoint {
  Vec3d base, fold;
};

/// Sets the weights of all wrinkles: where a strip is shorter than at rest, its fold is as high as gives it back its
/// length, or 1 where that is not enough; else 0. The other weights are taken as they are; where wrinkles overlap, one
/// counts with those before it. `world` are the joints (twins of flesh where the flesh is), bent as linear blend
/// skinning bends; `scratch` has table.longest entries. Does not allocate.
void drive_wrinkles(const WrinkleTable& table, std::span<const Affinef> world, std::span<FoldPoint> scratch,
                    std::span<float> morph_weights);

/// Metres: how long a strip is in a pose, all weights as they are.
double strip_length(const WrinkleTable& table, std::size_t wrinkle, std::span<const Affinef> world,
                    std::span<const float> morph_weights);

}  // namespace supple
