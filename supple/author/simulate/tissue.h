// A body cut into elements and ready to be posed: which nodes follow bones, how the rest is guessed, and where the skin
// sits in it.
#pragma once

#include "supple/author/simulate/body.h"
#include "supple/author/simulate/tissue_model.h"
#include "supple/base/progress.h"
#include "supple/geometry/embedding.h"

namespace supple::simulate {

struct TissueOptions {
  double element_size = 0.005;  // metres, or the character's unit
  double unit = 1;              // metres that one unit is, for what is told
  bool quadratic = false;       // T10 instead of T4
  std::vector<Material> materials{Material{}};
  std::size_t max_elements = 2'000'000;
};

struct Tissue {
  TissueModel model;
  TetMesh mesh;       // all elements, also those inside bones: the skin is embedded in it
  SkinWeights guess;  // #N: blend of bones that predicts the free nodes of the next step
  Embedding skin;     // of Body::skin
  /// #V of Body::skin: 1 in flesh and up to three quarters of an element away, 0 from an element on: limbs that are
  /// thinner than elements have no flesh, and what flesh elsewhere does says nothing about them.
  std::vector<float> in_flesh;
  EmbeddingError skin_error;
  TetQuality quality;
  std::vector<std::size_t> nodes_of_bone;  // #bones
  std::size_t dropped_elements = 0;        // of islands too thin to hang together
};

/// Fills the skin with elements of one size.
Result<Tissue> make_tissue(const Body& body, const TissueOptions& options, Warnings* warnings = nullptr,
                           const Progress& progress = {});
/// Takes elements from elsewhere, such as a volume mesher; `regions` picks materials and may be empty.
Result<Tissue> make_tissue(const Body& body, TetMesh mesh, std::span<const std::uint32_t> regions,
                           const TissueOptions& options, Warnings* warnings = nullptr);

bool reaches_beyond_flesh(const Tissue& tissue);

/// Skin positions for node positions; `out` has one entry per vertex of Body::skin, and so has `linear`: where linear
/// blend has skin that has no flesh. Empty: the nearest flesh is continued there. `keep`, with `linear` alone: how much
/// of each vertex is the simulation's, the rest being linear blend's; empty: all. See sound_region().
void skin_positions(const Tissue& tissue, std::span<const Vec3d> nodes, std::span<const Vec3f> linear,
                    std::span<Vec3f> out, std::span<const float> keep = {});

}  // namespace supple::simulate
