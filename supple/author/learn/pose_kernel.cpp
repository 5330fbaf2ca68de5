#include "supple/author/learn/pose_kernel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "supple/base/elementary.h"
#include "supple/base/parallel.h"

namespace supple::learn {
namespace {

constexpr double least_range = 0.2;   // chord: joints that hardly move get no narrower kernel
constexpr double same_pose = 0.07;    // root of summed squared chords: examples this near are left out together
constexpr double thin_enough = 1e-7;  // variance that centres may leave unexplained, of the largest

std::vector<double> ranges_of(const PoseSamples& samples) {
  std::vector<double> result(samples.joints.size(), least_range);
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = std::max(result[k], chord(Quatf{}, samples.of(s)[k]));
  return result;
}

/// Samples in almost the same pose, by the first of them. Order counts, and is given.
std::vector<std::vector<std::size_t>> blocks_of(const PoseSamples& samples) {
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto near = std::find_if(blocks.begin(), blocks.end(), [&](const std::vector<std::size_t>& block) {
      double sum = 0;
      for (std::size_t k = 0; k < samples.joints.size() && sum < same_pose * same_pose; ++k) {
        const double apart = chord(samples.of(s)[k], samples.of(block[0])[k]);
        sum += apart * apart;
      }
      return sum < same_pose * same_pose;
    });
    if (near == blocks.end()) {
      blocks.push_back({s});
    } else {
      near->push_back(s);
    }
  }
  return blocks;
}

/// The regression in the features l of a pivoted Cholesky factor, K ~ l l^T: Gaussian, of unit variance a priori.
struct Regression {
  DenseMatrix root;      // r of 1 + l^T W l = r r^T
  DenseMatrix features;  // z^T, l = z r^T: #centres by #samples
  std::vector<double> precision;
};

std::optional<Regression> regress(const PivotedCholesky& factor, std::vector<double> precision) {
  const std::size_t m = factor.columns.rows, n = factor.columns.columns;
  Regression result{DenseMatrix(m, m), factor.columns, std::move(precision)};
  DenseMatrix weighted = factor.columns;
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i < n; ++i) weighted(k, i) *= result.precision[i];
  parallel_for(m, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        result.root(a, b) = dot(weighted.row(a), factor.columns.row(b)) + (a == b ? 1 : 0);
  });
  if (!cholesky(result.root)) return {};
  forward_substitute(result.root, result.features);
  return result;
}

/// What is missed of every sample when its block is predicted from the others: (1 - H_bb)^-1 (y - f)_b.
DenseMatrix left_out_residual(const Regression& fit, const DenseMatrix& y,
                              std::span<const std::vector<std::size_t>> blocks) {
  const std::size_t m = fit.features.rows, n = y.rows;
  DenseMatrix weighted = y, z(n, m);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& v : weighted.row(i)) v *= fit.precision[i];
    for (std::size_t k = 0; k < m; ++k) z(i, k) = fit.features(k, i);
  }
  DenseMatrix residual = product(z, product(fit.features, weighted));
  for (std::size_t i = 0; i < residual.values.size(); ++i) residual.values[i] = y.values[i] - residual.values[i];
  for (const auto& block : blocks) {
    DenseMatrix a(block.size(), block.size()), b(block.size(), y.columns);
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t j = 0; j < block.size(); ++j)
        a(i, j) = (i == j ? 1.0 : 0.0) - dot(z.row(block[i]), z.row(block[j])) * fit.precision[block[j]];
      std::copy(residual.row(block[i]).begin(), residual.row(block[i]).end(), b.row(i).begin());
    }
    if (block.size() == 1) {
      for (double& v : b.row(0)) v /= std::max(a(0, 0), 1e-12);
    } else if (auto solved = solve(std::move(a), b)) {
      b = std::move(*solved);
    }
    for (std::size_t i = 0; i < block.size(); ++i)
      std::copy(b.row(i).begin(), b.row(i).end(), residual.row(block[i]).begin());
  }
  return residual;
}

double energy(const DenseMatrix& y, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < y.rows; ++i) sum += weights[i] * dot(y.row(i), y.row(i));
  return sum;
}

