#include <cmath>

#include "supple/author/scan/surface.h"
#include "supple/base/parallel.h"
#include "supple/geometry/gaussian.h"

namespace supple::scan {
namespace {

constexpr double reach = 3.5;  // of the blur, in sigmas: what lies beyond weighs 5e-4

struct Range {
  std::int16_t low = 0, high = 0;
};
Range range_of(std::span<const std::int16_t> samples) {
  constexpr std::size_t chunk = std::size_t{1} << 20;
  std::vector<Range> parts((samples.size() + chunk - 1) / chunk);
  parallel_for(samples.size(), chunk, [&](std::size_t begin, std::size_t end) {
    std::int16_t low = samples[begin], high = samples[begin];
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, samples[i]);
      high = std::max(high, samples[i]);
    }
    parts[begin / chunk] = {low, high};
  });
  Range all = parts.front();
  for (const Range& r : parts) all = {std::min(all.low, r.low), std::max(all.high, r.high)};
  return all;
}

// Sums rows n steps to both sides, the last ones again and again beyond the border. `row` is row number `at` of
// `count`.
template <class Row>
void weigh_rows(std::span<const float> weight, std::size_t at, std::size_t count, std::size_t length, Row&& row,
                float* out) {
  const auto* middle = row(at);
  for (std::size_t i = 0; i < length; ++i) out[i] = weight[0] * static_cast<float>(middle[i]);
  for (std::size_t n = 1; n < weight.size(); ++n) {
    const auto* before = row(at >= n ? at - n : 0);
    const auto* after = row(std::min(at + n, count - 1));
    const float w = weight[n];
    for (std::size_t i = 0; i < length; ++i) {
      out[i] += w * (static_cast<float>(before[i]) + static_cast<float>(after[i]));
    }
  }
}

}  // namespace

Volume blurred(const Volume& volume, double sigma) {
  if (!(sigma > 0) || volume.samples.empty()) return volume;
  Volume out;
  out.name = volume.name;
  out.modality = volume.modality;
  out.size = volume.size;
  out.to_world = volume.to_world;
  out.samples.resize(volume.samples.size());
  // A mean lies between what it is a mean of: the range stays, and 16 bits are spread over it in steps of a power of
  // two, so that whole samples stay what they were.
  const Range range = range_of(volume.samples);
  const int middle = (int{range.low} + int{range.high}) / 2;
  float fine = 1;
  while (static_cast<float>(range.high - range.low) * fine <= 32767 && fine < 4096) fine *= 2;
  out.slope = volume.slope / fine;
  out.intercept = volume.intercept + volume.slope * middle;

  const auto radius = static_cast<std::size_t>(std::ceil(reach * sigma));
  const std::vector<float> weight = gaussian_weights(sigma, radius);
  const std::size_t columns = volume.size[0], rows = volume.size[1], slices = volume.size[2];
  parallel_for(slices, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> plane(columns * rows), row(columns + 2 * radius), sum(columns);
    for (std::size_t k = begin; k < end; ++k) {
      const auto slice = [&](std::size_t n) { return volume.samples.data() + columns * rows * n; };
      weigh_rows(weight, k, slices, columns * rows, slice, plane.data());
      for (std::size_t j = 0; j < rows; ++j) {
        const auto line = [&](std::size_t n) { return plane.data() + columns * n; };
        weigh_rows(weight, j, rows, columns, line, row.data() + radius);
        std::fill_n(row.begin(), radius, row[radius]);
        std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(radius + columns), radius, row[radius + columns - 1]);
        const float* from = row.data() + radius;
        for (std::size_t i = 0; i < columns; ++i) sum[i] = weight[0] * from[i];
        for (std::size_t n = 1; n <= radius; ++n) {
          for (std::size_t i = 0; i < columns; ++i) sum[i] += weight[n] * (from[i - n] + from[i + n]);
        }
        std::int16_t* to = out.samples.data() + columns * (j + rows * k);
        for (std::size_t i = 0; i < columns; ++i) {
          const float scaled = (sum[i] - static_cast<float>(middle)) * fine;
          // Rounded by cutting off what is positive; rounding of the weights may pass the range by less than a step.
          const int rounded = static_cast<int>(scaled + 32768.5f) - 32768;
          to[i] = static_cast<std::int16_t>(std::clamp(rounded, -32768, 32767));
        }
      }
    }
  });
  return out;
}

}  // namespace supple::scan
