#include "supple/author/scan/parts_split.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "supple/base/disjoint_sets.h"

namespace supple::scan {
namespace {

// Two bones are told apart where the neck between them opens quickly to both sides. Round the rim of a contact of
// radius r the depth at a distance x along the axis is sqrt(r^2 + x^2), if the bones are that thick: at twice the
// radius 2.2 r. Shafts of long bones, which must stay whole, are thin over a length.
constexpr double neck_reach = 3;

// Basins of the depth, deepest samples first. Where two meet they either become one or stay apart for good: what meets
// later meets at a thinner neck.
class Basins {
 public:
  Basins(const Block& block, const std::vector<std::uint8_t>& marker, const SplitOptions& options)
      : block_(block),
        label_(block.count(), 0),
        half_sample_(0.5 * least(block.spacing)),
        neck_gain_(options.neck_gain),
        by_depth_(options.by_depth) {
    const std::vector<float> depths = depth(block, marker);
    for (const std::size_t at : deepest_first(depths)) flood(at, depths);
  }

  // The whole bone of the block, from the markers on: what is nearest to a marker belongs to it.
  void grow() {
    struct Front {
      double distance;
      std::size_t at;
      std::uint32_t label;
      bool operator<(const Front& other) const {  // the queue's top is its largest
        return std::tie(distance, at, label) > std::tie(other.distance, other.at, other.label);
      }
    };
    std::priority_queue<Front> queue;
    const auto steps = block_.neighbours();
    const double lengths[6] = {block_.spacing.z, block_.spacing.y, block_.spacing.x,
                               block_.spacing.x, block_.spacing.y, block_.spacing.z};
    const auto push_neighbours = [&](std::size_t at, double distance) {
      for (std::size_t n = 0; n < 6; ++n) {
        const std::size_t next = at + static_cast<std::size_t>(steps[n]);
        if (block_.bone[next] != 0 && label_[next] == 0) queue.push({distance + lengths[n], next, label_[at]});
      }
    };
    for (std::size_t at = 0; at < label_.size(); ++at) {
      if (label_[at] != 0) push_neighbours(at, 0);
    }
    while (!queue.empty()) {
      const Front front = queue.top();
      queue.pop();
      if (label_[front.at] != 0) continue;
      label_[front.at] = front.label;
      push_neighbours(front.at, front.distance);
    }
  }

  // Parts of less than `smallest` samples join the neighbour they share most faces with, the least part first.
  void join_small(double smallest) {
    std::vector<std::size_t> size(basins_.size(), 0);
    std::vector<std::map<std::uint32_t, std::size_t>> faces(basins_.size());  // with each neighbour
    const auto steps = block_.neighbours();
    for (std::size_t at = 0; at < label_.size(); ++at) {
      if (label_[at] == 0) continue;
      const std::uint32_t own = basins_.root(label_[at]);
      ++size[own];
      for (const std::ptrdiff_t step : steps) {
        const std::uint32_t other = basins_.root(label_[at + static_cast<std::size_t>(step)]);
        if (other != 0 && other != own) ++faces[own][other];
      }
    }
    for (;;) {
      std::uint32_t small = 0;
      for (std::uint32_t p = 1; p < size.size(); ++p) {
        const bool joins = size[p] > 0 && static_cast<double>(size[p]) < smallest && !faces[p].empty();
        if (joins && (small == 0 || size[p] < size[small])) small = p;
      }
      if (small == 0) return;
      const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
      const std::uint32_t into = std::max_element(faces[small].begin(), faces[small].end(), fewer)->first;
      basins_.join_roots(into, small);
      size[into] += std::exchange(size[small], 0);
      for (const auto& [other, count] : std::exchange(faces[small], {})) {
        faces[other].erase(small);
        if (other == into) continue;
        faces[into][other] += count;
        faces[other][into] += count;
      }
    }
  }

  Split parts() {
    Split split;
    std::vector<std::uint16_t> number(basins_.size(), 0);
    split.part.resize(label_.size());
    for (std::size_t at = 0; at < label_.size(); ++at) {
      if (label_[at] == 0) continue;
      std::uint16_t& n = number[basins_.root(label_[at])];
      if (n == 0) n = static_cast<std::uint16_t>(++split.parts);
      split.part[at] = n;
    }
    return split;
  }

 private:
  static double least(Vec3d v) { return std::min({v.x, v.y, v.z}); }

  // Sorted by counting, depths in 4096 steps: as fine as a sample's tenth in the thickest bone, and ties stay in order.
  static std::vector<std::size_t> deepest_first(const std::vector<float>& depths) {
    constexpr std::size_t steps = 4096;
    const float deepest = *std::max_element(depths.begin(), depths.end());
    const auto step_of = [&](float d) { return static_cast<std::size_t>((deepest - d) / deepest * (steps - 1)); };
    std::vector<std::size_t> first(steps + 1, 0);
    for (const float d : depths) first[d > 0 ? step_of(d) + 1 : 0] += d > 0 ? 1 : 0;
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> order(first.back());
    for (std::size_t at = 0; at < depths.size(); ++at) {
      if (depths[at] > 0) order[first[step_of(depths[at])]++] = at;
    }
    return order;
  }

