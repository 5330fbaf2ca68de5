#include "supple/author/learn/budget.h"

#include <algorithm>

namespace supple::learn {
namespace {

bool fits(const Claim& claim, std::span<const std::uint32_t> used, std::size_t per_vertex) {
  return std::all_of(claim.support.begin(), claim.support.end(), [&](std::uint32_t v) { return used[v] < per_vertex; });
}

void take(const Claim& claim, std::span<std::uint32_t> used) {
  for (const std::uint32_t v : claim.support) ++used[v];
}

std::size_t most(const Claim& claim, const Budget& budget) {
  return std::min(claim.singular_values.size(), budget.per_claim);
}

std::vector<std::size_t> allocate_greedy(std::span<const Claim> claims, const Budget& budget,
                                         std::vector<std::uint32_t>& used, std::vector<std::size_t>& order) {
  std::vector<std::size_t> granted(claims.size());
  std::vector<bool> closed(claims.size());
  while (order.size() < budget.total) {
    std::size_t best = claims.size();
    for (std::size_t c = 0; c < claims.size(); ++c) {
      if (closed[c] || granted[c] >= most(claims[c], budget)) continue;
      if (best == claims.size() || claims[c].singular_values[granted[c]] > claims[best].singular_values[granted[best]])
        best = c;
    }
    if (best == claims.size()) break;
    if (!fits(claims[best], used, budget.per_vertex)) {
      closed[best] = true;  // counts only grow: it will not fit later either
      continue;
    }
    take(claims[best], used);
    ++granted[best];
    order.push_back(best);
  }
  return granted;
}

std::vector<std::size_t> allocate_equal(std::span<const Claim> claims, const Budget& budget,
                                        std::vector<std::uint32_t>& used, std::vector<std::size_t>& order) {
  std::vector<std::size_t> granted(claims.size());
  while (true) {
    std::vector<std::uint32_t> tried = used;
    std::vector<std::size_t> round;
    for (std::size_t c = 0; c < claims.size(); ++c) {
      if (granted[c] >= most(claims[c], budget)) continue;
      take(claims[c], tried);
      round.push_back(c);
    }
    const bool over = std::any_of(tried.begin(), tried.end(), [&](std::uint32_t n) { return n > budget.per_vertex; });
    if (round.empty() || over || order.size() + round.size() > budget.total) return granted;
    used = std::move(tried);
    for (const std::size_t c : round) ++granted[c];
    order.insert(order.end(), round.begin(), round.end());
  }
}

}  // namespace

std::vector<std::size_t> allocate(std::span<const Claim> claims, const Budget& budget, Allocation allocation,
                                  std::vector<std::uint32_t>& used, std::vector<std::size_t>* order) {
  std::vector<std::size_t> granted_order;
  Budget limits = budget;
  if (allocation == Allocation::faded) limits.per_vertex = std::size_t(-1);
  auto granted = allocation == Allocation::equal ? allocate_equal(claims, limits, used, granted_order)
                                                 : allocate_greedy(claims, limits, used, granted_order);
  if (order != nullptr) *order = std::move(granted_order);
  return granted;
}

}  // namespace supple::learn
