// Elastic flesh that follows the joints (projective dynamics: Bouaziz et al. 2014) on a lattice. Nodes whose weights
// belong to one joint are held by it, the rest is in equilibrium. It cannot fail: every iterate is a surface, and what
// has not converged is measured.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "supple/author/lattice/anatomy_shares.h"
#include "supple/author/lattice/factor.h"
#include "supple/author/lattice/skin_contact.h"
#include "supple/base/dual_quat.h"
#include "supple/base/mat.h"

namespace supple::lattice {

struct ElasticOptions {
  double volume = 5;                    // how much more flesh keeps its volume than its shape
  double hold = 10;                     // stiffness by which joints hold nodes, beside the lattice's own of about 10
  double held_from = 0.9, held_at = 1;  // weights of one joint between which nodes begin to be held
  /// Stiffness by which every node is drawn to where linear blend has it. Weak: it leaves shape to elasticity, but what
  /// happens at one joint does not shift skin far away, and what a pose does is told by the joints nearby.
  double tether = 0.03;
  int most_iterations = 60;
  double tolerance = 0.01;  // of a cell's edge: a pose is done when no node moves farther in a step
  /// Pressure by which skin keeps other skin out, at most, in units of the stiffness of shape: flesh gives way to it by
  /// that strain and less, and what joints hold hardly moves for it. 0: flesh passes through flesh.
  double pressure = 2;
  double muscle = 4;  // how many times as stiff muscle is as other flesh
};

/// The joints that move the nodes, and the stiffness of the cells between them.
struct LatticeDrive {
  SkinWeights weights;           // #nodes
  std::vector<float> held;       // #nodes: 1 is held by its heaviest joint, 0 is free
  std::vector<float> stiffness;  // #cells; none: all 1
};
/// By the skin's weights alone: nodes that follow one joint are held by it.
LatticeDrive drive_of(SkinWeights node_weights, const ElasticOptions& options);
/// With anatomy, a joint that has bone in the lattice holds what is in the bone, and nothing else: flesh slides over
/// it.
LatticeDrive drive_of(const SkinWeights& node_weights, const AnatomyShares& anatomy, std::size_t joints,
                      const ElasticOptions& options);

/// What one pose came to.
struct PoseConvergence {
  int iterations = 0;
  float last_step = 0;       // the farthest that a node moved in the last one, in edges of a cell
  std::size_t inverted = 0;  // tetrahedra that are inside out
  std::size_t contacts = 0;  // places where skin presses on skin
  float overlap = 0;         // the deepest that is left at one of them, in edges of a cell
};

class ElasticLattice {
 public:
  /// `surface`: what the lattice was made around, whose skin touches itself.
  ElasticLattice(Lattice lattice, const LatticeDrive& drive, const Surface& surface,
                 const ElasticOptions& options = {});

  const Lattice& lattice() const { return lattice_; }
  const SkinWeights& weights() const { return weights_; }
  std::size_t factor_entries() const { return factor_->entries(); }

  /// Up to `lanes` poses at once; a pose comes out the same whatever the others are. `motions`: of every joint from the
  /// lattice as it is to the pose, one list a pose, in the units of the surface. Writes the posed surface, #V a pose.
  void pose(std::span<const std::vector<Affined>> motions, std::span<std::vector<Vec3d>> positions,
            std::span<PoseConvergence> convergence) const;

 private:
  struct Batch;
  struct Pressed;
  void start(std::span<const std::vector<Affined>> motions, Batch& batch) const;
  std::vector<Vec3d> skin_of(const Batch& batch, std::size_t pose) const;
  void find_compliances(std::span<Pressed> pressed) const;
  bool relax(Batch& batch, std::span<Pressed> pressed, int iterations, std::span<PoseConvergence> convergence) const;
  void press(Batch& batch, std::span<PoseConvergence> convergence) const;

  Lattice lattice_;               // nodes in the order of elimination
  SkinWeights weights_;           // #nodes
  std::vector<float> hold_;       // #nodes: stiffness, that of the tether included
  std::vector<float> stiffness_;  // #cells; none: all 1
  ElasticOptions options_;
  std::unique_ptr<const Factor> factor_;
  std::optional<SkinContact> contact_;
};

}  // namespace supple::lattice
