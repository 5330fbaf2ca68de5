#include "supple/author/simulate/equilibrium.h"

#include <algorithm>
#include <cmath>

namespace supple::simulate {
namespace {

constexpr double armijo = 1e-4;     // fraction of the predicted decrease that a step must reach
constexpr double rounding = 1e-12;  // relative error of an energy summed over all elements
constexpr int max_halvings = 20;
constexpr int more_iterations_with_contacts = 3;
constexpr double new_planes = 0.5;          // share of new planes in what is kept of the old, after convergence
constexpr int projected_after_failure = 3;  // this iteration and the next two

}  // namespace

Result<Equilibrium> Equilibrium::make(const TissueModel& model, const NewtonOptions& options,
                                      const ContactModel* contact) {
  auto solver = make_solver(options.solver, model.pattern(), model.elimination_order());
  if (!solver) return solver.error();
  Equilibrium result(model, options, std::move(*solver));
  result.contact_ = contact;
  if (contact != nullptr) result.contact_system_ = std::make_unique<ContactSystem>(model, *contact, options.solver);
  return result;
}

Equilibrium::Equilibrium(const TissueModel& model, const NewtonOptions& options, std::unique_ptr<SparseSolver> solver)
    : model_(&model),
      options_(options),
      solver_(std::move(solver)),
      stiffness_(9 * model.pattern().blocks()),
      step_(3 * model.free_count()),
      forces_(model.free_count()),
      trial_(model.mesh().nodes.size()) {}

void Equilibrium::set_watched(std::vector<Contact> contacts) {
  watched_ = std::move(contacts);
  // The order of elimination is found anew, so that results do not depend on what was solved before.
  if (contact_system_) contact_system_->forget();
}

double Equilibrium::look_again(std::span<const Vec3d> x) {
  contact_->measure(watched_, x);
  std::vector<Contact> now = contact_->follow(watched_, x);
  double error = 0;
  for (std::size_t c = 0; c < now.size(); ++c)
    if (contact_->pushes(now[c]) || contact_->pushes(watched_[c]))
      error = std::max(error, std::abs(now[c].gap - watched_[c].gap) * std::max(now[c].strength, watched_[c].strength));
  watched_ = std::move(now);
  return error;
}

double Equilibrium::contact_energy(std::span<const Vec3d> x) {
  if (watched_.empty()) return 0;
  contact_->measure(watched_, x);
  return contact_->energy(watched_);
}

bool Equilibrium::factorize(std::span<const Vec3d> x) {
  return touching_.empty() ? solver_->factorize(stiffness_)
                           : contact_system_->factorize(stiffness_, touching_, watched_, x);
}

Equilibrium::Matrix Equilibrium::newton_step(std::span<const Vec3d> x, bool project, NewtonReport& report) {
  model_->derivatives(x, project, workspace_, forces_, stiffness_);
  touching_.clear();
  for (const Contact& c : watched_)
    if (contact_->pushes(c) || c.pressed > 0) touching_.push_back(c);
  bool factored = factorize(x);
  Matrix matrix = project ? Matrix::projected : Matrix::full;
  if (!factored && !project) {
    ++report.indefinite;
    matrix = Matrix::projected;
    model_->derivatives(x, true, workspace_, forces_, stiffness_);
    factored = factorize(x);
  }
  // The projected matrix is only semidefinite: rounding, or a node that nothing holds, can still spoil a pivot.
  for (double shift = 1e-10; !factored && shift < 1; shift *= 100) {
    matrix = Matrix::shifted;
    const BlockPattern& pattern = model_->pattern();
    double largest = 0;
    for (std::size_t j = 0; j < pattern.size(); ++j) largest = std::max(largest, stiffness_[9 * pattern.first[j]]);
    for (std::size_t j = 0; j < pattern.size(); ++j)
      for (std::size_t r = 0; r < 9; r += 4) stiffness_[9 * pattern.first[j] + r] += shift * largest;
    factored = factorize(x);
  }
  if (!touching_.empty()) contact_system_->add_forces(touching_, forces_);
  for (std::size_t i = 0; i < forces_.size(); ++i)
    for (std::size_t r = 0; r < 3; ++r) step_[3 * i + r] = -forces_[i][r];
  if (!factored) return Matrix::none;
  if (touching_.empty()) {
    solver_->solve(step_);
  } else {
    contact_system_->solve(step_);
  }
  return matrix;
}

NewtonReport Equilibrium::solve(std::span<Vec3d> x) {
  NewtonReport report;
  const auto free = model_->free_nodes();
  double flesh = model_->energy(x);
  // Far from equilibrium the full Hessian points anywhere; near it only the full one converges quadratically.
  int projected = 1;
  const int most = options_.max_iterations * (watched_.empty() ? 1 : more_iterations_with_contacts);
  while (report.iterations < most) {
    if (!watched_.empty() && report.iterations < options_.looks) look_again(x);
    ++report.iterations;
    const double least = flesh + contact_energy(x);
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
      const double trial_flesh = model_->energy(trial_);
      if (trial_flesh + contact_energy(trial_) <= least + armijo * length * slope + rounding * std::abs(least)) {
        flesh = trial_flesh;
        break;
      }
      if (halving == max_halvings) return report;  // no descent left within rounding
      length /= 2;
      ++report.halvings;
    }
    std::copy(trial_.begin(), trial_.end(), x.begin());
    if (length == 1 && report.last_step < options_.tolerance && matrix != Matrix::shifted) {
      if (!watched_.empty()) report.gap_error = look_again(x);
      report.converged = true;
      return report;
    }
  }
  return report;
}

}  // namespace supple::simulate
