// How the hierarchy is built: binned surface area heuristic, in one order whatever the machine.
#include "supple/geometry/bvh.h"

#include <algorithm>
#include <array>

namespace supple {
namespace {

constexpr std::uint32_t leaf_size = 4;
constexpr std::size_t bin_count = 16;
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Bounds {
  Vec3f low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  void add(Vec3f p) {
    low = min(low, p);
    high = max(high, p);
  }
  void add(const Bounds& b) {
    low = min(low, b.low);
    high = max(high, b.high);
  }
  /// Half the surface. In double: a float would overflow where the coordinates do not.
  double half_area() const {
    const Vec3d size = Vec3d(high) - Vec3d(low);
    return size.x >= 0 ? size.x * size.y + size.y * size.z + size.z * size.x : 0;
  }
};

struct Item {
  Bounds bounds;
  Vec3f center;
  std::uint32_t triangle;
};

struct Bin {
  Bounds bounds;
  std::size_t count = 0;
};

/// Reorders `items` so that a left and a right part cost a random query the least, and returns the size of the left
/// one. `moved` is room for the right one.
std::size_t split_by_area(std::span<Item> items, const Bounds& centers, std::vector<Item>& moved) {
  const Vec3f extent = centers.high - centers.low;
  const std::size_t axis = extent.x >= extent.y && extent.x >= extent.z ? 0u : (extent.y >= extent.z ? 1u : 2u);
  if (!(extent[axis] > 0)) return items.size() / 2;
  const float low = centers.low[axis], scale = static_cast<float>(bin_count) / extent[axis];
  const auto bin_of = [&](const Item& item) {
    const float place =
        (item.center[axis] - low) * scale;  // may round up to bin_count, or be NaN where scale overflows
    return place < static_cast<float>(bin_count) ? static_cast<std::size_t>(place) : bin_count - 1;
  };
  std::array<Bin, bin_count> bins;
  for (const Item& item : items) {
    Bin& bin = bins[bin_of(item)];
    bin.bounds.add(item.bounds);
    ++bin.count;
  }
  std::array<double, bin_count> right_cost{};  // of bins b and above
  Bin right;
  for (std::size_t b = bin_count; b-- > 1;) {
    right.bounds.add(bins[b].bounds);
    right.count += bins[b].count;
    right_cost[b] = right.bounds.half_area() * static_cast<double>(right.count);
  }
  Bin left;
  double best_cost = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t b = 1; b < bin_count; ++b) {
    left.bounds.add(bins[b - 1].bounds);
    left.count += bins[b - 1].count;
    const double cost = left.bounds.half_area() * static_cast<double>(left.count) + right_cost[b];
    if (left.count > 0 && left.count < items.size() && cost < best_cost) {
      best_cost = cost;
      best = b;
    }
  }
  if (best == 0) return items.size() / 2;
  moved.clear();
  auto middle = items.begin();
  for (const Item& item : items) {
    if (bin_of(item) < best)
      *middle++ = item;
    else
      moved.push_back(item);
  }
  std::copy(moved.begin(), moved.end(), middle);
  return static_cast<std::size_t>(middle - items.begin());
}

}  // namespace

Bvh::Bvh(std::span<const Vec3f> positions, std::span<const Triangle> triangles) {
  std::vector<Item> items, moved;
  items.reserve(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    Bounds box;
    bool finite = true;
    for (const std::uint32_t v : triangles[t]) {
      box.add(positions[v]);
      finite = finite && is_finite(positions[v]);
    }
    if (finite) items.push_back({box, box.low * 0.5f + box.high * 0.5f, t});
  }
  if (items.empty()) return;

  struct Task {
    std::uint32_t begin, end, parent, depth;
    bool right;
  };
  nodes_.reserve(items.size());
  std::vector<Task> tasks{{0, static_cast<std::uint32_t>(items.size()), 0, 0, false}};
  while (!tasks.empty()) {  // left before right, so that the left child follows its parent
    const Task task = tasks.back();
    tasks.pop_back();
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    if (task.right) nodes_[task.parent].first = number;
    const std::span<Item> part = std::span(items).subspan(task.begin, task.end - task.begin);
    Bounds box, centers;
    for (const Item& item : part) {
      box.add(item.bounds);
      centers.add(item.center);
    }
    if (part.size() <= leaf_size) {
      nodes_.push_back({box.low, box.high, task.begin, static_cast<std::uint32_t>(part.size())});
      continue;
    }
    nodes_.push_back({box.low, box.high, 0, 0});
    const std::size_t left = task.depth < heuristic_depth ? split_by_area(part, centers, moved) : part.size() / 2;
    const auto middle = task.begin + static_cast<std::uint32_t>(left);
    tasks.push_back({middle, task.end, number, task.depth + 1, true});
    tasks.push_back({task.begin, middle, number, task.depth + 1, false});
  }

  corners_.reserve(items.size());
  numbers_.reserve(items.size());
  for (const Item& item : items) {
    const Triangle& t = triangles[item.triangle];
    corners_.push_back({positions[t[0]], positions[t[1]], positions[t[2]]});
    numbers_.push_back(item.triangle);
  }
}

}  // namespace supple
