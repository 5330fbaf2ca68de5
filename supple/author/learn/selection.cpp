// How many of the granted modes are worth keeping.
#include <algorithm>
#include <cmath>

#include "supple/author/learn/eigenskin.h"

namespace supple::learn {
namespace {

/// Estimated error after each number of modes, from none on.
std::vector<double> error_curve(const EigenSkin& skin) {
  std::vector<double> curve{1};
  std::vector<std::size_t> taken(skin.corrections.size());
  double left = skin.energy;
  for (const std::size_t c : skin.order) {
    const double sigma = skin.corrections[c].singular_values[taken[c]++];
    left -= sigma * sigma;
    curve.push_back(std::sqrt(std::max(left, 0.0) / std::max(skin.energy, 1e-300)));
  }
  return curve;
}

}  // namespace

double estimated_error(const EigenSkin& skin, std::size_t modes) {
  const std::vector<double> curve = error_curve(skin);
  return curve[std::min(modes, curve.size() - 1)];
}

std::size_t knee(const EigenSkin& skin, double gain) {
  const std::vector<double> curve = error_curve(skin);
  std::size_t modes = curve.size() - 1;
  while (modes > 0 && curve[modes - 1] - curve[modes] <= gain) --modes;
  return modes;
}

void keep_first(EigenSkin& skin, std::size_t modes) {
  skin.order.resize(std::min(modes, skin.order.size()));
  skin.normal_order.resize(std::min(modes, skin.normal_order.size()));
  for (std::size_t c = 0; c < skin.corrections.size(); ++c) {
    const auto count = [&](const std::vector<std::size_t>& order) {
      return static_cast<std::size_t>(std::count(order.begin(), order.end(), c));
    };
    skin.corrections[c].kept = count(skin.order);
    skin.corrections[c].kept_normals = count(skin.normal_order);
  }
}

}  // namespace supple::learn
