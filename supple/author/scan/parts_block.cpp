#include "supple/author/scan/parts_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/parallel.h"

namespace supple::scan {
namespace {

constexpr float unreached = std::numeric_limits<float>::max();

// d[i] becomes the least of d[n] + (spacing (i - n))^2: the lower envelope of parabolas (Felzenszwalb and Huttenlocher,
// Distance Transforms of Sampled Functions, 2012). Somewhere d must be 0.
class Envelope {
 public:
  explicit Envelope(std::size_t longest) : values_(longest), at_(longest), from_(longest + 1) {}
  std::span<float> values(std::size_t count) { return {values_.data(), count}; }

  void run(std::size_t count, double spacing) {
    const double scale = spacing * spacing;
    std::size_t last = 0;
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (values_[i] == unreached) continue;
      double cross = -1;  // left of everything
      while (any) {
        cross = meeting(at_[last], i, scale);
        if (cross > from_[last] || last == 0) break;
        --last;
      }
      if (any && (cross > from_[last])) {
        ++last;
      } else {
        cross = -1;
        last = 0;
      }
      any = true;
      at_[last] = i;
      from_[last] = cross;
    }
    result_.assign(count, unreached);
    if (!any) return;
    std::size_t piece = 0;
    for (std::size_t i = 0; i < count; ++i) {
      while (piece < last && from_[piece + 1] <= static_cast<double>(i)) ++piece;
      const double steps = static_cast<double>(i) - static_cast<double>(at_[piece]);
      result_[i] = static_cast<float>(values_[at_[piece]] + scale * steps * steps);
    }
    std::copy(result_.begin(), result_.end(), values_.begin());
  }

 private:
  // Where the parabola at b falls below that at a < b.
  double meeting(std::size_t a, std::size_t b, double scale) const {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return ((values_[b] + scale * y * y) - (values_[a] + scale * x * x)) / (2 * scale * (y - x));
  }
  std::vector<float> values_, result_{};
  std::vector<std::size_t> at_;
  std::vector<double> from_;
};

}  // namespace

Block block_of(const Volume& volume, const Piece& piece) {
  Block block;
  block.spacing = volume.spacing();
  block.origin = piece.low;
  for (std::size_t axis = 0; axis < 3; ++axis) block.size[axis] = piece.end[axis] - piece.low[axis] + 2;
  block.bone.assign(block.count(), 0);
  block.value.assign(block.count(), std::numeric_limits<std::int16_t>::min());
  for (const Run& run : piece.runs) {
    const std::size_t count = run.end - run.begin;
    const std::size_t to =
        block.place(run.begin - piece.low[0] + 1, run.row - piece.low[1] + 1, run.slice - piece.low[2] + 1);
    std::fill_n(block.bone.begin() + static_cast<std::ptrdiff_t>(to), count, std::uint8_t{1});
    std::copy_n(volume.samples.begin() + static_cast<std::ptrdiff_t>(volume.place(run.begin, run.row, run.slice)),
                count, block.value.begin() + static_cast<std::ptrdiff_t>(to));
  }
  fill_cavities(block, block.bone);
  for (std::size_t i = 0; i < block.count(); ++i) {
    if (block.bone[i] != 0 && block.value[i] == std::numeric_limits<std::int16_t>::min()) {
      block.value[i] = std::numeric_limits<std::int16_t>::max();
    }
  }
  return block;
}

void fill_cavities(const Block& block, std::vector<std::uint8_t>& solid) {
  constexpr std::uint8_t outside = 2;
  const auto steps = block.neighbours();
  const auto border = [&](std::size_t n, std::size_t axis) { return n == 0 || n + 1 == block.size[axis]; };
  const auto for_each = [&](auto&& visit) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < block.size[2]; ++k) {
      for (std::size_t j = 0; j < block.size[1]; ++j) {
        for (std::size_t i = 0; i < block.size[0]; ++i) visit(at++, border(i, 0) || border(j, 1) || border(k, 2));
      }
    }
  };
  // Once the layer around the block is known to be outside, no step leads out of the block.
  for_each([&](std::size_t at, bool at_border) { solid[at] = at_border ? outside : solid[at]; });
  std::vector<std::size_t> waiting;
  const auto reach = [&](std::size_t at) {
    if (solid[at] != 0) return;
    solid[at] = outside;
    waiting.push_back(at);
  };
  for_each([&](std::size_t at, bool at_border) {
    if (at_border || solid[at] != 0) return;
    for (const std::ptrdiff_t step : steps) {
      if (solid[at + static_cast<std::size_t>(step)] == outside) reach(at);
    }
    while (!waiting.empty()) {
      const std::size_t from = waiting.back();
      waiting.pop_back();
      for (const std::ptrdiff_t step : steps) reach(from + static_cast<std::size_t>(step));
    }
  });
  for (std::uint8_t& s : solid) s = s == outside ? 0 : 1;
}

std::vector<float> depth(const Block& block, std::span<const std::uint8_t> solid) {
  std::vector<float> squared(block.count());
  parallel_for(block.count(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) squared[i] = solid[i] != 0 ? unreached : 0;
  });
  const std::size_t stride[3] = {1, block.size[0], block.size[0] * block.size[1]};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Lines along the axis; `across` and `outer` number them.
    const std::size_t across = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
    parallel_for(block.size[outer], 4, [&](std::size_t begin, std::size_t end) {
      Envelope envelope(block.size[axis]);
      const std::span<float> line = envelope.values(block.size[axis]);
      for (std::size_t o = begin; o < end; ++o) {
        for (std::size_t a = 0; a < block.size[across]; ++a) {
          float* first = squared.data() + o * stride[outer] + a * stride[across];
          bool any = false;
          for (std::size_t i = 0; i < line.size(); ++i) any = (line[i] = first[i * stride[axis]]) > 0 || any;
          if (!any) continue;
          envelope.run(line.size(), block.spacing[axis]);
          for (std::size_t i = 0; i < line.size(); ++i) first[i * stride[axis]] = line[i];
        }
      }
    });
  }
  parallel_for(block.count(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) squared[i] = std::sqrt(squared[i]);
  });
  return squared;
}

}  // namespace supple::scan
