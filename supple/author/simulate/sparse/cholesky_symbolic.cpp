// Which rows each front has, and where the blocks of the matrix go: found once per mesh.
#include <algorithm>
#include <iterator>

#include "supple/author/simulate/sparse/cholesky.h"

namespace supple::simulate {

Cholesky::Cholesky(const BlockPattern& pattern, Dissection order, std::size_t block)
    : tree_(std::move(order)), block_(block) {
  find_rows(pattern);
  plan_scatter(pattern);
  plan_threads();
  updates_.resize(fronts_.size());
  permuted_.resize(block_ * pattern.size());
}

void Cholesky::find_rows(const BlockPattern& pattern) {
  std::vector<std::uint32_t> place(pattern.size()), front_of(pattern.size());
  fronts_.resize(tree_.sets());
  for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
    fronts_[f].first = tree_.first[f];
    fronts_[f].columns = tree_.first[f + 1] - tree_.first[f];
    for (std::uint32_t p = tree_.first[f]; p < tree_.first[f + 1]; ++p) place[tree_.order[p]] = p, front_of[p] = f;
    if (tree_.parent[f] != Dissection::none) fronts_[tree_.parent[f]].children.push_back(f);
  }
  for (std::uint32_t j = 0; j < pattern.size(); ++j) {
    for (const std::uint32_t i : pattern.column(j)) {
      const auto [low, high] = std::minmax(place[i], place[j]);
      if (front_of[low] != front_of[high]) fronts_[front_of[low]].below.push_back(high);
    }
  }
  std::size_t offset = 0;
  for (Front& front : fronts_) {  // children come first
    for (const std::uint32_t c : front.children) {
      const std::vector<std::uint32_t>& rows = fronts_[c].below;
      std::copy_if(rows.begin(), rows.end(), std::back_inserter(front.below),
                   [&](std::uint32_t p) { return p >= front.first + front.columns; });
    }
    std::sort(front.below.begin(), front.below.end());
    front.below.erase(std::unique(front.below.begin(), front.below.end()), front.below.end());
    front.below.shrink_to_fit();
    for (const std::uint32_t c : front.children) {
      Front& child = fronts_[c];
      child.in_parent.reserve(child.below.size());
      for (const std::uint32_t p : child.below) {
        const auto above = std::lower_bound(front.below.begin(), front.below.end(), p) - front.below.begin();
        child.in_parent.push_back(p < front.first + front.columns ? p - front.first
                                                                  : front.columns + static_cast<std::uint32_t>(above));
      }
    }
    front.offset = offset;
    offset += rows(front) * block_ * front.columns;
    const double n = static_cast<double>(rows(front)), k = static_cast<double>(block_ * front.columns);
    operations_ += k * (n * n - n * k + k * k / 3);
  }
  factor_.resize(offset);
}

void Cholesky::plan_scatter(const BlockPattern& pattern) {
  std::vector<std::uint32_t> place(pattern.size()), front_of(pattern.size());
  for (std::uint32_t f = 0; f < fronts_.size(); ++f)
    for (std::uint32_t p = tree_.first[f]; p < tree_.first[f + 1]; ++p) place[tree_.order[p]] = p, front_of[p] = f;
  std::vector<std::vector<Scatter>> by_front(fronts_.size());
  for (std::uint32_t j = 0; j < pattern.size(); ++j) {
    for (std::size_t b = pattern.first[j]; b < pattern.first[j + 1]; ++b) {
      const std::uint32_t i = pattern.rows[b];
      const auto [low, high] = std::minmax(place[i], place[j]);
      const std::uint32_t f = front_of[low];
      const Front& front = fronts_[f];
      const auto found = std::lower_bound(front.below.begin(), front.below.end(), high) - front.below.begin();
      const std::size_t row =
          high < front.first + front.columns ? high - front.first : front.columns + static_cast<std::size_t>(found);
      const std::size_t column = low - front.first;
      by_front[f].push_back({b, front.offset + block_ * column * rows(front) + block_ * row,
                             static_cast<std::uint32_t>(rows(front)), place[i] < place[j], i == j});
    }
  }
  scatter_first_.push_back(0);
  for (const std::vector<Scatter>& list : by_front) {
    scatter_.insert(scatter_.end(), list.begin(), list.end());
    scatter_first_.push_back(scatter_.size());
  }
}

/// Cuts the tree into subtrees of at most an eighth of the work each: few enough to matter, enough to share out.
void Cholesky::plan_threads() {
  std::vector<double> work(fronts_.size(), 0);
  std::vector<std::uint32_t> begin(fronts_.size());
  for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
    const double n = static_cast<double>(rows(fronts_[f])), k = static_cast<double>(block_ * fronts_[f].columns);
    work[f] = k * (n * n - n * k + k * k / 3);
    begin[f] = f;
    for (const std::uint32_t c : fronts_[f].children) work[f] += work[c], begin[f] = std::min(begin[f], begin[c]);
  }
  const double limit = operations_ / 8;
  for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
    const std::uint32_t parent = tree_.parent[f];
    if (work[f] > limit) {
      top_.push_back(f);
    } else if (parent == Dissection::none || work[parent] > limit) {
      subtree_roots_.push_back(f);
      subtree_begin_.push_back(begin[f]);
    }
  }
}

}  // namespace supple::simulate
