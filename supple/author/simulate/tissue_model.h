// A body of flesh as a function of its nodes: elastic energy, forces on the free nodes, and the matrix of their
// stiffness.
#pragma once

#include <span>
#include <vector>

#include "supple/author/simulate/body.h"
#include "supple/author/simulate/material.h"
#include "supple/author/simulate/sparse/dissection.h"
#include "supple/geometry/tet_mesh.h"

namespace supple::simulate {

/// What the elements of a mesh do at some positions of its nodes.
struct ElementHealth {
  std::size_t inverted = 0;  // elements with det F <= 0 at some quadrature point
  double min_det = 1;        // the smallest det F
  std::uint32_t worst = 0;   // its element
  double volume = 0;         // cubic metres, deformed
};

/// Buffers of one solver; a model itself is immutable and may be shared by threads.
struct TissueWorkspace {
  std::vector<double> blocks;  // #E * nodes(nodes + 1)/2 * 9: stiffness of each element, lower triangle
  std::vector<Vec3d> forces;   // #E * nodes
};

class TissueModel {
 public:
  /// `bone_of` has an entry per node: the bone it follows, or no_bone. Elements that no free node belongs to do not
  /// deform freely and are left out. `region_of` picks each element's material; empty: all take the first.
  static Result<TissueModel> make(TetMesh mesh, std::vector<std::uint32_t> bone_of, std::span<const Material> materials,
                                  std::span<const std::uint32_t> region_of = {});

  const TetMesh& mesh() const { return mesh_; }  // its elements are the active ones
  std::span<const std::uint32_t> bone_of() const { return bone_of_; }
  std::span<const std::uint32_t> free_nodes() const { return free_nodes_; }
  std::size_t free_count() const { return free_nodes_.size(); }
  const BlockPattern& pattern() const { return pattern_; }
  /// In which free nodes are best eliminated; found once, for all solvers of this model.
  const Dissection& elimination_order() const { return elimination_order_; }
  const Hyperelastic& material(std::size_t element) const { return materials_[region_of_[element]]; }
  std::span<const Hyperelastic> materials() const { return materials_; }
  std::uint32_t region(std::size_t element) const { return region_of_[element]; }  // place in materials()
  /// Deformation gradient at a quadrature point of an element.
  Mat3d gradient(std::size_t element, std::size_t point, std::span<const Vec3d> x) const;
  std::size_t points_per_element() const { return points_; }

  double energy(std::span<const Vec3d> x) const;
  /// Derivatives of the energy by the free nodes: `forces` has one entry per free node (the gradient, not its
  /// negative), `stiffness` nine per block of the pattern. With `project`, every element's negative eigenvalues are set
  /// to zero.
  void derivatives(std::span<const Vec3d> x, bool project, TissueWorkspace& workspace, std::span<Vec3d> forces,
                   std::span<double> stiffness) const;
  ElementHealth health(std::span<const Vec3d> x) const;
  /// Elements with det F <= 0 at some quadrature point, in their order.
  std::vector<std::uint32_t> inverted(std::span<const Vec3d> x) const;

 private:
  void number_nodes();
  void find_pattern();
  void element_derivatives(std::size_t e, std::span<const Vec3d> x, bool project, Vec3d* forces, double* blocks) const;
  std::span<const Vec3d> shape_gradients(std::size_t element, std::size_t point) const {
    const std::size_t n = mesh_.nodes_per_element;
    return {&shape_gradients_[(element * points_ + point) * n], n};
  }

  TetMesh mesh_;
  std::vector<std::uint32_t> bone_of_;
  std::vector<Hyperelastic> materials_;
  std::vector<std::uint32_t> region_of_;             // #E
  std::size_t points_ = 1;                           // quadrature points an element
  std::vector<double> weights_;                      // #E * points, cubic metres at rest
  std::vector<Vec3d> shape_gradients_;               // #E * points * nodes, by the rest position
  std::vector<std::uint32_t> free_nodes_, free_of_;  // free_of_: #N, its place in free_nodes_ or no_bone
  BlockPattern pattern_;
  Dissection elimination_order_;
  // What is added up in each block of the pattern and each free node: in the order of elements, whoever adds.
  std::vector<std::size_t> block_sources_first_;  // #blocks + 1
  std::vector<std::uint32_t> block_sources_;      // 2 * (element's block) + (1: transposed)
  std::vector<std::size_t> node_sources_first_;   // #free + 1
  std::vector<std::uint32_t> node_sources_;       // element * nodes + corner
};

}  // namespace supple::simulate
