#include "supple/simulate/equilibrium.h"

#include <algorithm>
#include <cmath>

namespace supple::simulate {
namespace {

constexpr double armijo = 1e-4;     // fraction of the predicted decrease that a step must reach
constexpr double rounding = 1e-12;  // relative error of an energy summed over all elements
constexpr int max_halvings = 20;
constexpr int projected_after_failure = 3;  // this iteration and the next two

}  // namespace

Result<Equilibrium> Equilibrium::make(const TissueModel& model, const NewtonOptions& options) {
  auto solver = make_solver(options.solver, model.pattern(), model.elimination_order());
  if (!solver) return solver.error();
  return Equilibrium(model, options, std::move(*solver));
}

Equilibrium::Equilibrium(const TissueModel& model, const NewtonOptions& options, std::unique_ptr<SparseSolver> solver)
    : model_(&model),
      options_(options),
      solver_(std::move(solver)),
      stiffness_(9 * model.pattern().blocks()),
      step_(3 * model.free_count()),
      forces_(model.free_count()),
      trial_(model.mesh().nodes.size()) {}

Equilibrium::Matrix Equilibrium::newton_step(std::span<const Vec3d> x, bool project, NewtonReport& report) {
  model_->derivatives(x, project, workspace_, forces_, stiffness_);
  bool factored = solver_->factorize(stiffness_);
  Matrix matrix = project ? Matrix::projected : Matrix::full;
  if (!factored && !project) {
    ++report.indefinite;
    matrix = Matrix::projected;
    model_->derivatives(x, true, workspace_, forces_, stiffness_);
    factored = solver_->factorize(stiffness_);
  }
  // The projected matrix is only semidefinite: rounding, or a node that nothing holds, can still spoil a pivot.
  for (double shift = 1e-10; !factored && shift < 1; shift *= 100) {
    matrix = Matrix::shifted;
    const BlockPattern& pattern = model_->pattern();
    double largest = 0;
    for (std::size_t j = 0; j < pattern.size(); ++j) largest = std::max(largest, stiffness_[9 * pattern.first[j]]);
    for (std::size_t j = 0; j < pattern.size(); ++j)
      for (std::size_t r = 0; r < 9; r += 4) stiffness_[9 * pattern.first[j] + r] += shift * largest;
    factored = solver_->factorize(stiffness_);
  }
  for (std::size_t i = 0; i < forces_.size(); ++i)
    for (std::size_t r = 0; r < 3; ++r) step_[3 * i + r] = -forces_[i][r];
  if (!factored) return Matrix::none;
  solver_->solve(step_);
  return matrix;
}

NewtonReport Equilibrium::solve(std::span<Vec3d> x) {
  NewtonReport report;
  const auto free = model_->free_nodes();
  double energy = model_->energy(x);
  // Far from equilibrium the full Hessian points anywhere; near it only the full one converges quadratically.
  int projected = 1;
  while (report.iterations < options_.max_iterations) {
    ++report.iterations;
    const Matrix matrix = newton_step(x, projected > 0, report);
    if (matrix == Matrix::none) return report;
    projected = projected > 0 ? projected - 1 : matrix == Matrix::full ? 0 : projected_after_failure - 1;
    double slope = 0;
    report.last_step = 0;
    for (std::size_t i = 0; i < forces_.size(); ++i) {
      for (std::size_t r = 0; r < 3; ++r) {
        slope += forces_[i][r] * step_[3 * i + r];
        report.last_step = std::max(report.last_step, std::abs(step_[3 * i + r]));
      }
    }
    if (!std::isfinite(slope)) return report;
    double length = 1;
    for (int halving = 0;; ++halving) {
      std::copy(x.begin(), x.end(), trial_.begin());
      for (std::size_t i = 0; i < free.size(); ++i)
        trial_[free[i]] += Vec3d{step_[3 * i], step_[3 * i + 1], step_[3 * i + 2]} * length;
      const double trial_energy = model_->energy(trial_);
      if (trial_energy <= energy + armijo * length * slope + rounding * std::abs(energy)) {
        energy = trial_energy;
        break;
      }
      if (halving == max_halvings) return report;  // no descent left within rounding
      length /= 2;
      ++report.halvings;
    }
    std::copy(trial_.begin(), trial_.end(), x.begin());
    if (length == 1 && report.last_step < options_.tolerance && matrix != Matrix::shifted) {
      report.converged = true;
      return report;
    }
  }
  return report;
}

}  // namespace supple::simulate
