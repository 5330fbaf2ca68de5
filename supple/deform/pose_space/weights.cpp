#include "supple/deform/pose_space/weights.h"

#include <array>

#include "supple/deform/pose_space/coefficients.h"
#include "supple/deform/pose_space/distances.h"

namespace supple {

PoseWeights pose_weights_of(const PoseSpace& space) {
  const std::size_t n = space.examples();
  PoseWeights result{distances_of(plain(space)), std::vector<double>(n * (n + 1) / 2), space.first_weight};
  std::vector<double> between(n * n);
  for (std::size_t k = 0; k < space.joints.size(); ++k)
    for (std::size_t i = 0; i < n * n; ++i) between[i] += squared_angle(result.distances, k, i / n, i % n);
  // A valid space has no two examples in one pose. Were they still too near to be told apart, only rest is shown.
  if (!solve_coefficients(between, n, double{space.ridge}, result.coefficients)) {
    result.coefficients.assign(result.coefficients.size(), 0);
    result.coefficients[0] = 1;
  }
  return result;
}

void drive_pose_space(const PoseWeights& w, std::span<const Transformf> local, std::span<float> morph_weights) {
  const std::size_t n = w.distances.examples;
  std::array<double, PoseSpace::max_examples> distances{}, s{};
  add_squared_angles(w.distances, local, std::span(distances).first(n));
  mix(w.coefficients, std::span(distances).first(n), s);
  for (std::size_t t = 0; t + 1 < n; ++t) morph_weights[w.first_weight + t] = static_cast<float>(s[t]);
}

}  // namespace supple
