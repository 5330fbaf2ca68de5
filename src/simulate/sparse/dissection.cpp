#include "supple/simulate/sparse/dissection.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace supple::simulate {
namespace {

/// Pieces this small are eliminated whole: a dense block of 3 * leaf_size rows is cheaper than further tree.
constexpr std::size_t leaf_size = 24;
/// Candidate cuts leave these fractions of a piece on the low side.
constexpr std::array<double, 5> fractions{0.5, 0.42, 0.58, 0.35, 0.65};
constexpr double max_lean = 0.4;

/// Both directions of the pattern's off-diagonal blocks.
struct Graph {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> items;

  explicit Graph(const BlockPattern& pattern) : first(pattern.size() + 1, 0) {
    const auto each_edge = [&](auto&& visit) {
      for (std::uint32_t j = 0; j < pattern.size(); ++j)
        for (const std::uint32_t i : pattern.column(j))
          if (i != j) visit(i, j);
    };
    each_edge([&](std::uint32_t i, std::uint32_t j) { ++first[i + 1], ++first[j + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    items.resize(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    each_edge([&](std::uint32_t i, std::uint32_t j) { items[next[i]++] = j, items[next[j]++] = i; });
  }
  std::span<const std::uint32_t> of(std::uint32_t v) const {
    return {items.data() + first[v], first[v + 1] - first[v]};
  }
};

class Dissector {
 public:
  Dissector(const BlockPattern& pattern, std::span<const Vec3d> places)
      : graph_(pattern), places_(places), side_(places.size(), outside) {}

  Dissection run() {
    std::vector<std::uint32_t> all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    result_.first.push_back(0);
    if (!all.empty()) split(std::move(all));
    return std::move(result_);
  }

 private:
  enum Side : std::uint8_t { outside, low, high };

  /// Appends the sets of a piece, its root last; returns that root.
  std::uint32_t split(std::vector<std::uint32_t> piece) {
    if (piece.size() <= leaf_size) return append(piece, {});
    const Cut cut = best_cut(piece);
    std::vector<std::uint32_t> parts[2], separator;
    mark(piece, cut);
    for (const std::uint32_t v : piece) {
      if (on_separator(v, cut.separator_side))
        separator.push_back(v);
      else
        parts[side_[v] == low ? 0 : 1].push_back(v);
    }
    for (const std::uint32_t v : piece) side_[v] = outside;
    if (parts[0].empty() || parts[1].empty()) return append(piece, {});
    piece.clear();
    piece.shrink_to_fit();
    const std::uint32_t a = split(std::move(parts[0]));
    const std::uint32_t b = split(std::move(parts[1]));
    return append(separator, {a, b});
  }

  struct Cut {
    std::size_t axis = 0;
    double at = 0;
    Side separator_side = low;
    double cost = std::numeric_limits<double>::infinity();
  };

  void mark(std::span<const std::uint32_t> piece, const Cut& cut) {
    for (const std::uint32_t v : piece) side_[v] = places_[v][cut.axis] < cut.at ? low : high;
  }
  bool on_separator(std::uint32_t v, Side separator_side) const {
    if (side_[v] != separator_side) return false;
    const Side other = separator_side == low ? high : low;
    const auto neighbours = graph_.of(v);
    return std::any_of(neighbours.begin(), neighbours.end(), [&](std::uint32_t n) { return side_[n] == other; });
  }

  Cut best_cut(std::span<const std::uint32_t> piece) {
    Cut best;
    std::vector<double> along(piece.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < piece.size(); ++i) along[i] = places_[piece[i]][axis];
      std::sort(along.begin(), along.end());
      if (along.front() == along.back()) continue;
      for (const double fraction : fractions) {
        const auto size = static_cast<double>(piece.size());
        Cut cut{axis, along[static_cast<std::size_t>(fraction * size)], low, 0};
        // Lattices have many nodes at one coordinate: a plane can end up far from where it was meant.
        const auto below = std::lower_bound(along.begin(), along.end(), cut.at) - along.begin();
        const double lean = std::abs(static_cast<double>(below) / size - 0.5);
        if (lean > max_lean) continue;
        mark(piece, cut);
        for (const Side side : {low, high}) {
          const auto on_cut = std::count_if(piece.begin(), piece.end(), [&](auto v) { return on_separator(v, side); });
          cut.separator_side = side;
          cut.cost = (static_cast<double>(on_cut) + 1) * (1 + lean);  // uneven cuts must save separator nodes to win
          if (cut.cost < best.cost) best = cut;
        }
      }
    }
    for (const std::uint32_t v : piece) side_[v] = outside;
    return best;
  }

  std::uint32_t append(std::span<const std::uint32_t> nodes, std::initializer_list<std::uint32_t> children) {
    const auto set = static_cast<std::uint32_t>(result_.sets());
    result_.order.insert(result_.order.end(), nodes.begin(), nodes.end());
    result_.first.push_back(static_cast<std::uint32_t>(result_.order.size()));
    result_.parent.push_back(Dissection::none);
    for (const std::uint32_t child : children) result_.parent[child] = set;
    return set;
  }

  Graph graph_;
  std::span<const Vec3d> places_;
  std::vector<Side> side_;
  Dissection result_;
};

}  // namespace

Dissection dissect(const BlockPattern& pattern, std::span<const Vec3d> places) {
  return Dissector(pattern, places).run();
}

}  // namespace supple::simulate
