#include "supple/author/simulate/contact_system.h"

#include <algorithm>
#include <iterator>

namespace supple::simulate {
namespace {
constexpr std::size_t no_block = std::size_t(-1);
constexpr double room = 2;  // distances at which skins push: a pattern is made for all that are nearer than that
}  // namespace

ContactSystem::ContactSystem(const TissueModel& model, const ContactModel& contact, SolverKind kind)
    : model_(&model), contact_(&contact), kind_(kind), free_of_(model.mesh().nodes.size(), no_bone) {
  for (std::uint32_t i = 0; i < model.free_count(); ++i) free_of_[model.free_nodes()[i]] = i;
}

ContactNodes ContactSystem::free_nodes(const ContactNodes& all) const {
  ContactNodes result;
  for (std::size_t k = 0; k < all.nodes.size(); ++k) {
    if (free_of_[all.nodes[k]] == no_bone) continue;
    result.nodes.push_back(free_of_[all.nodes[k]]);
    result.weights.push_back(all.weights[k]);
  }
  return result;
}

void ContactSystem::add_forces(std::span<const Contact> contacts, std::span<Vec3d> forces) const {
  for (const Contact& c : contacts) {
    const ContactNodes at = free_nodes(contact_->nodes(c)), grip = free_nodes(contact_->grip_nodes(c));
    for (std::size_t k = 0; k < at.nodes.size(); ++k)
      forces[at.nodes[k]] += c.away * (-contact_->force(c) * at.weights[k]);
    for (std::size_t k = 0; k < grip.nodes.size(); ++k)
      forces[grip.nodes[k]] += c.slip * (contact_->drag(c) * grip.weights[k]);
  }
}

std::size_t ContactSystem::block(std::uint32_t row, std::uint32_t column) const {
  const auto rows = pattern_.column(column);
  const auto found = std::lower_bound(rows.begin(), rows.end(), row);
  if (found == rows.end() || *found != row) return no_block;
  return pattern_.first[column] + static_cast<std::size_t>(found - rows.begin());
}

std::vector<ContactNodes> ContactSystem::tied_nodes(std::span<const Contact> contacts) const {
  std::vector<ContactNodes> tied;
  for (const Contact& c : contacts) tied.push_back(free_nodes(contact_->nodes(c)));
  for (const Contact& c : contacts) tied.push_back(free_nodes(contact_->grip_nodes(c)));
  return tied;
}

bool ContactSystem::covers(std::span<const ContactNodes> tied) const {
  if (pattern_.size() == 0) return false;
  for (const ContactNodes& c : tied)
    for (const std::uint32_t a : c.nodes)
      for (const std::uint32_t b : c.nodes)
        if (a >= b && block(a, b) == no_block) return false;
  return true;
}

void ContactSystem::grow(std::span<const ContactNodes> tied, std::span<const Vec3d> x) {
  const BlockPattern& base = model_->pattern();
  std::vector<std::array<std::uint32_t, 2>> pairs;
  for (const ContactNodes& c : tied)
    for (const std::uint32_t a : c.nodes)
      for (const std::uint32_t b : c.nodes)
        if (a > b) pairs.push_back({a, b});
  pattern_ = with_blocks(base, pairs);
  place_.clear();
  for (std::uint32_t j = 0; j < base.size(); ++j)
    for (const std::uint32_t row : base.column(j)) place_.push_back(block(row, j));
  std::optional<Dissection> order;
  if (order_) order = mended(*order_, pattern_);
  if (!order) {
    // Where nodes are now, not at rest: what touches lies together, and few separators are cut through.
    std::vector<Vec3d> places;
    for (const std::uint32_t v : model_->free_nodes()) places.push_back(x[v]);
    order = dissect(pattern_, places);
  }
  order_ = std::move(order);
  auto solver = make_solver(kind_, pattern_, *order_);
  solver_ = std::move(*solver);  // there is one: the model has a solver of this kind
}

template <typename Matrix>
void ContactSystem::add(const ContactNodes& tied, double stiffness, const Matrix& matrix) {
  for (std::size_t i = 0; i < tied.nodes.size(); ++i)
    for (std::size_t j = 0; j < tied.nodes.size(); ++j) {
      if (tied.nodes[i] < tied.nodes[j]) continue;  // the lower half is stored
      double* to = &values_[9 * block(tied.nodes[i], tied.nodes[j])];
      const double factor = stiffness * tied.weights[i] * tied.weights[j];
      for (std::size_t column = 0; column < 3; ++column)
        for (std::size_t row = 0; row < 3; ++row) to[3 * column + row] += factor * matrix(row, column);
    }
}

bool ContactSystem::factorize(std::span<const double> stiffness, std::span<const Contact> contacts,
                              std::span<const Contact> watched, std::span<const Vec3d> x) {
  const std::vector<ContactNodes> tied = tied_nodes(contacts);
  if (!covers(tied)) {
    std::vector<Contact> soon(contacts.begin(), contacts.end());
    std::copy_if(watched.begin(), watched.end(), std::back_inserter(soon),
                 [&](const Contact& c) { return c.gap < room * contact_->options().distance; });
    grow(tied_nodes(soon), x);
  }
  values_.assign(9 * pattern_.blocks(), 0.0);
  for (std::size_t b = 0; b < place_.size(); ++b) std::copy_n(&stiffness[9 * b], 9, &values_[9 * place_[b]]);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Vec3d n = contacts[c].away;
    if (contact_->pushes(contacts[c]))
      add(tied[c], contact_->stiffness(contacts[c]), [&](std::size_t r, std::size_t k) { return n[r] * n[k]; });
    // Of friction the part that is positive definite, across the direction in which it pushes.
    add(tied[contacts.size() + c], contact_->drag(contacts[c]),
        [&](std::size_t r, std::size_t k) { return (r == k ? 1.0 : 0.0) - n[r] * n[k]; });
  }
  return solver_->factorize(values_);
}

}  // namespace supple::simulate
