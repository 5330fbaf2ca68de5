// Newton's method for the rest of a body of flesh whose bones are held: the free nodes go where the energy is least.
#pragma once

#include <memory>

#include "supple/author/simulate/contact_system.h"
#include "supple/author/simulate/sparse/solver.h"
#include "supple/author/simulate/tissue_model.h"

namespace supple::simulate {

struct NewtonOptions {
  double tolerance = 5e-6;  // metres: done when a full step moves no coordinate farther
  int max_iterations = 40;  // where nothing touches
  int looks = 4;            // where skin touches: planes follow it before each of the first iterations, and stay then
  SolverKind solver = SolverKind::cholesky;
};

struct NewtonReport {
  int iterations = 0;
  int halvings = 0;      // of step lengths in line searches
  int indefinite = 0;    // factorisations that found the full Hessian not positive definite
  double last_step = 0;  // metres, the largest coordinate
  double gap_error = 0;  // metres: what the planes of contacts were wrong by in the end
  bool converged = false;
};

/// A solver for one model, with its buffers; models are shared, solvers are not.
class Equilibrium {
 public:
  /// `contact`: where flesh may touch itself; outlives the solver.
  static Result<Equilibrium> make(const TissueModel& model, const NewtonOptions& options = {},
                                  const ContactModel* contact = nullptr);

  /// Vertices that face skin, to be told before every solve; found by the contact model where nothing overlapped.
  const std::vector<Contact>& watched() const { return watched_; }
  void set_watched(std::vector<Contact> contacts);

  /// Moves the free nodes of `x` (#N, bone nodes where they are to be held) to equilibrium, or as near as it got.
  NewtonReport solve(std::span<Vec3d> x);

  const SparseSolver& sparse() const { return *solver_; }

 private:
  Equilibrium(const TissueModel& model, const NewtonOptions& options, std::unique_ptr<SparseSolver> solver);
  /// With which matrix a step was found: only steps of the first two kinds have Newton's length.
  enum class Matrix { full, projected, shifted, none };
  /// The stiffness of the elements, and of what touches where something does.
  bool factorize(std::span<const Vec3d> x);
  /// Looks again which skin faces which. Returns the largest error of the gaps of those that push, metres.
  double look_again(std::span<const Vec3d> x);
  double contact_energy(std::span<const Vec3d> x);
  /// Solves for the Newton step at x into step_.
  Matrix newton_step(std::span<const Vec3d> x, bool project, NewtonReport& report);

  const TissueModel* model_;
  NewtonOptions options_;
  std::unique_ptr<SparseSolver> solver_;
  const ContactModel* contact_ = nullptr;
  std::unique_ptr<ContactSystem> contact_system_;
  std::vector<Contact> watched_, touching_;  // vertices that face skin, and those of them that push or are held
  TissueWorkspace workspace_;
  std::vector<double> stiffness_, step_;
  std::vector<Vec3d> forces_, trial_;
};

}  // namespace supple::simulate
