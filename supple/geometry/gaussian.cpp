#include "supple/geometry/gaussian.h"

#include <cmath>

namespace supple {

std::vector<float> gaussian_weights(double sigma, std::size_t radius) {
  std::vector<double> weights(radius + 1);
  double sum = 0;
  for (std::size_t i = 0; i <= radius; ++i) {
    const double x = static_cast<double>(i) / sigma;
    weights[i] = std::exp(-0.5 * x * x);
    sum += i == 0 ? weights[i] : 2 * weights[i];
  }
  std::vector<float> result;
  for (const double w : weights) result.push_back(static_cast<float>(w / sum));
  return result;
}

}  // namespace supple
