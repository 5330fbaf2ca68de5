// Tetrahedra that fill the inside of a distance field (Labelle and Shewchuk, Isosurface Stuffing: Fast Tetrahedral
// Meshes with Good Dihedral Angles, 2007).
#pragma once

#include "supple/base/progress.h"
#include "supple/geometry/isosurface.h"
#include "supple/geometry/tet_mesh.h"

namespace supple {

struct StuffingOptions {
  Box box;                             // contains the inside of the field
  double element_size = 0.005;         // lattice constant, metres: the longest edges inside
  double lipschitz = 1;                // |field(p) - field(q)| <= lipschitz * |p - q|
  double volume = 0;                   // of the inside where known, cubic metres; 0: up to the box's
  std::size_t max_elements = 5000000;  // more are refused before the field is asked
};

/// Elements that `stuff` makes of a volume (cubic metres): within a tenth for bodies twenty or more elements across, up
/// to a third too few for thin ones.
std::size_t estimate_elements(double volume, double element_size);
/// The smallest element size with at most `max_elements`.
double smallest_element_size(double volume, std::size_t max_elements);

/// Fills where the field is negative with linear elements of one size. Lattice points near the surface are moved onto
/// it, the remaining elements across it are cut, and neighbours always agree about their common face. Features thinner
/// than the elements are lost, or come out as separate parts: see connected_parts and the volume of quality(). The
/// field is called from several threads at once; the result is the same for any number of them.
Result<TetMesh> stuff(const Field& field, const StuffingOptions& options, const Progress& progress = {});

}  // namespace supple
