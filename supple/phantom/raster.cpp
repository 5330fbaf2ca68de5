#include "supple/phantom/raster.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "supple/base/parallel.h"
#include "supple/geometry/gaussian.h"

namespace supple::phantom {
namespace {

using Place = std::array<std::ptrdiff_t, 3>;

// Blocks are cut in half until the distance at their centre decides for all of their samples.
constexpr std::ptrdiff_t largest_block = 16, smallest_block = 2;
constexpr double half_ramp = 0.5;           // units on either side of the surface in which the share changes
constexpr double least_slope = 0.25;        // of the Lipschitz bound: where a field is flatter it is no distance at all
constexpr double slope_step = 0.5;          // units, for differences
constexpr std::size_t largest_radius = 64;  // of a blur, samples

class Painter {
 public:
  Painter(const LatticeShape& shape, float value, const std::array<std::size_t, 3>& size, std::span<float> image)
      : shape_(shape), value_(value), size_(size), image_(image) {}

  void block(const Place& from, const Place& to) const {
    Vec3d centre{}, half{};
    std::ptrdiff_t longest = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      centre[a] = 0.5 * static_cast<double>(from[a] + to[a] - 1);
      half[a] = 0.5 * static_cast<double>(to[a] - from[a] - 1);
      longest = std::max(longest, to[a] - from[a]);
    }
    const double distance = shape_.distance(centre), reach = shape_.lipschitz * (length(half) + half_ramp);
    if (distance >= reach) return;
    if (distance <= -reach) return fill(from, to);
    if (longest <= smallest_block) return samples(from, to);
    const auto middle = [&](std::size_t a) { return from[a] + (to[a] - from[a] + 1) / 2; };
    for (int part = 0; part < 8; ++part) {
      Place f = from, t = to;
      for (std::size_t a = 0; a < 3; ++a) ((part >> a & 1) != 0 ? f : t)[a] = middle(a);
      if (f[0] < t[0] && f[1] < t[1] && f[2] < t[2]) block(f, t);
    }
  }

 private:
  float& at(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    const auto n0 = static_cast<std::ptrdiff_t>(size_[0]), n1 = static_cast<std::ptrdiff_t>(size_[1]);
    return image_[static_cast<std::size_t>(i + n0 * (j + n1 * k))];
  }
  void fill(const Place& from, const Place& to) const {
    for (std::ptrdiff_t k = from[2]; k < to[2]; ++k)
      for (std::ptrdiff_t j = from[1]; j < to[1]; ++j) std::fill_n(&at(from[0], j, k), to[0] - from[0], value_);
  }
  void samples(const Place& from, const Place& to) const {
    for (std::ptrdiff_t k = from[2]; k < to[2]; ++k) {
      for (std::ptrdiff_t j = from[1]; j < to[1]; ++j) {
        for (std::ptrdiff_t i = from[0]; i < to[0]; ++i) {
          const double share = share_at({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
          if (share > 0) at(i, j, k) += static_cast<float>(share) * (value_ - at(i, j, k));
        }
      }
    }
  }
  double share_at(Vec3d p) const {
    const double distance = shape_.distance(p);
    if (std::abs(distance) >= half_ramp * shape_.lipschitz) return distance < 0 ? 1 : 0;
    return std::clamp(0.5 - (shape_.in_samples ? distance : distance / slope(p)), 0.0, 1.0);
  }
  double slope(Vec3d p) const {
    Vec3d g{};
    for (std::size_t a = 0; a < 3; ++a) {
      Vec3d before = p, after = p;
      before[a] -= slope_step, after[a] += slope_step;
      g[a] = (shape_.distance(after) - shape_.distance(before)) / (2 * slope_step);
    }
    return std::clamp(length(g), least_slope * shape_.lipschitz, shape_.lipschitz);
  }

  const LatticeShape& shape_;
  float value_;
  const std::array<std::size_t, 3>& size_;
  std::span<float> image_;
};

// Blurs along one axis a plane of `lines` neighbouring lines at once: sample s of line l is at[s * stride + l].
void blur_lines(float* at, std::size_t lines, std::size_t length, std::size_t stride, std::span<const float> weights,
                std::vector<float>& copy) {
  copy.resize(lines * length);
  for (std::size_t s = 0; s < length; ++s)
    std::copy_n(at + s * stride, lines, copy.begin() + static_cast<std::ptrdiff_t>(s * lines));
  for (std::size_t s = 0; s < length; ++s) {
    float* const out = at + s * stride;
    for (std::size_t l = 0; l < lines; ++l) out[l] = weights[0] * copy[s * lines + l];
    for (std::size_t r = 1; r < weights.size(); ++r) {
      const float* const below = &copy[(s < r ? 0 : s - r) * lines];
      const float* const above = &copy[std::min(s + r, length - 1) * lines];
      for (std::size_t l = 0; l < lines; ++l) out[l] += weights[r] * (below[l] + above[l]);
    }
  }
}

}  // namespace

void mix(const LatticeShape& shape, float value, const std::array<std::size_t, 3>& size, std::span<float> image) {
  Place from{}, to{}, blocks{};
  for (std::size_t a = 0; a < 3; ++a) {
    const auto last = static_cast<double>(size[a]);
    from[a] = static_cast<std::ptrdiff_t>(std::clamp(std::floor(shape.low[a]) - 1, 0.0, last));
    to[a] = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(shape.high[a]) + 2, 0.0, last));
    if (from[a] >= to[a]) return;
    blocks[a] = (to[a] - from[a] + largest_block - 1) / largest_block;
  }
  const Painter painter(shape, value, size, image);
  const auto count = static_cast<std::size_t>(blocks[0] * blocks[1] * blocks[2]);
  parallel_for(count, 4, [&](std::size_t begin, std::size_t end) {
    for (auto b = static_cast<std::ptrdiff_t>(begin); b < static_cast<std::ptrdiff_t>(end); ++b) {
      const Place number{b % blocks[0], b / blocks[0] % blocks[1], b / (blocks[0] * blocks[1])};
      Place f{}, t{};
      for (std::size_t a = 0; a < 3; ++a) {
        f[a] = from[a] + largest_block * number[a];
        t[a] = std::min(f[a] + largest_block, to[a]);
      }
      painter.block(f, t);
    }
  });
}

void blur(std::span<float> image, const std::array<std::size_t, 3>& size, double sigma) {
  if (!(sigma > 0) || image.empty()) return;
  const auto radius = std::min(static_cast<std::size_t>(std::ceil(4 * sigma)), largest_radius);
  const std::vector<float> weights = gaussian_weights(sigma, radius);
  const std::size_t row = size[0], slice = row * size[1];
  parallel_for(size[2], 1, [&](std::size_t begin, std::size_t end) {
    std::vector<float> copy;
    for (std::size_t k = begin; k < end; ++k) {
      float* const first = &image[k * slice];
      for (std::size_t j = 0; j < size[1]; ++j) blur_lines(first + j * row, 1, row, 1, weights, copy);
      blur_lines(first, row, size[1], row, weights, copy);
    }
  });
  parallel_for(size[1], 1, [&](std::size_t begin, std::size_t end) {
    std::vector<float> copy;
    for (std::size_t j = begin; j < end; ++j) blur_lines(&image[j * row], row, size[2], slice, weights, copy);
  });
}

}  // namespace supple::phantom
