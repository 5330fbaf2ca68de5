#include <algorithm>
#include <memory>

#include "supple/author/lattice/factor.h"
#include "supple/author/lattice/lattice.h"

namespace supple::lattice {
namespace {

constexpr double at_surface = 30;  // how much closer nodes keep to the skin's weights than to each other's
constexpr double everywhere = 1e-6;
constexpr float least_weight = 0.01f;
constexpr std::size_t columns = 3 * lanes;  // joints that are solved for at once

}  // namespace

SkinWeights extend_weights(const Lattice& lattice, const Surface& surface) {
  // Minimises  sum over edges (w_a - w_b)^2 + 30 sum over vertices (w(v) - w_v)^2  for every joint's weights w.
  SymmetricMatrix matrix(lattice);
  for (const Cell& cell : lattice.cells)
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        // The corners of a cell are neighbours along its edges and through the diagonals of its tetrahedra.
        if ((a & b) != b) continue;
        matrix.add_edge(cell[a], cell[b], 1);
      }
  for (std::size_t v = 0; v < lattice.cell_of.size(); ++v) {
    const Cell& cell = lattice.cells[lattice.cell_of[v]];
    const std::array<float, 8> shape = lattice.shape(v);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        matrix.add(cell[a], cell[b], at_surface * double{shape[a]} * double{shape[b]});
  }
  for (std::uint32_t n = 0; n < lattice.nodes.size(); ++n) matrix.add(n, n, everywhere);
  const Factor factor(matrix);
  const std::size_t joints = surface.parents.size(), nodes = lattice.nodes.size();
  std::vector<std::vector<Influence>> of_node(nodes);
  std::vector<Lanes> x(3 * nodes);
  for (std::size_t first = 0; first < joints; first += columns) {
    std::fill(x.begin(), x.end(), Lanes{});
    for (std::size_t v = 0; v < lattice.cell_of.size(); ++v) {
      const Cell& cell = lattice.cells[lattice.cell_of[v]];
      const std::array<float, 8> shape = lattice.shape(v);
      for (const Influence& i : surface.weights.of(v)) {
        if (i.joint < first || i.joint >= first + columns) continue;
        const std::size_t column = i.joint - first;
        for (std::size_t c = 0; c < 8; ++c)
          x[3 * factor.place(cell[c]) + column / lanes].lane[column % lanes] +=
              static_cast<float>(at_surface) * shape[c] * i.weight;
      }
    }
    factor.solve(x.data());
    for (std::uint32_t n = 0; n < nodes; ++n)
      for (std::size_t column = 0; column < columns && first + column < joints; ++column)
        if (const float w = x[3 * factor.place(n) + column / lanes].lane[column % lanes]; w > least_weight)
          of_node[n].push_back({static_cast<std::uint32_t>(first + column), w});
  }
  SkinWeights result;
  for (const std::vector<Influence>& influences : of_node) result.push_vertex(influences);
  clean(result, joints, 0, 2);
  return result;
}

}  // namespace supple::lattice