  void flood(std::size_t at, const std::vector<float>& depths) {
    std::uint32_t own = 0;
    float deepest = 0;
    const auto steps = block_.neighbours();
    for (const std::ptrdiff_t step : steps) {
      const std::size_t next = at + static_cast<std::size_t>(step);
      if (label_[next] != 0 && depths[next] > deepest) {
        deepest = depths[next];
        own = basins_.root(label_[next]);
      }
    }
    if (own == 0) {
      own = basins_.add();
      peak_.push_back(depths[at]);
      apart_.emplace_back();
    }
    label_[at] = own;
    for (const std::ptrdiff_t step : steps) {
      const std::size_t next = at + static_cast<std::size_t>(step);
      if (label_[next] != 0) meet(basins_.root(own), basins_.root(label_[next]), at, depths);
    }
  }

  void meet(std::uint32_t a, std::uint32_t b, std::size_t at, const std::vector<float>& depths) {
    if (a == b || apart_[a].contains(b)) return;
    if (by_depth_ && is_neck(a, b, at, depths)) {
      apart_[a].insert(b);
      apart_[b].insert(a);
      return;
    }
    if (peak_[a] < peak_[b]) std::swap(a, b);
    basins_.join_roots(a, b);
    for (const std::uint32_t other : std::exchange(apart_[b], {})) {
      apart_[other].erase(b);
      apart_[other].insert(a);
      apart_[a].insert(other);
    }
  }

  // Depths are measured to the middle of the first sample outside, half a sample too far.
  double radius(float deep) const { return deep - half_sample_; }

  bool is_neck(std::uint32_t a, std::uint32_t b, std::size_t at, const std::vector<float>& depths) {
    const double wanted = neck_gain_ * radius(depths[at]);
    if (radius(std::min(peak_[a], peak_[b])) < wanted) return false;
    const double reach = neck_reach * radius(depths[at]) + 2 * half_sample_;
    bool opens_a = false, opens_b = false;
    std::array<std::size_t, 3> low{}, high{};
    const std::size_t middle[3] = {at % block_.size[0], at / block_.size[0] % block_.size[1],
                                   at / (block_.size[0] * block_.size[1])};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto steps = static_cast<std::size_t>(reach / block_.spacing[axis]);
      low[axis] = middle[axis] - std::min(middle[axis], steps);
      high[axis] = std::min(middle[axis] + steps, block_.size[axis] - 1);
    }
    const auto offset = [&](std::size_t n, std::size_t axis) {
      return (static_cast<double>(n) - static_cast<double>(middle[axis])) * block_.spacing[axis];
    };
    for (std::size_t k = low[2]; k <= high[2]; ++k) {
      for (std::size_t j = low[1]; j <= high[1]; ++j) {
        for (std::size_t i = low[0]; i <= high[0]; ++i) {
          const std::size_t there = block_.place(i, j, k);
          if (label_[there] == 0 || radius(depths[there]) < wanted) continue;
          if (squared_length(Vec3d{offset(i, 0), offset(j, 1), offset(k, 2)}) > reach * reach) continue;
          const std::uint32_t basin = basins_.root(label_[there]);
          opens_a = opens_a || basin == a;
          opens_b = opens_b || basin == b;
          if (opens_a && opens_b) return true;
        }
      }
    }
    return false;
  }

  const Block& block_;
  std::vector<std::uint32_t> label_;               // #samples: a basin; 0: none
  DisjointSets basins_{1};                         // 0: none
  std::vector<float> peak_{0};                     // #basins: metres
  std::vector<std::set<std::uint32_t>> apart_{1};  // #basins: those it touches and never joins
  double half_sample_, neck_gain_;
  bool by_depth_;
};

Split split_at(const Block& block, std::int16_t level, const SplitOptions& options) {
  std::vector<std::uint8_t> marker(block.count());
  for (std::size_t i = 0; i < marker.size(); ++i) {
    marker[i] = block.bone[i] != 0 && block.value[i] >= level ? 1 : 0;
  }
  fill_cavities(block, marker);
  Basins basins(block, marker, options);
  marker = {};
  basins.grow();
  basins.join_small(options.smallest / (block.spacing.x * block.spacing.y * block.spacing.z));
  Split split = basins.parts();
  split.level = level;
  return split;
}

}  // namespace

Split split_piece(const Block& block, const SplitOptions& options) {
  Split best, before;
  std::size_t agreed = 0;  // parts
  for (const std::int16_t level : options.levels) {
    Split next = split_at(block, level, options);
    if (before.parts == next.parts && next.parts > agreed) {
      agreed = next.parts;
      best = std::move(before);
    }
    before = std::move(next);
  }
  if (agreed == 0) {  // the first level counts, which is at hand where it is the only one
    best = options.levels.size() == 1 ? std::move(before) : split_at(block, options.levels.front(), options);
  }
  if (best.parts == 0) {  // not dense enough for any marker: one bone
    best.part.assign(block.bone.begin(), block.bone.end());
    best.parts = 1;
  }
  return best;
}

}  // namespace supple::scan
