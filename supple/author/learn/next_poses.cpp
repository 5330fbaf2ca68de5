#include "supple/author/learn/next_poses.h"

#include <algorithm>

#include "supple/base/parallel.h"

namespace supple::learn {
namespace {

constexpr std::size_t candidates_at_once = 16;
constexpr double little_of_mean = 0.1;  // what is counted as missed where no example is near, of the mean

PoseSamples joined(PoseSamples first, const PoseSamples& second) {
  for (std::size_t s = 0; s < second.size(); ++s) first.add(second.of(s), second.weights[s]);
  return first;
}

/// A block of a matrix.
DenseMatrix block(const DenseMatrix& a, std::size_t row, std::size_t rows, std::size_t column, std::size_t columns) {
  DenseMatrix result(rows, columns);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(a.row(row + r).begin() + static_cast<std::ptrdiff_t>(column), columns, result.row(r).begin());
  return result;
}

/// What was missed of examples left out, squared, over the variance that the kernel gave them then: how much larger
/// than its own the function is there.
std::vector<double> amplitudes(const PoseKernel& kernel, const DenseMatrix& root) {
  DenseMatrix inverse(root.rows, root.rows);  // of the root; squared columns add up to the diagonal of (K + D)^-1
  for (std::size_t i = 0; i < root.rows; ++i) inverse(i, i) = 1;
  forward_substitute(root, inverse);
  std::vector<double> precision(root.rows, 0.0), result(root.rows);
  for (std::size_t r = 0; r < root.rows; ++r)
    for (std::size_t i = 0; i < root.rows; ++i) precision[i] += inverse(r, i) * inverse(r, i);
  for (std::size_t i = 0; i < root.rows; ++i)
    result[i] = dot(kernel.missed().row(i), kernel.missed().row(i)) * precision[i];
  return result;
}

/// The same at candidates: a mean over the examples that are like them.
std::vector<double> expected_amplitudes(std::span<const double> known, const DenseMatrix& covariance) {
  const std::size_t n = known.size(), m = covariance.rows - n;
  double mean = 0;
  for (const double a : known) mean += a / static_cast<double>(n);
  std::vector<double> result(m);
  for (std::size_t c = 0; c < m; ++c) {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double shared = covariance(n + c, i), of_both = covariance(i, i) * covariance(n + c, n + c);
      const double alike = of_both > 0 ? shared * shared / of_both : 0;
      sum += alike * known[i];
      all += alike;
    }
    result[c] = (sum + little_of_mean * mean) / (all + little_of_mean);
  }
  return result;
}

}  // namespace

std::vector<std::size_t> next_poses(const PoseKernel& kernel, const PoseSamples& known, const PoseSamples& candidates,
                                    std::size_t count) {
  const std::size_t n = known.size(), m = candidates.size();
  const PoseSamples all = joined(known, candidates);
  const DenseMatrix covariance = kernel.covariance(all);
  const auto turned = turned_joints(all);
  DenseMatrix root = block(covariance, 0, n, 0, n);
  for (std::size_t i = 0; i < n; ++i) root(i, i) += kernel.noise(turned[i].size(), known.touches(i)) / known.weights[i];
  if (m == 0 || kernel.missed().rows != n || !cholesky(root)) return {};
  std::vector<double> amount = expected_amplitudes(amplitudes(kernel, root), covariance);
  for (std::size_t c = 0; c < m; ++c) amount[c] *= candidates.weights[c];

  // The candidates' covariance once the examples are known.
  DenseMatrix explained = block(covariance, 0, n, n, m), left = block(covariance, n, m, n, m);
  forward_substitute(root, explained);
  const DenseMatrix by_candidate = transposed(explained);
  parallel_for(m, candidates_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = 0; b < m; ++b) left(a, b) -= dot(by_candidate.row(a), by_candidate.row(b));
  });

  std::vector<std::size_t> chosen;
  std::vector<double> gain(m);
  std::vector<bool> taken(m, false);
  while (chosen.size() < std::min(count, m)) {
    parallel_for(m, candidates_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        double sum = 0;
        for (std::size_t t = 0; t < m; ++t) sum += amount[t] * left(c, t) * left(c, t);
        gain[c] = taken[c] ? -1 : sum / (left(c, c) + kernel.noise(turned[n + c].size()));
      }
    });
    const auto best = static_cast<std::size_t>(std::max_element(gain.begin(), gain.end()) - gain.begin());
    chosen.push_back(best);
    taken[best] = true;
    const std::vector<double> column(left.row(best).begin(), left.row(best).end());
    const double pivot = column[best] + kernel.noise(turned[n + best].size());
    parallel_for(m, candidates_at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a)
        for (std::size_t b = 0; b < m; ++b) left(a, b) -= column[a] * column[b] / pivot;
    });
  }
  return chosen;
}

}  // namespace supple::learn
