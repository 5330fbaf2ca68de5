// Sets of numbers that only ever join.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace supple {

/// Disjoint sets of 0 .. n-1, each told by one of its members, its root.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }

  std::size_t size() const { return parent_.size(); }  // numbers, in all sets
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Where sets join by nothing else, their root is their smallest member, whatever the order.
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// Joins two sets told by their roots; `into` stays one.
  void join_roots(std::uint32_t into, std::uint32_t other) { parent_[other] = into; }
  /// One more number, a set by itself.
  std::uint32_t add() {
    parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
    return parent_.back();
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace supple
