// The numbers: fronts are filled, eliminated and handed to their parents; then triangular solves along the tree.
#include "supple/author/simulate/sparse/cholesky.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "supple/author/simulate/sparse/front_kernel.h"
#include "supple/base/parallel.h"

namespace supple::simulate {
namespace {

constexpr std::size_t panel_columns = 24;
/// Products are cut into strips of columns that threads share.
constexpr std::size_t strip_columns = 192;

void subtract_product(const ProductBlock& block) {
  const FrontKernel& kernel = front_kernel();
  parallel_for(block.n, strip_columns, [&](std::size_t begin, std::size_t end) {
    ProductBlock strip = block;
    const std::size_t skipped = block.lower ? begin : 0;  // rows above the strip's diagonal
    strip.c += begin * block.ldc + skipped;
    strip.a += skipped;
    strip.b += begin;
    strip.m -= skipped;
    strip.n = end - begin;
    kernel.subtract_product(strip);
  });
}

/// Eliminates the first k columns of a front: `panel` is n by k.
bool eliminate(double* panel, std::size_t n, std::size_t k) {
  const FrontKernel& kernel = front_kernel();
  for (std::size_t j = 0; j < k; j += panel_columns) {
    const std::size_t w = std::min(panel_columns, k - j);
    double* corner = panel + j * n + j;
    if (j > 0) kernel.subtract_product({corner, n, panel + j, n, panel + j, n, n - j, w, j, false});
    if (!kernel.factor_panel(corner, n, n - j, w)) return false;
  }
  return true;
}

}  // namespace

bool Cholesky::factorize(std::span<const double> values) {
  const auto fill = [&](std::size_t f) {
    const Front& front = fronts_[f];
    std::fill_n(&factor_[front.offset], rows(front) * block_ * front.columns, 0.0);
    for (std::size_t s = scatter_first_[f]; s < scatter_first_[f + 1]; ++s) {
      const Scatter& to = scatter_[s];
      const double* block = &values[block_ * block_ * to.block];
      for (std::size_t c = 0; c < block_; ++c) {
        for (std::size_t r = to.diagonal ? c : 0; r < block_; ++r)
          factor_[to.to + c * to.ld + r] = to.transposed ? block[block_ * r + c] : block[block_ * c + r];
      }
    }
  };
  std::atomic<bool> definite = true;
  parallel_for(subtree_roots_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      for (std::size_t f = subtree_begin_[s]; f <= subtree_roots_[s] && definite; ++f) {
        fill(f);
        if (!factorize_front(f)) definite = false;
      }
    }
  });
  for (const std::uint32_t f : top_) {
    if (!definite) break;
    fill(f);
    if (!factorize_front(f)) definite = false;
  }
  for (std::unique_ptr<double[]>& update : updates_) update.reset();
  return definite;
}

bool Cholesky::factorize_front(std::size_t f) {
  Front& front = fronts_[f];
  const std::size_t n = rows(front), k = block_ * front.columns, m = n - k;
  std::unique_ptr<double[]> update(m > 0 ? new double[m * m]() : nullptr);
  for (const std::uint32_t c : front.children) {
    if (block_ == 3) {
      add_child<3>(fronts_[c], updates_[c].get(), front, update.get());
    } else {
      add_child<1>(fronts_[c], updates_[c].get(), front, update.get());
    }
    updates_[c].reset();
  }
  double* panel = factor_.data() + front.offset;
  if (!eliminate(panel, n, k)) return false;
  if (m > 0 && k > 0) subtract_product({update.get(), m, panel + k, n, panel + k, n, m, m, k, true});
  updates_[f] = std::move(update);
  return true;
}

/// Adds what a child leaves (lower triangle, by blocks) to its parent's panel and update.
template <std::size_t Block>
void Cholesky::add_child(const Front& child, const double* update, Front& parent, double* parent_update) {
  const std::size_t m = Block * child.below.size(), n = rows(parent), k = Block * parent.columns;
  double* panel = factor_.data() + parent.offset;
  for (std::size_t j = 0; j < child.below.size(); ++j) {
    const std::size_t column = Block * std::size_t{child.in_parent[j]};
    const bool in_panel = column < k;
    double* to = in_panel ? panel + column * n : parent_update + (column - k) * (n - k);
    const std::size_t ld = in_panel ? n : n - k, above = in_panel ? 0 : k;  // the update has no rows for the panel's
    for (std::size_t c = 0; c < Block; ++c) {
      const double* from = update + (Block * j + c) * m;
      double* target = to + c * ld;
      for (std::size_t i = j; i < child.below.size(); ++i) {
        const std::size_t row = Block * std::size_t{child.in_parent[i]} - above;
        for (std::size_t r = 0; r < Block; ++r) target[row + r] += from[Block * i + r];
      }
    }
  }
}

std::vector<Cholesky::Panel> Cholesky::panels() const {
  std::vector<Panel> result;
  for (const Front& front : fronts_)
    result.push_back({front.first, front.columns, front.below,
                      std::span(factor_).subspan(front.offset, rows(front) * block_ * front.columns)});
  return result;
}

void Cholesky::solve(std::span<double> x) {
  for (std::size_t p = 0; p < tree_.order.size(); ++p)
    for (std::size_t r = 0; r < block_; ++r) permuted_[block_ * p + r] = x[block_ * tree_.order[p] + r];
  double* y = permuted_.data();
  for (const Front& front : fronts_) {  // L z = b
    const std::size_t n = rows(front), k = block_ * front.columns, base = block_ * std::size_t{front.first};
    const double* panel = factor_.data() + front.offset;
    for (std::size_t c = 0; c < k; ++c) {
      const double* column = panel + c * n;
      const double value = y[base + c] /= column[c];
      for (std::size_t i = c + 1; i < k; ++i) y[base + i] -= column[i] * value;
      for (std::size_t i = 0; i < front.below.size(); ++i)
        for (std::size_t r = 0; r < block_; ++r) y[block_ * front.below[i] + r] -= column[k + block_ * i + r] * value;
    }
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {  // L^T x = z
    const Front& front = fronts_[f];
    const std::size_t n = rows(front), k = block_ * front.columns, base = block_ * std::size_t{front.first};
    const double* panel = factor_.data() + front.offset;
    for (std::size_t c = k; c-- > 0;) {
      const double* column = panel + c * n;
      double sum = y[base + c];
      for (std::size_t i = c + 1; i < k; ++i) sum -= column[i] * y[base + i];
      for (std::size_t i = 0; i < front.below.size(); ++i)
        for (std::size_t r = 0; r < block_; ++r) sum -= column[k + block_ * i + r] * y[block_ * front.below[i] + r];
      y[base + c] = sum / column[c];
    }
  }
  for (std::size_t p = 0; p < tree_.order.size(); ++p)
    for (std::size_t r = 0; r < block_; ++r) x[block_ * tree_.order[p] + r] = permuted_[block_ * p + r];
}

}  // namespace supple::simulate
