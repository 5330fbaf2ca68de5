// The linear equations of flesh that touches itself: the stiffness of its elements, and blocks between nodes that only
// contacts tie together. Those come and go, and with them the pattern and the order of elimination.
#pragma once

#include <memory>
#include <optional>

#include "supple/author/simulate/contact.h"
#include "supple/author/simulate/sparse/solver.h"

namespace supple::simulate {

class ContactSystem {
 public:
  ContactSystem(const TissueModel& model, const ContactModel& contact, SolverKind kind);

  /// Adds what the contacts push with to derivatives of the energy by the free nodes.
  void add_forces(std::span<const Contact> contacts, std::span<Vec3d> forces) const;
  /// Factorizes `stiffness` (of the model's pattern) with the contacts' own. False where that is not positive definite.
  /// `watched`: of these some may push soon; a pattern that has to grow gets room for them as well.
  bool factorize(std::span<const double> stiffness, std::span<const Contact> contacts, std::span<const Contact> watched,
                 std::span<const Vec3d> x);
  void solve(std::span<double> x) { solver_->solve(x); }
  /// As when it was made.
  void forget() { pattern_ = {}, order_.reset(); }

 private:
  /// Free nodes of a contact, by their places among the free ones.
  ContactNodes free_nodes(const ContactNodes& all) const;
  /// What the gaps of contacts depend on, and then what their slips depend on.
  std::vector<ContactNodes> tied_nodes(std::span<const Contact> contacts) const;
  bool covers(std::span<const ContactNodes> tied) const;
  void grow(std::span<const ContactNodes> tied, std::span<const Vec3d> x);
  std::size_t block(std::uint32_t row, std::uint32_t column) const;
  /// Adds stiffness * weight_i * weight_j * matrix(row, column) to the blocks of all pairs of nodes.
  template <typename Matrix>
  void add(const ContactNodes& tied, double stiffness, const Matrix& matrix);

  const TissueModel* model_;
  const ContactModel* contact_;
  SolverKind kind_;
  BlockPattern pattern_;
  std::optional<Dissection> order_;  // of elimination, mended as the pattern grows
  std::vector<std::size_t> place_;   // #blocks of the model's pattern: where they are in ours
  std::unique_ptr<SparseSolver> solver_;
  std::vector<double> values_;
  std::vector<std::uint32_t> free_of_;  // #N: place among the free nodes, or no_bone
};

}  // namespace supple::simulate
