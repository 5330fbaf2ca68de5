// The arithmetic of projective dynamics on a lattice, for many poses at once: a lane of a vector is a pose. One
// compilation per instruction set; each gives the same bits, since lanes never meet and nothing is fused.
#pragma once

#include <cstdint>
#include <vector>

#include "supple/author/lattice/lattice.h"

namespace supple::lattice {

inline constexpr std::size_t lanes = 16;  // poses that are solved together
struct alignas(64) Lanes {
  float lane[lanes];
};

/// What the elastic energy wants of every node. Lengths are in edges of a cell.
struct LocalStep {
  const Cell* cells = nullptr;
  std::size_t cell_count = 0;
  const Lanes* x = nullptr;          // #nodes by 3
  Lanes* force = nullptr;            // #nodes by 3: added to
  Lanes* rotations = nullptr;        // #cells by 6 by 4: (x, y, z, w) of each tetrahedron, kept from step to step
  const Lanes* scale = nullptr;      // #cells: how large a cell wants to be; null: 1
  const float* stiffness = nullptr;  // #cells: of shape and volume alike; null: 1
  float volume_weight = 2;
  const Lanes* active = nullptr;  // rotations of poses that are 0 here stay as they are; null: none does
};

/// A dense piece of the Cholesky factor, by rows: a triangle of `columns` rows, whose diagonal is inverted, and #below
/// rows of `columns` each.
struct FactorPanel {
  std::uint32_t first = 0, columns = 0;
  std::uint32_t below_first = 0, below_count = 0;  // in FactorView::below
  std::size_t values = 0;                          // in FactorView::values
};
struct FactorView {
  const FactorPanel* panels = nullptr;
  std::size_t panel_count = 0;
  const std::uint32_t* below = nullptr;
  const float* values = nullptr;
};

struct ProjectiveKernel {
  void (*local_step)(const LocalStep& step);
  /// Overwrites the right-hand side (#nodes by 3) with the solution.
  void (*solve)(const FactorView& factor, Lanes* x);
  const char* name;
};
/// The widest that this processor has.
const ProjectiveKernel& projective_kernel();
/// All that this processor has, narrowest first.
std::vector<const ProjectiveKernel*> projective_kernels();

}  // namespace supple::lattice
