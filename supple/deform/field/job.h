// The kinematic part itself: carries a skin from the rest pose to a pose along the flow, fold-over free and keeping its
// volume.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "supple/deform/field/state.h"
#include "supple/rig/skin_weights.h"

namespace supple {

/// A skin's vertices in blocks: of one limb, close to each other. Immutable.
struct FieldBlocks {
  struct Lists {
    std::uint32_t first_shape = 0, first_touch = 0;  // in `picks`
    std::uint32_t first_row = 0;                     // in `shares`
  };
  std::vector<field_kernel::Block> blocks;  // at rest; where their lists are is filled in when they are run
  std::vector<Lists> lists;                 // #blocks
  std::vector<std::uint32_t> vertices;      // #blocks * block_size; the last of a block may repeat
  std::vector<field_kernel::Pick> picks;
  std::vector<std::array<float, field_kernel::block_size>> shares;
  std::vector<std::array<float, field_kernel::block_size>> thinness;  // #blocks, or none: see FieldTable
  std::size_t vertex_count = 0;
};

/// `rest`: #V, the skin in the rest pose, world space. `thinness`: #V, or none; those of FieldTable for these vertices.
/// `weights`: #V, or null; by limbs' numbers: what the skin follows decides which limbs are its kin.
FieldBlocks make_blocks(const FieldTable& table, std::span<const Vec3f> rest, std::span<const float> thinness = {},
                        const SkinWeights* weights = nullptr);

struct FieldJob {
  const FieldTable* table = nullptr;
  const FieldBlocks* blocks = nullptr;
  const FieldState* state = nullptr;
  std::span<Vec3f> positions;                      // #V, out: world space
  unsigned threads = 1;                            // 0: all
  const field_kernel::Kernels* kernels = nullptr;  // null: the fastest

  /// Sizes only.
  Result<void> validate() const;
  void run() const;
};

}  // namespace supple
