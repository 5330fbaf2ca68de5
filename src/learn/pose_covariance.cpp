#include "supple/learn/pose_covariance.h"

#include <algorithm>

#include "supple/base/parallel.h"
#include "supple/deform/drive.h"

namespace supple::learn {

void PoseSamples::add(std::span<const Quatf> setting, double weight) {
  settings.insert(settings.end(), setting.begin(), setting.end());
  weights.push_back(weight);
}

void PoseSamples::add(const Skeleton& skeleton, const Pose& pose, double weight) {
  for (const JointIndex j : joints) settings.push_back(conjugate(skeleton.rest(j).rotation) * pose.local[j].rotation);
  weights.push_back(weight);
}

double chord(Quatf a, Quatf b) { return 2 * length((conjugate(Quatd(a)) * Quatd(b)).xyz()); }

std::vector<std::vector<std::uint32_t>> turned_joints(const PoseSamples& samples) {
  std::vector<std::vector<std::uint32_t>> result(samples.size());
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (std::uint32_t k = 0; k < samples.joints.size(); ++k)
      if (chord(Quatf{}, samples.of(s)[k]) > 1e-6) result[s].push_back(k);
  return result;
}

DenseMatrix PoseCovariance::sum(double pair_weight) const {
  DenseMatrix result = joints;
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] += pair_weight * pairs.values[i];
  return result;
}

PoseCovariance pose_covariance(const PoseSamples& samples, std::span<const std::vector<std::uint32_t>> turned,
                               std::span<const std::array<std::uint32_t, 2>> pairs, std::span<const float> radii) {
  const std::size_t n = samples.size(), joints = samples.joints.size();
  PoseCovariance result{DenseMatrix(n, n), DenseMatrix(n, n)};
  parallel_for(n, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<double> kappa(joints);
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        std::fill(kappa.begin(), kappa.end(), 0.0);
        double sum = 0, both = 0;
        bool several = false;
        for (auto a = turned[i].begin(), b = turned[j].begin(); a != turned[i].end() && b != turned[j].end();) {
          if (*a < *b) {
            ++a;
          } else if (*b < *a) {
            ++b;
          } else {
            kappa[*a] = joint_kernel(Quatd(samples.of(i)[*a]), Quatd(samples.of(j)[*a]), double{radii[*a]});
            several = several || sum != 0;
            sum += kappa[*a];
            ++a, ++b;
          }
        }
        if (several)
          for (const auto& [a, b] : pairs) both += kappa[a] * kappa[b];
        result.joints(i, j) = sum;
        result.pairs(i, j) = both;
      }
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      result.joints(i, j) = result.joints(j, i);
      result.pairs(i, j) = result.pairs(j, i);
    }
  return result;
}

}  // namespace supple::learn