constexpr std::array reaches{0.5, 0.7, 1.0, 1.4, 2.0, 2.8};
constexpr std::array pair_weights{0.0, 0.03, 0.1, 0.3, 1.0};
constexpr std::array noises{1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
constexpr std::array joint_noises{0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
constexpr std::array touch_noises{0.0, 1e-4, 1e-3, 1e-2, 1e-1};
using Place = std::array<std::size_t, 5>;  // on that grid

PoseKernelChoice choice_at(const Place& p) {
  return {reaches[p[0]], pair_weights[p[1]], noises[p[2]], joint_noises[p[3]], touch_noises[p[4]]};
}

double noise_of(const PoseKernelChoice& choice, std::size_t turned, bool touching) {
  return choice.noise + choice.joint_noise * (turned == 0 ? 0.0 : static_cast<double>(turned - 1)) +
         (touching ? choice.touch_noise : 0.0);
}

/// Whether some samples touch and some do not, so that there is something to choose.
bool tells_touching(const PoseSamples& samples) {
  const auto count = std::count(samples.touching.begin(), samples.touching.end(), true);
  return count > 0 && static_cast<std::size_t>(count) < samples.size();
}

class Search {
 public:
  Search(const Skeleton& skeleton, const PoseSamples& samples, const DenseMatrix& y, const PoseKernelOptions& options)
      : samples_(samples), y_(y), options_(options), turned_(turned_joints(samples)), ranges_(ranges_of(samples)) {
    if (options.pairs) pairs_ = near_pairs(skeleton, samples.joints);
    blocks_ = blocks_of(samples);
    total_ = energy(y, samples.weights);
    const bool several = std::any_of(turned_.begin(), turned_.end(), [](const auto& t) { return t.size() > 1; });
    sizes_ = {reaches.size(), pairs_.empty() ? 1 : pair_weights.size(), noises.size(),
              several ? joint_noises.size() : 1, tells_touching(samples) ? touch_noises.size() : 1};
  }

  /// One coordinate of the grid after another, downhill, until none gets better.
  PoseKernelChoice best() {
    Place at{3, pairs_.empty() ? 0u : 2u, 1, sizes_[3] > 1 ? 2u : 0u, 0};
    double least = missed_at(at);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t d = 0; d < at.size(); ++d)
        for (const int step : {1, -1})
          while ((step > 0 ? at[d] + 1 < sizes_[d] : at[d] > 0)) {
            Place next = at;
            next[d] = step > 0 ? at[d] + 1 : at[d] - 1;
            const double missed = missed_at(next);
            if (missed >= least * (1 - 1e-4)) break;
            at = next;
            least = missed;
            better = true;
          }
    }
    return choice_at(at);
  }

  std::vector<float> radii(const PoseKernelChoice& choice) const {
    std::vector<float> result;
    for (const double range : ranges_) result.push_back(static_cast<float>(choice.reach * range));
    return result;
  }

  const PivotedCholesky& factor(const PoseKernelChoice& choice) {
    if (reach_ != choice.reach) {
      covariance_ = pose_covariance(samples_, pairs_, radii(choice));
      reach_ = choice.reach;
      factors_.clear();
    }
    const auto [found, is_new] = factors_.try_emplace(choice.pair_weight);
    if (is_new) {
      const DenseMatrix kernel = covariance_.sum(choice.pair_weight);
      double largest = 0;
      for (std::size_t i = 0; i < kernel.rows; ++i) largest = std::max(largest, kernel(i, i));
      found->second = pivoted_cholesky(kernel, options_.most_centres, thin_enough * largest);
    }
    return found->second;
  }

  std::optional<Regression> regression(const PoseKernelChoice& choice) {
    std::vector<double> precision;
    for (std::size_t s = 0; s < samples_.size(); ++s)
      precision.push_back(samples_.weights[s] / noise_of(choice, turned_[s].size(), samples_.touches(s)));
    return regress(factor(choice), std::move(precision));
  }

  const std::vector<std::array<std::uint32_t, 2>>& pairs() const { return pairs_; }
  std::span<const std::vector<std::size_t>> blocks() const { return blocks_; }
  double total() const { return total_; }

 private:
  double missed_at(const Place& place) {
    const auto [found, is_new] = known_.try_emplace(place, 0.0);
    if (is_new) {
      const auto fit = regression(choice_at(place));
      found->second = fit ? energy(left_out_residual(*fit, y_, blocks_), samples_.weights)
                          : std::numeric_limits<double>::infinity();
    }
    return found->second;
  }

  const PoseSamples& samples_;
  const DenseMatrix& y_;
  const PoseKernelOptions& options_;
  std::vector<std::vector<std::uint32_t>> turned_;
  std::vector<double> ranges_;
  std::vector<std::array<std::uint32_t, 2>> pairs_;
  std::vector<std::vector<std::size_t>> blocks_;
  double total_ = 0;
  Place sizes_{};
  double reach_ = 0;
  PoseCovariance covariance_;  // of reach_
  std::map<double, PivotedCholesky> factors_;
  std::map<Place, double> known_;
};

}  // namespace

