#include "supple/author/simulate/sparse/dissection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "supple/author/simulate/sparse/separator.h"

namespace supple::simulate {
namespace {

/// Pieces this small are eliminated whole: a dense block of 3 * leaf_size rows is cheaper than further tree.
constexpr std::size_t leaf_size = 24;
/// Cuts that are thinned before one is chosen: the large ones decide the work.
constexpr std::size_t large_piece = 500, cuts_of_large = 6, cuts_of_small = 2;
/// Planes across these directions are tried: axes, and diagonals of faces and of the cube.
constexpr std::array<Vec3d, 13> directions{{{1, 0, 0},
                                            {0, 1, 0},
                                            {0, 0, 1},
                                            {1, 1, 0},
                                            {1, -1, 0},
                                            {1, 0, 1},
                                            {1, 0, -1},
                                            {0, 1, 1},
                                            {0, 1, -1},
                                            {1, 1, 1},
                                            {1, 1, -1},
                                            {1, -1, 1},
                                            {-1, 1, 1}}};

class Dissector {
 public:
  Dissector(const BlockPattern& pattern, std::span<const Vec3d> places)
      : graph_(pattern), places_(places), side_(places.size(), Side::outside) {}

  Dissection run() {
    std::vector<std::uint32_t> all(places_.size());
    std::iota(all.begin(), all.end(), 0u);
    result_.first.push_back(0);
    if (!all.empty()) split(std::move(all));
    return std::move(result_);
  }

 private:
  /// Appends the sets of a piece, its root last; returns that root.
  std::uint32_t split(std::vector<std::uint32_t> piece) {
    if (piece.size() <= leaf_size) return append(piece, {});
    const std::vector<Side> sides = best_cut(piece);
    std::vector<std::uint32_t> low, high, separator;
    for (std::size_t i = 0; i < sides.size(); ++i)
      (sides[i] == Side::low ? low : sides[i] == Side::high ? high : separator).push_back(piece[i]);
    if (low.empty() || high.empty()) return append(piece, {});
    piece = {};
    const std::uint32_t a = split(std::move(low)), b = split(std::move(high));
    return append(separator, {a, b});
  }

  struct Plane {
    Vec3d normal{};
    double at = 0;
    std::size_t crossed = 0;  // nodes on the low side that touch the high one
  };

  void mark(std::span<const std::uint32_t> piece, const Plane& plane) {
    for (const std::uint32_t v : piece) side_[v] = dot(plane.normal, places_[v]) < plane.at ? Side::low : Side::high;
  }

  /// Planes that halve the piece, the one that crosses the fewest nodes first.
  std::vector<Plane> halving_planes(std::span<const std::uint32_t> piece) {
    std::vector<Plane> planes;
    std::vector<double> along(piece.size());
    for (const Vec3d normal : directions) {
      for (std::size_t i = 0; i < piece.size(); ++i) along[i] = dot(normal, places_[piece[i]]);
      const auto half = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 2);
      std::nth_element(along.begin(), half, along.end());
      Plane plane{normal, *half, 0};
      // Lattices have many nodes at one coordinate: the plane must leave some below it.
      if (*std::min_element(along.begin(), along.end()) == plane.at) {
        plane.at = std::numeric_limits<double>::infinity();
        for (const double a : along)
          if (a > *half) plane.at = std::min(plane.at, a);
        if (std::isinf(plane.at)) continue;
      }
      mark(piece, plane);
      plane.crossed = static_cast<std::size_t>(
          std::count_if(piece.begin(), piece.end(), [&](std::uint32_t v) { return on_low_border(graph_, side_, v); }));
      planes.push_back(plane);
    }
    std::stable_sort(planes.begin(), planes.end(),
                     [](const Plane& a, const Plane& b) { return a.crossed < b.crossed; });
    return planes;
  }

  /// Thins the most promising cuts and keeps the best: the side of each node of the piece, empty where no plane parts
  /// it.
  std::vector<Side> best_cut(std::span<const std::uint32_t> piece) {
    std::vector<Plane> planes = halving_planes(piece);
    planes.resize(std::min(planes.size(), piece.size() > large_piece ? cuts_of_large : cuts_of_small));
    std::vector<Side> best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const Plane& plane : planes) {
      mark(piece, plane);
      const CutSizes sizes = thin_separator(graph_, piece, side_);
      const double cost = (static_cast<double>(sizes.cut) + 1) * (1 + sizes.lean());
      if (cost < best_cost) {
        best_cost = cost;
        best.clear();
        for (const std::uint32_t v : piece) best.push_back(side_[v]);
      }
    }
    for (const std::uint32_t v : piece) side_[v] = Side::outside;
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

  NodeGraph graph_;
  std::span<const Vec3d> places_;
  std::vector<Side> side_;
  Dissection result_;
};

}  // namespace

Dissection dissect(const BlockPattern& pattern, std::span<const Vec3d> places) {
  return Dissector(pattern, places).run();
}

}  // namespace supple::simulate
