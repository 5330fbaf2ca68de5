#include "supple/author/learn/pose_covariance.h"

#include "supple/base/parallel.h"
#include "supple/deform/driver_layer.h"

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

PoseCovariance pose_covariance(const PoseSamples& samples, std::span<const std::array<std::uint32_t, 2>> pairs,
                               std::span<const float> radii) {
  const std::size_t n = samples.size();
  MorphDriver driver;  // whose centres are the samples
  driver.kernel = RbfKernel::pose;
  driver.joints = samples.joints;
  driver.radii.assign(radii.begin(), radii.end());
  driver.pairs.assign(pairs.begin(), pairs.end());
  driver.centres = samples.settings;
  const PoseDriverTable table(driver);
  PoseCovariance result{DenseMatrix(n, n), DenseMatrix(n, n)};
  parallel_for(n, 8, [&](std::size_t begin, std::size_t end) {
    PoseDriverTable::Room room(table);
    for (std::size_t i = begin; i < end; ++i)
      table.add_kernel(samples.of(i), 1, result.joints.row(i), result.pairs.row(i), room);
  });
  return result;
}

}  // namespace supple::learn
