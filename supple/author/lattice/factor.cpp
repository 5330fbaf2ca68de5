#include "supple/author/lattice/factor.h"

#include <algorithm>

#include "supple/author/simulate/sparse/cholesky.h"

namespace supple::lattice {

SymmetricMatrix::SymmetricMatrix(const Lattice& lattice) {
  std::vector<std::vector<std::uint32_t>> columns(lattice.nodes.size());
  for (const Cell& cell : lattice.cells)
    for (const std::uint32_t a : cell)
      for (const std::uint32_t b : cell)
        if (a > b) columns[b].push_back(a);
  for (std::uint32_t n = 0; n < columns.size(); ++n) {
    std::vector<std::uint32_t>& rows = columns[n];
    rows.push_back(n);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    first_.push_back(rows_.size());
    rows = {};
    places_.push_back(Vec3d(lattice.nodes[n]));
  }
  values_.resize(rows_.size());
}

void SymmetricMatrix::add(std::uint32_t a, std::uint32_t b, double value) {
  const auto [column, row] = std::minmax(a, b);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first_[column]),
             end = rows_.begin() + static_cast<std::ptrdiff_t>(first_[column + 1]);
  values_[static_cast<std::size_t>(std::lower_bound(begin, end, row) - rows_.begin())] += value;
}

void SymmetricMatrix::add_edge(std::uint32_t a, std::uint32_t b, double stiffness) {
  if (a == b) return;
  add(a, a, stiffness);
  add(b, b, stiffness);
  add(a, b, -stiffness);
}

Factor::Factor(const SymmetricMatrix& matrix) {
  const simulate::BlockPattern pattern{matrix.first_, matrix.rows_};
  simulate::Cholesky cholesky(pattern, simulate::dissect(pattern, matrix.places_), 1);
  cholesky.factorize(matrix.values_);
  order_.assign(cholesky.order().begin(), cholesky.order().end());
  place_.resize(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  for (const simulate::Cholesky::Panel& panel : cholesky.panels()) {
    const std::size_t k = panel.columns, rows = k + panel.below.size();
    panels_.push_back({panel.first, panel.columns, static_cast<std::uint32_t>(below_.size()),
                       static_cast<std::uint32_t>(panel.below.size()), values_.size()});
    below_.insert(below_.end(), panel.below.begin(), panel.below.end());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < k; ++c) {
        const double value = c <= r ? panel.values[c * rows + r] : 0;
        values_.push_back(static_cast<float>(r == c ? 1 / value : value));
      }
  }
}

void Factor::solve(Lanes* x) const {
  projective_kernel().solve({panels_.data(), panels_.size(), below_.data(), values_.data()}, x);
}

}  // namespace supple::lattice