std::vector<std::array<std::uint32_t, 2>> near_pairs(const Skeleton& skeleton, std::span<const JointIndex> joints) {
  // Joints that never move are no generation of their own. All that have none above them hang on no_joint.
  const auto parent_of = [&](JointIndex j) {
    if (j == no_joint) return no_joint;
    do j = skeleton.parent(j);
    while (j != no_joint && std::find(joints.begin(), joints.end(), j) == joints.end());
    return j;
  };
  std::vector<std::array<JointIndex, 3>> lines;  // a joint, its parent, its grandparent
  for (const JointIndex j : joints) lines.push_back({j, parent_of(j), parent_of(parent_of(j))});
  std::vector<std::array<std::uint32_t, 2>> result;
  for (std::uint32_t a = 0; a < joints.size(); ++a)
    for (std::uint32_t b = a + 1; b < joints.size(); ++b)
      if (std::find_first_of(lines[a].begin(), lines[a].end(), lines[b].begin(), lines[b].end()) != lines[a].end())
        result.push_back({a, b});
  return result;
}

PoseKernel PoseKernel::fit(const Skeleton& skeleton, const PoseSamples& samples, const DenseMatrix& coordinates,
                           const PoseKernelOptions& options) {
  PoseKernel result;
  Search search(skeleton, samples, coordinates, options);
  result.choice_ = options.choice ? *options.choice : search.best();
  MorphDriver& driver = result.empty_;
  driver.kernel = RbfKernel::pose;
  driver.joints = samples.joints;
  for (const JointIndex j : samples.joints) driver.reference.push_back(skeleton.rest(j).rotation);
  driver.radii = search.radii(result.choice_);
  driver.pairs = search.pairs();
  driver.pair_weight = static_cast<float>(result.choice_.pair_weight);
  const auto regression = search.regression(result.choice_);
  if (!regression) return result;
  result.missed_ = left_out_residual(*regression, coordinates, search.blocks());
  if (search.total() > 0) result.left_out_ = std::sqrt(energy(result.missed_, samples.weights) / search.total());
  const PivotedCholesky& factor = search.factor(result.choice_);
  const std::size_t m = factor.pivots.size();
  for (const std::size_t p : factor.pivots)
    driver.centres.insert(driver.centres.end(), samples.of(p).begin(), samples.of(p).end());
  // Coefficients of the features, r^-T z^T W y, and from them those of the centres, whose features are triangular.
  result.to_rows_ = regression->features;
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i < samples.size(); ++i) result.to_rows_(k, i) *= regression->precision[i];
  back_substitute(regression->root, result.to_rows_);
  DenseMatrix triangle(m, m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b <= a; ++b) triangle(a, b) = factor.columns(b, factor.pivots[a]);
  back_substitute(triangle, result.to_rows_);
  return result;
}

double PoseKernel::noise(std::size_t turned_joints, bool touching) const {
  return noise_of(choice_, turned_joints, touching);
}

DenseMatrix PoseKernel::covariance(const PoseSamples& samples) const {
  return pose_covariance(samples, empty_.pairs, empty_.radii).sum(choice_.pair_weight);
}

MorphDriver PoseKernel::driver(const DenseMatrix& coordinates) const {
  MorphDriver result = empty_;
  result.coefficients = product(to_rows_, coordinates).values;
  // Files hold them in single precision.
  for (double& c : result.coefficients) c = double{static_cast<float>(c)};
  result.rest_weights.assign(coordinates.columns, 0.0f);
  return result;
}

}  // namespace supple::learn
