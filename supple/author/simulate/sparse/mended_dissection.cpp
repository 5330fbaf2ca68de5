#include <algorithm>

#include "supple/author/simulate/sparse/dissection.h"

namespace supple::simulate {
namespace {

/// Sets on the way up from each other.
class Ancestry {
 public:
  explicit Ancestry(const std::vector<std::uint32_t>& parent) : parent_(parent), depth_(parent.size(), 0) {
    for (std::size_t s = parent.size(); s-- > 0;)  // parents come last
      if (parent[s] != Dissection::none) depth_[s] = depth_[parent[s]] + 1;
  }

  /// The lowest set that is above or equal to both, or none.
  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      if (a == Dissection::none || b == Dissection::none) return Dissection::none;
      (depth_[a] >= depth_[b] ? a : b) = parent_[depth_[a] >= depth_[b] ? a : b];
    }
    return a;
  }

 private:
  const std::vector<std::uint32_t>& parent_;
  std::vector<std::uint32_t> depth_;
};

/// Leaves out sets that have lost all their nodes; their children go to the next set above.
void drop_empty_sets(Dissection& tree) {
  std::vector<std::uint32_t> place(tree.sets(), Dissection::none);
  Dissection kept;
  kept.order = std::move(tree.order);
  kept.first.push_back(0);
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < tree.sets(); ++s) {
    if (tree.first[s] == tree.first[s + 1]) continue;
    place[s] = count++;
    kept.first.push_back(tree.first[s + 1]);
  }
  for (std::uint32_t s = 0; s < tree.sets(); ++s) {
    if (place[s] == Dissection::none) continue;
    std::uint32_t above = tree.parent[s];
    while (above != Dissection::none && place[above] == Dissection::none) above = tree.parent[above];
    kept.parent.push_back(above == Dissection::none ? above : place[above]);
  }
  tree = std::move(kept);
}

}  // namespace

std::optional<Dissection> mended(const Dissection& tree, const BlockPattern& pattern) {
  const std::size_t nodes = tree.order.size();
  std::vector<std::uint32_t> set_of(nodes), across(nodes, 0);
  for (std::uint32_t s = 0; s < tree.sets(); ++s)
    for (std::uint32_t p = tree.first[s]; p < tree.first[s + 1]; ++p) set_of[tree.order[p]] = s;
  const Ancestry ancestry(tree.parent);
  const auto apart = [&](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t above = ancestry.common(set_of[i], set_of[j]);
    return above != set_of[i] && above != set_of[j];
  };
  for (std::uint32_t j = 0; j < nodes; ++j)
    for (const std::uint32_t i : pattern.column(j))
      if (apart(i, j)) ++across[i], ++across[j];
  // A node that moves up stays above or below all that it was above or below, so one pass is enough.
  for (std::uint32_t j = 0; j < nodes; ++j)
    for (const std::uint32_t i : pattern.column(j)) {
      if (!apart(i, j)) continue;
      const std::uint32_t above = ancestry.common(set_of[i], set_of[j]);
      if (above == Dissection::none) return {};
      set_of[across[i] > across[j] ? i : j] = above;
    }
  Dissection result;
  result.parent = tree.parent;
  std::vector<std::vector<std::uint32_t>> sets(tree.sets());
  for (const std::uint32_t node : tree.order) sets[set_of[node]].push_back(node);
  result.first.push_back(0);
  for (const auto& set : sets) {
    result.order.insert(result.order.end(), set.begin(), set.end());
    result.first.push_back(static_cast<std::uint32_t>(result.order.size()));
  }
  drop_empty_sets(result);
  return result;
}

}  // namespace supple::simulate
