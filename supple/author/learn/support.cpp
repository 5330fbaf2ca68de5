#include "supple/author/learn/support.h"

#include <algorithm>

namespace supple::learn {
namespace {

constexpr int smoothings = 3;  // umbrella steps that take single vertices out of the mask's border

double smoothstep(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace

Support support_of(std::span<const float> size, double largest, const Adjacency& neighbours,
                   std::span<const std::uint32_t> to_point, const SupportOptions& options) {
  Support result;
  if (!(largest > 0)) return result;
  const std::size_t points = neighbours.first.size() - 1;
  std::vector<double> relative(points, 0.0), mask(points, 0.0);
  for (std::size_t v = 0; v < size.size(); ++v)
    relative[to_point[v]] = std::max(relative[to_point[v]], double{size[v]} / largest);
  for (std::size_t p = 0; p < points; ++p) {
    mask[p] = options.hard ? (relative[p] > options.threshold ? 1 : 0)
                           : smoothstep((relative[p] - options.threshold) / options.threshold);
  }
  for (int step = 0; step < (options.hard ? 0 : smoothings); ++step) {
    std::vector<double> next = mask;
    for (std::size_t p = 0; p < points; ++p) {
      const auto around = neighbours.of(p);
      if (around.empty()) continue;
      double sum = 0;
      for (const std::uint32_t q : around) sum += mask[q];
      next[p] = (mask[p] + sum / static_cast<double>(around.size())) / 2;
    }
    // Outwards only: on a coarse mesh a support is few vertices wide, and what moves in full must be kept in full.
    for (std::size_t p = 0; p < points; ++p) mask[p] = std::max(mask[p], next[p]);
  }
  for (std::uint32_t v = 0; v < size.size(); ++v) {
    const std::uint32_t p = to_point[v];
    // Smoothing spreads the mask over vertices that hardly move: those stay out.
    if (mask[p] <= 0 || relative[p] < options.threshold / 2) continue;
    result.vertices.push_back(v);
    result.mask.push_back(static_cast<float>(mask[p]));
  }
  return result;
}

}  // namespace supple::learn
